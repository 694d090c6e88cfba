// face-swap-photo: one face laid over all faces of a photo, or chosen faces replaced, and nothing else changed.

import type { ProjectError } from '../../contract/api/project.ts';
import type { Region } from '../../contract/api/region.ts';
import { fieldOf } from '../../contract/base/json.ts';
import { ok, type Result } from '../../contract/base/result.ts';
import { withInsets } from '../insets.ts';
import { keep } from '../keep.ts';
import { keyOf } from '../base/key.ts';
import { marked } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';
import { isCard, readPicture } from '../pictures/read-picture.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { describeFace, type Face, faceWithin, findFaces } from '../faces/find.ts';
import { believedFace, lenderOf, noFaceIn, sureFace } from '../faces/source-face.ts';
import { likenessOf } from '../faces/face-texture.ts';
import { faceAt, faceLike } from '../faces/match.ts';
import { withFace } from '../faces/swap.ts';

/** A picture whose face goes over some faces of the target. */
interface Swap {
  readonly giver: RenderInput;
  readonly faces: readonly Face[];
}

interface Scene {
  readonly target: RenderInput;
  readonly picture: Picture;
  /** All that may be faces. */
  readonly faces: readonly Face[];
}

export async function renderFaceSwapPhoto(request: RenderRequest): Promise<RenderOutcome> {
  const { tool, inputs } = request;
  const named = new Map(inputs.map((input) => [input.field, input]));
  const target = named.get('assets.target_file_path');
  if (target === undefined) throw new Error('bug: a face swap has a target');
  const read = await readPicture(target);
  if (!read.ok) return read;
  const picture = read.value;
  if (await isCard(target)) return finished(picture);
  const faces = await findFaces(picture, believedFace);
  const swaps = await swapsOf(request, named, { target, picture, faces });
  if (!swaps.ok) return swaps;

  // All faces are read before the first is laid, so that a bad one spoils no work.
  const laid: (() => void)[] = [];
  const cards: Picture[] = [];
  for (const { giver, faces } of swaps.value) {
    const lender = await lenderOf(giver);
    if (!lender.ok) return lender;
    const { picture: lent, face } = lender.value;
    if (face === undefined) cards.push(lent);
    else {
      const likeness = likenessOf(lent, face);
      for (const place of faces) laid.push(() => withFace(picture, place, likeness));
    }
  }
  for (const lay of laid) lay();
  // A face that is not here is seen to have been named.
  return finished(await withInsets(picture, cards));

  async function finished(whole: Picture): Promise<RenderOutcome> {
    return ok([await keep(await marked(whole, tool.name, keyOf(request)), request, '0.png')]);
  }
}

async function swapsOf(
  { body }: RenderRequest,
  named: ReadonlyMap<string, RenderInput>,
  scene: Scene,
): Promise<Result<readonly Swap[], ProjectError>> {
  const giver = named.get('assets.source_file_path');
  const mode = fieldOf(body, 'assets.face_swap_mode');
  const mappings = mappingsIn(named);
  if (giver !== undefined && (mode === 'all-faces' || mappings.length === 0)) {
    const { target, faces } = scene;
    const detected = new Set(target.faces.map((region) => faceAt(region, faces)));
    const all = faces.filter((face) => face.score >= sureFace || detected.has(face));
    return all.length === 0 ? noFaceIn(target) : ok([{ giver, faces: all }]);
  }
  const swaps: Swap[] = [];
  const taken = new Set<Face>();
  for (const { original, giver } of mappings) {
    const free = scene.faces.filter((face) => !taken.has(face));
    const face = await meantBy(original, { ...scene, faces: free });
    if (!face.ok) return face;
    if (face.value === undefined) continue;
    taken.add(face.value);
    swaps.push({ giver, faces: [face.value] });
  }
  return swaps.length === 0 ? noFaceIn(scene.target) : ok(swaps);
}

/** The pairs of `assets.face_mappings`. */
export function mappingsIn(named: ReadonlyMap<string, RenderInput>) {
  const mappings: { readonly original: RenderInput; readonly giver: RenderInput }[] = [];
  for (let index = 0; ; index++) {
    const original = named.get(`assets.face_mappings.${index}.original_face`);
    const giver = named.get(`assets.face_mappings.${index}.new_face`);
    if (original === undefined || giver === undefined) return mappings;
    mappings.push({ original, giver });
  }
}

/** The face of the target that a mapping's original is; undefined when it is not there. */
async function meantBy(
  original: RenderInput,
  { target, picture, faces }: Scene,
): Promise<Result<Face | undefined, ProjectError>> {
  const { face: place } = original;
  // Detection looked at this very picture, and has it by that place: no look at the crop is needed.
  const known = (region: Region) => JSON.stringify(region) === JSON.stringify(place);
  if (place !== undefined && target.faces.some(known))
    return ok(faceAt(place, faces) ?? (await faceWithin(picture, place, 0)));
  const lender = await lenderOf(original);
  if (!lender.ok) return lender;
  const { picture: crop, face } = lender.value;
  // Whose face it is that is not here nobody knows: the first that is left.
  if (face === undefined) return ok(faces[0]);
  return ok(await faceLike(await describeFace(crop, face), picture, faces));
}
