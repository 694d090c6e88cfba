// ai-headshot-generator: head and shoulders of whoever has the largest face, cropped from the picture.
import type { Region } from '../../contract/api/region.ts';
import { requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { sourceFaceIn } from '../faces/source-face.ts';
import { finished, withinPlan } from '../pictures/output.ts';
import { type Picture, pictureOf, pixelsOf, sharpOf } from '../pictures/picture.ts';

/** Pixels, before the plan's limit. */
const portrait = { width: 1024, height: 1280 };
/** How much is around the face, in widths and heights of the face. */
const beside = 0.8;
const above = 0.6;
const below = 1;

export async function renderHeadshot(request: RenderRequest): Promise<RenderOutcome> {
  const source = await sourceFaceIn(requiredInput(request, 'assets.image_file_path'));
  if (!source.ok) return source;
  const { picture, face } = source.value;
  if (face === undefined) return finished(request, picture);
  return finished(request, await cropped(picture, face.region, request));
}

function cropped(
  picture: Picture,
  { x, y, width, height }: Region,
  request: RenderRequest,
): Promise<Picture> {
  const left = Math.max(0, x - width * beside);
  const top = Math.max(0, y - height * above);
  const region = {
    x: left,
    y: top,
    width: Math.min(1, x + width * (1 + beside)) - left,
    height: Math.min(1, y + height * (1 + below)) - top,
  };
  const size = withinPlan(portrait, request);
  return pictureOf(
    sharpOf(picture)
      .extract(pixelsOf(region, picture))
      .resize({ ...size, fit: 'cover' }),
  );
}
