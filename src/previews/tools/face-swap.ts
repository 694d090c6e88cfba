// face-swap: one face laid over all faces of a clip, or chosen faces replaced; its sound stays.

import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { inputIn, mappingsIn, textIn } from '../base/fields.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderChanged, withClip } from '../clips/source-clip.ts';
import type { Face } from '../faces/find.ts';
import { describeFace, descriptorDistance, samePersonAgain } from '../faces/match.ts';
import { facesOver, type SourceFace, sourceFaceIn } from '../faces/search.ts';
import { cutOut, layOver, type Overlay, overlayOf } from '../faces/show.ts';
import type { Picture } from '../pictures/picture.ts';

/** Pixels of the shorter side, at most: a preview of more would take minutes. */
const maxSide = 720;

export function renderFaceSwap(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, Math.min(request.most, maxSide), async (source) => {
    const newFaceOf = await newFacesFor(request);
    if (!newFaceOf.ok) return newFaceOf;
    const overlaysAt = await facesOver(source, async (picture, faces) => {
      const overlays: Overlay[] = [];
      for (const face of faces) {
        const cut = await newFaceOf.value(picture, face);
        if (cut !== undefined) overlays.push(await overlayOf(cut, face.region, picture));
      }
      return overlays;
    });
    return renderChanged(request, source, source.fps, (frame, time) => {
      for (const overlay of overlaysAt(time) ?? []) layOver(frame, overlay);
    });
  });
}

// Which new face each person of a clip gets: all the same one, or by the request's mappings.

/** The new face for a face of the clip; undefined: it stays. */
type NewFaceChoice = (picture: Picture, face: Face) => Promise<Picture | undefined>;

async function newFacesFor(request: RenderRequest): Promise<Result<NewFaceChoice, ProjectError>> {
  const newFace = inputIn(request, 'assets.image_file_path');
  const mode = textIn(request, 'assets.face_swap_mode');
  const mappings = mappingsIn(request);
  if (newFace === undefined || (mode === 'individual-faces' && mappings.length > 0))
    return mapped(mappings);
  const cut = await cutFaceOf(newFace);
  return cut.ok ? ok(() => Promise.resolve(cut.value)) : cut;
}

interface MappedFace {
  /** The descriptor of the original; undefined: its picture was not fetched. */
  readonly who: Float32Array | undefined;
  readonly cut: Picture;
}

async function mapped(
  mappings: ReturnType<typeof mappingsIn>,
): Promise<Result<NewFaceChoice, ProjectError>> {
  const people: MappedFace[] = [];
  for (const { original, newFace } of mappings) {
    const source = await faceOf(original);
    if (!source.ok) return source;
    const cut = await cutFaceOf(newFace);
    if (!cut.ok) return cut;
    const { picture, face } = source.value;
    people.push({ who: face && (await describeFace(picture, face)), cut: cut.value });
  }
  return ok(async (picture, face) => {
    const descriptor = await describeFace(picture, face);
    let least = samePersonAgain;
    // A person who matches no descriptor may be the one whose picture was not fetched.
    let cut = people.find(({ who }) => who === undefined)?.cut;
    for (const one of people) {
      const distance = one.who === undefined ? least : descriptorDistance(one.who, descriptor);
      if (distance < least) [least, cut] = [distance, one.cut];
    }
    return cut;
  });
}

async function cutFaceOf(newFace: RenderInput): Promise<Result<Picture, ProjectError>> {
  const source = await faceOf(newFace);
  if (!source.ok) return source;
  return ok(await cutOut(source.value.picture, source.value.face?.region));
}

/** The error codes of clips (interface.md, Events) include none for a missing face. */
async function faceOf(input: RenderInput): Promise<Result<SourceFace, ProjectError>> {
  const source = await sourceFaceIn(input);
  if (source.ok || source.error.code !== 'no_source_face') return source;
  return err({ code: 'invalid_parameters', message: source.error.message });
}
