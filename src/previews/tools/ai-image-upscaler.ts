// ai-image-upscaler: exactly as many times larger as was asked, as far as the plan and the memory here reach, and
// sharper by a measure that the mode names. The detail that a model would make up is not there.
import sharp, { type Sharp } from 'sharp';
import { fieldOf } from '../../contract/base/json.ts';
import { type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { finished, inputOf } from '../pictures/output.ts';

const field = 'assets.image_file_path';
/** The longest side of an input that is enlarged from its own pixels, not from fewer. */
const longestInput = 4096;
/** Pixels of the output at most: 64 MB in memory. */
const mostPixels = 16_000_000;
const longestOutput = 8192;

type Mode = 'preserve' | 'balanced' | 'creative' | 'pro';

export async function renderUpscaler(request: RenderRequest): Promise<RenderOutcome> {
  const input = inputOf(request, field);
  if (input === undefined) throw new Error('bug: an upscaler has a picture');
  const picture = await readPicture(input, longestInput);
  if (!picture.ok) return picture;
  const factor = fieldOf(request.body, 'scale_factor');
  const own = await ownSize(input.file, picture.value);
  const size = sizeOf(own, typeof factor === 'number' ? factor : 1, request.most);
  // It is sharpened before: that is where the detail is, and there are fewer pixels.
  const sharper = await pictureOf(treated(sharpOf(picture.value), modeOf(request)));
  const larger = sharpOf(sharper).resize({ ...size, fit: 'fill', kernel: 'lanczos3' });
  return finished(request, await pictureOf(larger));
}

/** A file's own upright size: reading makes very small pictures larger. */
async function ownSize(file: string | undefined, read: Picture) {
  const readable = Math.min(read.width, read.height) <= 96 && file !== undefined;
  if (!readable) return { width: read.width, height: read.height };
  const { autoOrient } = await sharp(file).metadata();
  return Math.max(autoOrient.width, autoOrient.height) <= 96 ? autoOrient : read;
}

function sizeOf(own: Pick<Picture, 'width' | 'height'>, factor: number, most: number) {
  const { width, height } = own;
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
function modeOf({ body }: RenderRequest): Mode {
  const mode = fieldOf(body, 'style.mode') ?? fieldOf(body, 'style.enhancement');
  switch (`${mode}`.toLowerCase()) {
    case 'balanced':
      return 'balanced';
    case 'creative':
      return 'creative';
    case 'pro':
      return 'pro';
    default:
      return 'preserve';
  }
}

function treated(picture: Sharp, mode: Mode): Sharp {
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
