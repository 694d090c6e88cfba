// face-swap: one face laid over all faces of a clip, or chosen faces replaced, frame by frame; its sound stays.

import type { ProjectError } from '../../contract/api/project.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import { inputIn, mappingsIn, textIn } from '../base/fields.ts';
import type { RenderInput, RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderPictures } from '../clips/render-frames.ts';
import { framesOf, withClip } from '../clips/source-clip.ts';
import { type FaceTexture, faceTextureOf } from '../faces/face-texture.ts';
import { describeFace } from '../faces/find.ts';
import { descriptorDistance, samePersonAgain } from '../faces/match.ts';
import { type SourceFace, sourceFaceIn } from '../faces/source-face.ts';
import { withFace } from '../faces/swap.ts';
import { type TextureChoice, type TrackedFrame, trackFaces } from '../faces/track.ts';
import type { Picture } from '../pictures/picture.ts';

/** Pixels of the shorter side, at most: a preview of more would take minutes. */
const mostSide = 720;
/** Searches for all faces per second; between them the known faces are tracked. */
const searches = 2;

export function render(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, Math.min(request.most, mostSide), async (source) => {
    const { clip, size, fps, seconds, sound } = source;
    const choice = await textureChoiceFor(request);
    if (!choice.ok) return choice;
    const frames = framesOf(source, fps);
    const every = Math.max(1, Math.round(fps / searches));
    // The placeholder of a clip that was not fetched has no faces.
    const pictures =
      clip.file === undefined ? frames : swapped(trackFaces(frames, every, choice.value));
    return renderPictures(request, { ...size, fps, seconds }, pictures, sound);
  });
}

/** Paints over the faces that have a texture. */
async function* swapped(frames: AsyncIterable<TrackedFrame>): AsyncGenerator<Picture> {
  for await (const { picture, faces } of frames) {
    for (const { track, landmarks } of faces)
      if (track.texture !== undefined) withFace(picture, { landmarks }, track.texture);
    yield picture;
  }
}

// Which new face each person of a clip gets: all the same one, or by the request's mappings.

async function textureChoiceFor(
  request: RenderRequest,
): Promise<Result<TextureChoice, ProjectError>> {
  const newFace = inputIn(request, 'assets.image_file_path');
  const mode = textIn(request, 'assets.face_swap_mode');
  const mappings = mappingsIn(request);
  if (newFace === undefined || (mode === 'individual-faces' && mappings.length > 0))
    return chosen(mappings);
  const texture = await textureOf(newFace);
  return texture.ok ? ok(() => Promise.resolve(texture.value)) : texture;
}

interface MappedFace {
  /** The descriptor of the original; undefined: its picture was not fetched. */
  readonly who: Float32Array | undefined;
  readonly texture: FaceTexture | undefined;
}

async function chosen(
  mappings: ReturnType<typeof mappingsIn>,
): Promise<Result<TextureChoice, ProjectError>> {
  const mapped: MappedFace[] = [];
  for (const { original, newFace } of mappings) {
    const source = await faceOf(original);
    if (!source.ok) return source;
    const texture = await textureOf(newFace);
    if (!texture.ok) return texture;
    const { picture, face } = source.value;
    const who = face === undefined ? undefined : await describeFace(picture, face);
    mapped.push({ who, texture: texture.value });
  }
  return ok(async (picture, face) => {
    const descriptor = await describeFace(picture, face);
    let least = samePersonAgain;
    // A person who matches no descriptor may be the one whose picture was not fetched.
    let texture = mapped.find(({ who }) => who === undefined)?.texture;
    for (const one of mapped) {
      const distance = one.who === undefined ? least : descriptorDistance(one.who, descriptor);
      if (distance < least) [least, texture] = [distance, one.texture];
    }
    return texture;
  });
}

async function textureOf(
  newFace: RenderInput,
): Promise<Result<FaceTexture | undefined, ProjectError>> {
  const source = await faceOf(newFace);
  if (!source.ok) return source;
  const { picture, face } = source.value;
  return ok(face === undefined ? undefined : faceTextureOf(picture, face));
}

/** The error codes of clips (interface.md, Events) include none for a missing face. */
async function faceOf(input: RenderInput): Promise<Result<SourceFace, ProjectError>> {
  const source = await sourceFaceIn(input);
  if (source.ok || source.error.code !== 'no_source_face') return source;
  return err({ code: 'invalid_parameters', message: source.error.message });
}
