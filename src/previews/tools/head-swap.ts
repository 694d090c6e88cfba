// head-swap: the head of one picture, scaled to the head on the body of the other and pasted over it as an oval.
import type { Region } from '../../contract/api/region.ts';
import { numberIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { portraitOf } from '../faces/search-picture.ts';
import { sourceFaceIn } from '../faces/source-face.ts';
import { copyOf, ovalOf, paste } from '../pictures/canvas.ts';
import { finished, withinPlan } from '../pictures/output.ts';
import { type Picture, pictureOf, pixelsOf, resized, sharpOf } from '../pictures/picture.ts';

/** Pixels: a smaller output is nothing to look at. */
const least = 96;
export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const body = await sourceFaceIn(requiredInput(request, 'assets.body_file_path'));
  if (!body.ok) return body;
  const head = await sourceFaceIn(requiredInput(request, 'assets.head_file_path'));
  if (!head.ok) return head;
  const { picture, face } = body.value;
  const from = head.value.face;
  // A placeholder has no head.
  const swapped =
    face === undefined || from === undefined
      ? picture
      : await withHead(picture, face.region, head.value.picture, from.region);
  return finished(request, await clamped(swapped, request));
}

async function withHead(
  body: Picture,
  place: Region,
  source: Picture,
  face: Region,
): Promise<Picture> {
  const scale = (place.height * body.height) / (face.height * source.height);
  const head = pixelsOf(portraitOf(face), source);
  const size = {
    width: Math.max(2, Math.round(head.width * scale)),
    height: Math.max(2, Math.round(head.height * scale)),
  };
  const cut = await resized(await pictureOf(sharpOf(source).extract(head)), size);
  const middle = { x: (face.x + face.width / 2) * source.width, y: face.y * source.height };
  const left = (place.x + place.width / 2) * body.width - (middle.x - head.left) * scale;
  const top = place.y * body.height - (middle.y - head.top) * scale;
  const result = copyOf(body);
  paste(result, ovalOf(cut), Math.round(left), Math.round(top));
  return result;
}

/** `max_resolution` bounds the longer side. A value that is too small is clamped, not refused (facts.md, Ranges). */
async function clamped(picture: Picture, request: RenderRequest): Promise<Picture> {
  const asked = numberIn(request, 'max_resolution') ?? Number.POSITIVE_INFINITY;
  const longest = Math.max(least, Math.round(asked));
  if (Math.max(picture.width, picture.height) <= longest) return picture;
  return resized(picture, withinPlan(picture, { most: longest, longest }));
}
