// The tools that change a picture as a whole: enlarged, tinted, without its background.
import { inputIn, numberIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { ovalOf, paste } from '../pictures/canvas.ts';
import { finished } from '../pictures/output.ts';
import { pictureOf, resized, type Size, sharpOf } from '../pictures/picture.ts';
import { pictureSize, readPicture } from '../pictures/read-picture.ts';

const field = 'assets.image_file_path';

/** The longest side of an input that is enlarged from its own pixels, not from fewer. */
const maxInputSide = 4096;
/** Pixels of the output at most: 64 MB in memory. */
const maxOutputPixels = 16_000_000;
const maxOutputSide = 8192;

/** ai-image-upscaler: exactly as many times larger as was asked, as far as the plan and the memory here allow. */
export async function renderUpscaler(request: RenderRequest): Promise<RenderOutcome> {
  const input = requiredInput(request, field);
  const own = await pictureSize(input);
  if (!own.ok) return own;
  const picture = await readPicture(input, maxInputSide);
  if (!picture.ok) return picture;
  // Reading makes very small pictures larger, and very large ones smaller.
  const isOwnSize = Math.max(own.value.width, own.value.height) <= maxInputSide;
  const from = isOwnSize ? own.value : picture.value;
  const size = upscaled(from, numberIn(request, 'scale_factor') ?? 1, request.most);
  return finished(request, await resized(picture.value, size));
}

function upscaled({ width, height }: Size, factor: number, most: number): Size {
  const scale = Math.min(
    factor,
    most / Math.min(width, height),
    maxOutputSide / Math.max(width, height),
    Math.sqrt(maxOutputPixels / (width * height)),
  );
  const side = (length: number): number => Math.max(1, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}

const warmTint = { r: 208, g: 164, b: 120 };

/** photo-colorizer: the photo in one warm tint. */
export async function renderColorizer(request: RenderRequest): Promise<RenderOutcome> {
  const picture = await readPicture(requiredInput(request, field));
  if (!picture.ok) return picture;
  return finished(request, await pictureOf(sharpOf(picture.value).tint(warmTint)));
}

/** image-background-remover: an oval of the picture, on a transparent background or on another picture, which fills the frame. */
export async function renderBackgroundRemover(request: RenderRequest): Promise<RenderOutcome> {
  const picture = await readPicture(requiredInput(request, field));
  if (!picture.ok) return picture;
  const subject = ovalOf(picture.value);
  const input = inputIn(request, 'assets.background_image_file_path');
  if (input === undefined) return finished(request, subject);
  const other = await readPicture(input);
  if (!other.ok) return other;
  const { width, height } = subject;
  const background = await pictureOf(
    sharpOf(other.value).resize(width, height, { fit: 'cover' }).flatten(),
  );
  paste(background, subject, 0, 0);
  return finished(request, background);
}
