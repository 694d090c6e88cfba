// ai-headshot-generator: head and shoulders of whoever has the largest face, cropped from the picture.
import { requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { enlarged } from '../faces/search-picture.ts';
import { sourceFaceIn } from '../faces/source-face.ts';
import { finished, withinPlan } from '../pictures/output.ts';
import { pictureOf, pixelsOf, sharpOf } from '../pictures/picture.ts';

/** Pixels, before the plan's limit. */
const portrait = { width: 1024, height: 1280 };
const headAndShoulders = { beside: 0.8, above: 0.6, below: 1 };

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const source = await sourceFaceIn(requiredInput(request, 'assets.image_file_path'));
  if (!source.ok) return source;
  const { picture, face } = source.value;
  if (face === undefined) return finished(request, picture);
  const crop = pixelsOf(enlarged(face.region, headAndShoulders), picture);
  const size = { ...withinPlan(portrait, request), fit: 'cover' } as const;
  return finished(request, await pictureOf(sharpOf(picture).extract(crop).resize(size)));
}
