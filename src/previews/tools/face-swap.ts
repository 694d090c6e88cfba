// face-swap: one face laid over all faces of a clip, or chosen faces replaced, frame by frame; its sound stays.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderPictures } from '../clips/render-frames.ts';
import { framesOf, withClip } from '../clips/source-clip.ts';
import { textureChoiceFor } from '../faces/clip-mapping.ts';
import { withFace } from '../faces/swap.ts';
import { type TrackedFrame, trackFaces } from '../faces/track.ts';
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
