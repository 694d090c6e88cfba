// body-swap: an oval of the person's picture in front of the scene.
import { longestSideIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { ovalOf } from '../pictures/canvas.ts';
import { finished, withinPlan } from '../pictures/output.ts';
import { layer, pictureOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { sizeWithRatio } from '../pictures/request-card.ts';

/** The longest side where the resolution is unknown. */
const usualSide = 640;
/** How much of the scene's width and height the person takes at most. */
const share = 0.7;

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const person = await readPicture(requiredInput(request, 'assets.person_file_path'));
  if (!person.ok) return person;
  const scene = await readPicture(requiredInput(request, 'assets.scene_file_path'));
  if (!scene.ok) return scene;
  const ratio = scene.value.width / scene.value.height;
  const size = withinPlan(sizeWithRatio(ratio, longestSideIn(request) ?? usualSide), request);
  const room = {
    width: Math.max(1, Math.round(size.width * share)),
    height: Math.max(1, Math.round(size.height * share)),
  };
  const figure = ovalOf(await pictureOf(sharpOf(person.value).resize({ ...room, fit: 'inside' })));
  const background = await pictureOf(
    sharpOf(scene.value)
      .resize({ ...size, fit: 'fill' })
      .flatten(),
  );
  const left = Math.round((size.width - figure.width) / 2);
  const placed = layer(figure, left, size.height - figure.height);
  return finished(request, await pictureOf(sharpOf(background).composite([placed])));
}
