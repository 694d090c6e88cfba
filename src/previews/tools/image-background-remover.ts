// image-background-remover: the subject on a transparent background, or on another picture.
import { inputIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { cutOut } from '../matte/cut-out.ts';
import { finished } from '../pictures/output.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const input = requiredInput(request, 'assets.image_file_path');
  const picture = await readPicture(input);
  if (!picture.ok) return picture;
  const other = inputIn(request, 'assets.background_image_file_path');
  const background = other === undefined ? undefined : await readPicture(other);
  if (background?.ok === false) return background;
  const subject = (await cutOut(picture.value, input.faces)).picture;
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
