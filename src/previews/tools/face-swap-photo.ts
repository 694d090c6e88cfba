// face-swap-photo: one face laid over all faces of a photo, or chosen faces replaced, and nothing else changed. A new face
// that was not fetched is seen as its placeholder.

import { ok, type Result } from '../../base/result.ts';
import type { Region } from '../../contract/api/asset.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { inputIn, mappingsIn, requiredInput, textIn } from '../base/fields.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { type Face, findFaces } from '../faces/find.ts';
import { describeFace, faceAt, faceLike } from '../faces/match.ts';
import { believedFace, noFaceIn, sourceFaceIn, sureFace } from '../faces/search.ts';
import { cutOut, layOver, overlayOf } from '../faces/show.ts';
import { finished } from '../pictures/output.ts';
import type { Picture } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

/** A picture whose face goes over some faces of the target. */
interface Swap {
  readonly newFace: RenderInput;
  readonly faces: readonly Face[];
}

interface Scene {
  readonly target: RenderInput;
  readonly picture: Picture;
  /** All that may be faces. */
  readonly faces: readonly Face[];
}

export async function renderFaceSwapPhoto(request: RenderRequest): Promise<RenderOutcome> {
  const target = requiredInput(request, 'assets.target_file_path');
  const read = await readPicture(target);
  if (!read.ok) return read;
  const picture = read.value;
  if (picture.isPlaceholder) return finished(request, picture);
  const faces = await findFaces(picture, believedFace);
  const swaps = await swapsOf(request, { target, picture, faces });
  if (!swaps.ok) return swaps;
  for (const { newFace, faces } of swaps.value) {
    const source = await sourceFaceIn(newFace);
    if (!source.ok) return source;
    const cut = await cutOut(source.value.picture, source.value.face?.region);
    for (const { region } of faces) layOver(picture, await overlayOf(cut, region, picture));
  }
  return finished(request, picture);
}

async function swapsOf(
  request: RenderRequest,
  scene: Scene,
): Promise<Result<readonly Swap[], ProjectError>> {
  const newFace = inputIn(request, 'assets.source_file_path');
  const mode = textIn(request, 'assets.face_swap_mode');
  const mappings = mappingsIn(request);
  if (newFace !== undefined && (mode === 'all-faces' || mappings.length === 0)) {
    const { target, faces } = scene;
    const detected = new Set(target.faces.map((region) => faceAt(region, faces)));
    const all = faces.filter((face) => face.score >= sureFace || detected.has(face));
    return all.length === 0 ? noFaceIn(target) : ok([{ newFace, faces: all }]);
  }
  const swaps: Swap[] = [];
  const taken = new Set<Face>();
  for (const { original, newFace } of mappings) {
    const free = scene.faces.filter((face) => !taken.has(face));
    const face = await meantBy(original, { ...scene, faces: free });
    if (!face.ok) return face;
    if (face.value === undefined) continue;
    taken.add(face.value);
    swaps.push({ newFace, faces: [face.value] });
  }
  return swaps.length === 0 ? noFaceIn(scene.target) : ok(swaps);
}

/** The face of the target that a mapping's original is; undefined when it is not there. */
async function meantBy(
  original: RenderInput,
  { target, picture, faces }: Scene,
): Promise<Result<Face | undefined, ProjectError>> {
  const { face: place } = original;
  // Face detection found it in this very picture, so the crop need not be searched.
  const known = (region: Region) => JSON.stringify(region) === JSON.stringify(place);
  if (place !== undefined && target.faces.some(known))
    return ok(faceAt(place, faces) ?? { region: place, score: 0 });
  const source = await sourceFaceIn(original);
  if (!source.ok) return source;
  const { picture: crop, face } = source.value;
  // The original was not fetched, so nobody can tell whose face it is: the first that is left.
  if (face === undefined) return ok(faces[0]);
  return ok(await faceLike(await describeFace(crop, face), picture, faces));
}
