// image-background-remover: the picture without a background of one colour, as product photos have it, else an oval of the
// picture; on a transparent background, or on another picture.
import { inputIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { copyOf, ovalOf } from '../pictures/canvas.ts';
import { finished } from '../pictures/output.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const picture = await readPicture(requiredInput(request, 'assets.image_file_path'));
  if (!picture.ok) return picture;
  const other = inputIn(request, 'assets.background_image_file_path');
  const background = other === undefined ? undefined : await readPicture(other);
  if (background?.ok === false) return background;
  const subject = withoutPlainBackground(picture.value) ?? ovalOf(picture.value);
  return finished(
    request,
    background === undefined ? subject : await onto(background.value, subject),
  );
}

/** The subject in front of another picture, which fills the frame. */
async function onto(background: Picture, subject: Picture): Promise<Picture> {
  const { width, height } = subject;
  const filling = sharpOf(background).resize(width, height, { fit: 'cover' }).flatten();
  const base = await pictureOf(filling);
  return pictureOf(sharpOf(base).composite([layer(subject, 0, 0)]));
}

/** How far from the background's colour a pixel may be, in steps of a channel. */
const tolerance = 34;
/** The share of a picture's edge that must have the background's colour. */
const plainEdge = 0.85;

/** What has the edge's colour and is reached from the edge goes. Undefined: the edge has many colours. */
function withoutPlainBackground(picture: Picture): Picture | undefined {
  const { width, height } = picture;
  const { pixels } = copyOf(picture);
  // The upper edge and most of the sides: below, a subject may go on.
  const edge = Array.from({ length: width }, (_, x) => x);
  for (let y = 1; y < height * 0.8; y++) edge.push(y * width, y * width + width - 1);
  const colour = [0, 1, 2].map(
    (channel) => edge.reduce((sum, at) => sum + (pixels[at * 4 + channel] ?? 0), 0) / edge.length,
  );
  const isBackground = (at: number): boolean =>
    colour.every((value, channel) => Math.abs(value - (pixels[at * 4 + channel] ?? 0)) < tolerance);
  const open = edge.filter(isBackground);
  if (open.length < edge.length * plainEdge) return undefined;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (pixels[at * 4 + 3] === 0 || !isBackground(at)) continue;
    pixels[at * 4 + 3] = 0;
    if (at % width > 0) open.push(at - 1);
    if (at % width < width - 1) open.push(at + 1);
    if (at >= width) open.push(at - width);
    if (at < width * (height - 1)) open.push(at + width);
  }
  return { pixels, width, height };
}
