// Face swap in a photo: each new face, cut out as a soft oval, is laid over the place of the face that it
// replaces: where face detection found that one, else where a face is guessed.
import sharp from 'sharp';
import type { Region } from '../../contract/api/region.ts';
import { ok } from '../../contract/base/result.ts';
import { keep } from '../keep.ts';
import { keyOf } from '../base/key.ts';
import { marked } from '../pictures/mark.ts';
import { layer, type Picture, pictureOf, pixelsOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { guessFace } from './faces.ts';

/** One face to be laid over some places of the target. */
interface Swap {
  readonly face: RenderInput;
  readonly places: readonly Region[];
}

export async function renderFaceSwap(request: RenderRequest): Promise<RenderOutcome> {
  const { tool, inputs } = request;
  const named = new Map(inputs.map((input) => [input.field, input]));
  const target = named.get('assets.target_file_path');
  if (target === undefined) throw new Error('bug: a face swap has a target');
  const base = await readPicture(target);
  if (!base.ok) return base;

  let picture = base.value;
  for (const { face, places } of await swapsOf(named, target, picture)) {
    const source = await readPicture(face);
    if (!source.ok) return source;
    for (const place of places) picture = await withFace(picture, place, source.value, face);
  }
  const stamped = await marked(picture, tool.name, keyOf(request));
  return ok([await keep(stamped, request, '0.png')]);
}

async function swapsOf(
  named: ReadonlyMap<string, RenderInput>,
  target: RenderInput,
  picture: Picture,
): Promise<readonly Swap[]> {
  const found = target.faces.length > 0 ? target.faces : [await guessFace(picture)];
  const mappings: Swap[] = [];
  for (let index = 0; ; index++) {
    const original = named.get(`assets.face_mappings.${index}.original_face`);
    const face = named.get(`assets.face_mappings.${index}.new_face`);
    if (original === undefined || face === undefined) break;
    mappings.push({ face, places: original.face === undefined ? found : [original.face] });
  }
  const face = named.get('assets.source_file_path');
  return mappings.length > 0 || face === undefined ? mappings : [{ face, places: found }];
}

async function withFace(
  picture: Picture,
  place: Region,
  source: Picture,
  { face, faces }: RenderInput,
): Promise<Picture> {
  const { left, top, width, height } = pixelsOf(place, picture);
  // The crop of a detected face is a face from edge to edge.
  const whole = { x: 0, y: 0, width: 1, height: 1 };
  const region = face !== undefined ? whole : (faces[0] ?? (await guessFace(source)));
  const oval = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <radialGradient id="g">
        <stop offset="0.72" stop-color="white"/>
        <stop offset="1" stop-color="white" stop-opacity="0"/>
      </radialGradient>
      <ellipse cx="50%" cy="50%" rx="44%" ry="50%" fill="url(#g)"/>
    </svg>`,
  );
  const cut = await pictureOf(
    sharpOf(source).extract(pixelsOf(region, source)).resize(width, height, { fit: 'cover' }),
  );
  const mask = await pictureOf(sharp(oval));
  const soft = await pictureOf(
    sharpOf(cut).composite([{ ...layer(mask, 0, 0), blend: 'dest-in' }]),
  );
  return pictureOf(sharpOf(picture).composite([layer(soft, left, top)]));
}
