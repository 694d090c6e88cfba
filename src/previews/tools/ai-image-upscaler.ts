// ai-image-upscaler: exactly as many times larger as was asked, as far as the plan and the memory here allow, and
// sharpened by a measure that the mode names.
import type { Sharp } from 'sharp';
import { numberIn, requiredInput, textIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { finished } from '../pictures/output.ts';
import { pictureOf, type Size, sharpOf } from '../pictures/picture.ts';
import { pictureSize, readPicture } from '../pictures/read-picture.ts';

/** The longest side of an input that is enlarged from its own pixels, not from fewer. */
const longestInput = 4096;
/** Pixels of the output at most: 64 MB in memory. */
const mostPixels = 16_000_000;
const longestOutput = 8192;

type Mode = 'preserve' | 'balanced' | 'creative' | 'pro';

export async function renderUpscaler(request: RenderRequest): Promise<RenderOutcome> {
  const input = requiredInput(request, 'assets.image_file_path');
  const own = await pictureSize(input);
  if (!own.ok) return own;
  const picture = await readPicture(input, longestInput);
  if (!picture.ok) return picture;
  const { width, height } = picture.value;
  // Reading makes very small pictures larger, and very large ones smaller.
  const from =
    Math.max(own.value.width, own.value.height) <= longestInput ? own.value : { width, height };
  const size = enlarged(from, numberIn(request, 'scale_factor') ?? 1, request.most);
  // Sharpened first: there are fewer pixels, and all the detail is in them.
  const sharper = await pictureOf(sharpened(sharpOf(picture.value), modeOf(request)));
  const larger = sharpOf(sharper).resize({ ...size, fit: 'fill', kernel: 'lanczos3' });
  return finished(request, await pictureOf(larger));
}

function enlarged({ width, height }: Size, factor: number, most: number): Size {
  const largest = Math.min(
    most / Math.min(width, height),
    longestOutput / Math.max(width, height),
    Math.sqrt(mostPixels / (width * height)),
  );
  const scale = Math.min(factor, largest);
  const side = (length: number): number => Math.max(1, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}

/** `enhancement` is the older form of `mode`. */
function modeOf(request: RenderRequest): Mode {
  const mode = textIn(request, 'style.mode') || textIn(request, 'style.enhancement');
  const known: readonly Mode[] = ['balanced', 'creative', 'pro'];
  return known.find((one) => one === mode.toLowerCase()) ?? 'preserve';
}

function sharpened(picture: Sharp, mode: Mode): Sharp {
  switch (mode) {
    case 'preserve':
      return picture.sharpen({ sigma: 1, m1: 0.3, m2: 1 });
    case 'balanced':
      return picture.sharpen({ sigma: 1.3, m1: 0.5, m2: 1.8 });
    case 'pro':
      return picture.median(3).sharpen({ sigma: 1.4, m1: 0.4, m2: 2.2 });
    case 'creative':
      return picture.sharpen({ sigma: 1.8, m1: 0.8, m2: 2.6 }).modulate({ saturation: 1.1 });
  }
}
