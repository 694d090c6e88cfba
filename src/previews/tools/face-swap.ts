// face-swap: one face laid over all faces of a clip, or chosen faces replaced, frame by frame; its sound stays.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { framesOf, nextOf, withClip } from '../clips/source-clip.ts';
import { choiceOf } from '../faces/clip-mapping.ts';
import { steadied } from '../faces/steady.ts';
import { withFace } from '../faces/swap.ts';
import { followed, type SeenFrame } from '../faces/track.ts';
import type { Picture } from '../pictures/picture.ts';

/** Pixels of the shorter side, at most: a preview of more would take minutes. */
const mostSide = 720;
/** Looks for all faces a second; between them those that are known are followed. */
const looks = 2;

export function renderFaceSwapClip(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, Math.min(request.most, mostSide), async (source) => {
    const { clip, size, fps, seconds, sound } = source;
    const choice = await choiceOf(request);
    if (!choice.ok) return choice;
    const frames = framesOf(source, fps);
    const every = Math.max(1, Math.round(fps / looks));
    // A placeholder of a clip that is elsewhere has no faces.
    const pictures =
      clip.file === undefined ? frames : swapped(steadied(followed(frames, every, choice.value)));
    try {
      return await renderFrames(request, { ...size, fps, seconds }, nextOf(pictures), sound);
    } finally {
      await pictures.return(undefined);
    }
  });
}

/** Paints over the faces that have a mask. */
async function* swapped(frames: AsyncIterable<SeenFrame>): AsyncGenerator<Picture> {
  for await (const { picture, sights } of frames) {
    for (const { presence, landmarks } of sights)
      if (presence.mask !== undefined) withFace(picture, { landmarks }, presence.mask);
    yield picture;
  }
}
