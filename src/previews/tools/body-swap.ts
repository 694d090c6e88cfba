// body-swap: the person of one picture, cut out and pasted into the scene of another: over whoever has the largest face
// there, face on face, else at the bottom of the middle.
import type { Region } from '../../contract/api/region.ts';
import { longestSideIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { cutOut, type Figure, largestFace } from '../matte/cut-out.ts';
import { copyOf, paste } from '../pictures/canvas.ts';
import { finished, withinPlan } from '../pictures/output.ts';
import { type Picture, pictureOf, resized, type Size, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { sizeWithRatio } from '../pictures/request-card.ts';

/** The longest side where the resolution is unknown. */
const usualSide = 640;
/** How high a person stands in a scene without a face, of its height. */
const standing = 0.74;

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const from = requiredInput(request, 'assets.person_file_path');
  const person = await readPicture(from);
  if (!person.ok) return person;
  const into = requiredInput(request, 'assets.scene_file_path');
  const given = await readPicture(into);
  if (!given.ok) return given;
  const { width, height } = given.value;
  const size = sizeWithRatio(width / height, longestSideIn(request) ?? usualSide);
  const fitting = { ...withinPlan(size, request), fit: 'fill' } as const;
  const scene = copyOf(await pictureOf(sharpOf(given.value).resize(fitting).flatten()));
  const [[own], [other]] = [largestFace(from.faces), largestFace(into.faces)];
  const figure = await cutOut(person.value, largestFace(from.faces));
  const place =
    own === undefined || other === undefined
      ? standingIn(scene, figure)
      : faceOnFace(scene, other, figure.picture, own);
  const scaled = await resized(figure.picture, {
    width: Math.max(2, Math.round(figure.picture.width * place.scale)),
    height: Math.max(2, Math.round(figure.picture.height * place.scale)),
  });
  paste(scene, scaled, Math.round(place.left), Math.round(place.top));
  return finished(request, scene);
}

/** Where the upper left corner of the person's picture goes, and how many pixels each of its pixels takes. */
interface Place {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

function faceOnFace(scene: Size, other: Region, person: Size, own: Region): Place {
  const scale = (other.height * scene.height) / (own.height * person.height);
  return {
    scale,
    left:
      (other.x + other.width / 2) * scene.width - (own.x + own.width / 2) * person.width * scale,
    top: other.y * scene.height - own.y * person.height * scale,
  };
}

function standingIn(scene: Picture, { box }: Figure): Place {
  const scale = Math.min((scene.height * standing) / box.height, (scene.width * 0.6) / box.width);
  return {
    scale,
    left: scene.width / 2 - box.x * scale,
    top: scene.height - (box.y + box.height / 2) * scale,
  };
}
