// photo-colorizer: the photo in one warm tint.
import { requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { finished } from '../pictures/output.ts';
import { pictureOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

const tint = { r: 208, g: 164, b: 120 };

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const picture = await readPicture(requiredInput(request, 'assets.image_file_path'));
  if (!picture.ok) return picture;
  return finished(request, await pictureOf(sharpOf(picture.value).tint(tint)));
}
