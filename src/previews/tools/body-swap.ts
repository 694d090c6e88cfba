// body-swap: the person of one picture in the scene of another: in the place of who stands there, where a face says
// that somebody does, else at the bottom of the middle third. The scene's light colours who comes in.
import sharp from 'sharp';
import { fieldOf } from '../../contract/base/json.ts';
import { layer, type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { cropped } from '../real/photo/cropped.ts';
import { emptied } from '../real/photo/emptied.ts';
import { type Box, figureOf, outlineOf } from '../real/photo/figure.ts';
import { finished, inputOf, pictureAt } from '../pictures/output.ts';
import { largestOf } from '../real/photo/headshot.ts';
import { largestPerson } from '../real/photo/largest-person.ts';
import { matched } from '../real/photo/matched.ts';
import { sideOf, sizeOf } from '../pictures/output-size.ts';

const personField = 'assets.person_file_path';
const sceneField = 'assets.scene_file_path';
/** The longest side where the resolution is none that is known. */
const usualSide = 640;
/** How high a person stands in a scene where nobody else does, of its height. */
const standing = 0.74;

export async function renderBodySwap(request: RenderRequest): Promise<RenderOutcome> {
  const person = await pictureAt(request, personField);
  if (!person.ok) return person;
  const given = await pictureAt(request, sceneField);
  if (!given.ok) return given;
  const side = sideOf(fieldOf(request.body, 'resolution')) ?? usualSide;
  const size = sizeOf(given.value.width / given.value.height, side, request.most);
  const scene = await pictureOf(
    sharpOf(given.value)
      .resize({ ...size, fit: 'fill' })
      .flatten(),
  );

  const subject = await largestPerson(person.value, inputOf(request, personField)?.faces ?? []);
  const outline = outlineOf(subject);
  const figure = await cropped(subject, outline);
  const cutOff = outline.top + outline.height > subject.height * 0.97;
  const faces = inputOf(request, sceneField)?.faces ?? [];
  const face = largestOf(faces);
  if (face === undefined) {
    const place = freePlace(figure, scene, cutOff);
    return finished(request, await placed(scene, figure, place, !cutOff));
  }
  const others = await largestPerson(scene, faces);
  const own = figureOf(others, face);
  const place = inPlaceOf(own.head, own.whole, figure, scene);
  return finished(request, await placed(emptied(scene, others), figure, place, false));
}

/** At the bottom of the middle third; who was cut off by the picture's edge stays cut off by this one. */
function freePlace(figure: Picture, scene: Picture, cutOff: boolean): Box {
  const scale = Math.min(
    (scene.height * standing) / figure.height,
    (scene.width * 0.6) / figure.width,
  );
  const [width, height] = [figure.width * scale, figure.height * scale];
  const bottom = cutOff ? scene.height : scene.height * 0.95;
  return { left: (scene.width - width) / 2, top: bottom - height, width, height };
}

/** As high as who stood there, from the top of that head down. */
function inPlaceOf(head: Box, whole: Box, figure: Picture, scene: Picture): Box {
  const bottom = Math.min(scene.height, whole.top + whole.height);
  const top = Math.max(0, head.top - head.height * 0.1);
  const height = Math.max(scene.height * 0.2, bottom - top);
  const width = (height * figure.width) / figure.height;
  const middle = head.left + head.width / 2;
  return { left: middle - width / 2, top: bottom - height, width, height };
}

async function placed(
  scene: Picture,
  figure: Picture,
  place: Box,
  stands: boolean,
): Promise<Picture> {
  const width = Math.max(1, Math.round(place.width));
  const height = Math.max(1, Math.round(place.height));
  const sized = await pictureOf(sharpOf(figure).resize(width, height, { fit: 'fill' }));
  const lit = matched(sized, scene);
  const inFrame = await cropped(lit, {
    left: -Math.round(place.left),
    top: -Math.round(place.top),
    width: scene.width,
    height: scene.height,
  });
  const shadow = stands ? [layer(await shadowOf(scene, place), 0, 0)] : [];
  return pictureOf(sharpOf(scene).composite([...shadow, layer(inFrame, 0, 0)]));
}

/** What feet throw on the ground right below them. */
function shadowOf({ width, height }: Picture, place: Box): Promise<Picture> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <filter id="f"><feGaussianBlur stdDeviation="${place.height * 0.012}"/></filter>
    <ellipse cx="${place.left + place.width / 2}" cy="${place.top + place.height * 0.99}" rx="${place.width * 0.42}"
      ry="${place.height * 0.025}" opacity=".5" filter="url(#f)"/></svg>`;
  return pictureOf(sharp(Buffer.from(svg)));
}
