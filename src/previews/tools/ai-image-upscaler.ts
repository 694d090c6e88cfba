// ai-image-upscaler: exactly as many times larger as was asked, as far as the plan and the memory here allow.
import { numberIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { finished } from '../pictures/output.ts';
import { resized, type Size } from '../pictures/picture.ts';
import { pictureSize, readPicture } from '../pictures/read-picture.ts';

/** The longest side of an input that is enlarged from its own pixels, not from fewer. */
const longestInput = 4096;
/** Pixels of the output at most: 64 MB in memory. */
const mostPixels = 16_000_000;
const longestOutput = 8192;

export async function render(request: RenderRequest): Promise<RenderOutcome> {
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
  return finished(request, await resized(picture.value, size));
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
