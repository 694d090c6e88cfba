// lip-sync: the clip with another voice, whose loudness opens the mouth of the largest face. Without a face the clip only
// carries the new voice.
import { numberIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderPictures } from '../clips/render-frames.ts';
import { framesOf, withClip } from '../clips/source-clip.ts';
import { mouthOf, openness, paintMouth } from '../faces/mouth.ts';
import { lengthOf } from '../faces/outline.ts';
import { type TrackedFrame, trackFaces } from '../faces/track.ts';
import type { Picture } from '../pictures/picture.ts';
import { type Levels, levelAt } from '../sound/levels.ts';
import { openVoice } from '../sound/voice.ts';

/** Searches for all faces per second; between them the known faces are tracked. */
const searches = 2;

export function render(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, request.most, async (source) => {
    const { clip, size, seconds } = source;
    const input = requiredInput(request, 'assets.audio_file_path');
    const voice = await openVoice(input, { start: 0, end: seconds });
    if (!voice.ok) return voice;
    const cap = numberIn(request, 'max_fps_limit') ?? source.fps;
    const fps = Math.max(1, Math.min(source.fps, cap));
    const frames = framesOf(source, fps);
    const every = Math.max(1, Math.round(fps / searches));
    const tracked = trackFaces(frames, every, async () => undefined);
    // The placeholder of a clip that was not fetched has no faces.
    const pictures = clip.file === undefined ? frames : speaking(tracked, voice.value.levels, fps);
    return renderPictures(request, { ...size, fps, seconds }, pictures, voice.value.sound);
  });
}

async function* speaking(
  frames: AsyncIterable<TrackedFrame>,
  levels: Levels,
  fps: number,
): AsyncGenerator<Picture> {
  let index = 0;
  for await (const { picture, faces } of frames) {
    const [largest] = faces.toSorted((a, b) => lengthOf(b.landmarks) - lengthOf(a.landmarks));
    const mouth = largest && mouthOf(largest.landmarks);
    const level = openness(levelAt(levels, index / fps, 0.07));
    if (mouth !== undefined) paintMouth(picture, mouth, level);
    index += 1;
    yield picture;
  }
}
