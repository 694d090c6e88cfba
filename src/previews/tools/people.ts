// The tools that show a person of one picture in another shape or place: headshots, swapped heads and bodies.
import { longestSideIn, numberIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { enlarged, portraitOf, sourceFaceIn } from '../faces/search.ts';
import { cutOut, layOver, overlayOf } from '../faces/show.ts';
import { ovalOf, paste } from '../pictures/canvas.ts';
import { finished, sizeWithRatio, withinPlan } from '../pictures/output.ts';
import { type Picture, pictureOf, pixelsOf, resized, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

/** Of a headshot, in pixels, before the plan's limit. */
const headshotSize = { width: 1024, height: 1280 };
const headAndShoulders = { beside: 0.8, above: 0.6, below: 1 };

/** ai-headshot-generator: head and shoulders of whoever has the largest face, cropped from the picture. */
export async function renderHeadshot(request: RenderRequest): Promise<RenderOutcome> {
  const source = await sourceFaceIn(requiredInput(request, 'assets.image_file_path'));
  if (!source.ok) return source;
  const { picture, face } = source.value;
  if (face === undefined) return finished(request, picture);
  const crop = pixelsOf(enlarged(face.region, headAndShoulders), picture);
  const size = { ...withinPlan(headshotSize, request), fit: 'cover' } as const;
  return finished(request, await pictureOf(sharpOf(picture).extract(crop).resize(size)));
}

/** head-swap: an oval of the head of one picture, over the head on the body of the other. */
export async function renderHeadSwap(request: RenderRequest): Promise<RenderOutcome> {
  const body = await sourceFaceIn(requiredInput(request, 'assets.body_file_path'));
  if (!body.ok) return body;
  const head = await sourceFaceIn(requiredInput(request, 'assets.head_file_path'));
  if (!head.ok) return head;
  const { picture, face } = body.value;
  const from = head.value.face;
  // A placeholder has no head.
  if (face !== undefined && from !== undefined) {
    const cut = await cutOut(head.value.picture, portraitOf(from.region));
    layOver(picture, await overlayOf(cut, portraitOf(face.region), picture));
  }
  return finished(request, await withinMaxResolution(picture, request));
}

/** Pixels: a smaller output is nothing to look at. */
const minResolution = 96;

/** `max_resolution` bounds the longer side. A value that is too small is clamped, not refused (facts.md, Ranges). */
async function withinMaxResolution(picture: Picture, request: RenderRequest): Promise<Picture> {
  const asked = numberIn(request, 'max_resolution') ?? Number.POSITIVE_INFINITY;
  const longest = Math.max(minResolution, Math.round(asked));
  if (Math.max(picture.width, picture.height) <= longest) return picture;
  return resized(picture, withinPlan(picture, { most: longest, longest }));
}

/** The longest side of a swapped body where the resolution is unknown. */
const usualBodySide = 640;
/** How much of the scene's width and height the person takes at most. */
const bodyShare = 0.7;

/** body-swap: an oval of the person's picture in front of the scene. */
export async function renderBodySwap(request: RenderRequest): Promise<RenderOutcome> {
  const person = await readPicture(requiredInput(request, 'assets.person_file_path'));
  if (!person.ok) return person;
  const scene = await readPicture(requiredInput(request, 'assets.scene_file_path'));
  if (!scene.ok) return scene;
  const ratio = scene.value.width / scene.value.height;
  const size = withinPlan(sizeWithRatio(ratio, longestSideIn(request) ?? usualBodySide), request);
  const room = {
    width: Math.max(1, Math.round(size.width * bodyShare)),
    height: Math.max(1, Math.round(size.height * bodyShare)),
    fit: 'inside',
  } as const;
  const figure = ovalOf(await pictureOf(sharpOf(person.value).resize(room)));
  const filling = { ...size, fit: 'fill' } as const;
  const picture = await pictureOf(sharpOf(scene.value).resize(filling).flatten());
  paste(picture, figure, Math.round((size.width - figure.width) / 2), size.height - figure.height);
  return finished(request, picture);
}
