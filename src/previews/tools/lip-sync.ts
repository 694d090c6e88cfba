// lip-sync: the clip with another voice, whose loudness opens the mouth of the largest face. Without a face the clip
// carries the new voice only.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { findFaces } from '../faces/find.ts';
import { landmarksIn, uprightSquare } from '../faces/landmarks.ts';
import { faceNets } from '../faces/nets.ts';
import type { Point } from '../faces/point.ts';
import { copyOf } from '../pictures/canvas.ts';
import { type Sight, sightAt, sightsIn } from '../motion/speaker.ts';
import { levelAt } from '../sound/levels.ts';
import { mouthOf, openness, paintMouth } from '../motion/mouth.ts';
import { inputIn, numberIn } from '../base/fields.ts';
import { framesIn, withClip } from '../clips/source-clip.ts';
import { openVoice } from '../sound/voice.ts';

/** Looks for a face a second: heads move slowly. */
const looks = 6;
/** The longer side of the picture that is looked at, in pixels: enough for the face of somebody who speaks. */
const lookedAt = 512;
const confidence = 0.4;

export function renderLipSync(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, request.most, async (source) => {
    const { clip, span, size, seconds } = source;
    const input = inputIn(request, 'assets.audio_file_path');
    if (input === undefined) throw new Error('bug: lip-sync has a sound');
    const voice = await openVoice(input, { start: 0, end: seconds });
    if (!voice.ok) return voice;
    const { levels, sound } = voice.value;
    const cap = numberIn(request, 'max_fps_limit') ?? source.fps;
    const fps = Math.max(1, Math.min(source.fps, cap));
    const scale = Math.min(1, lookedAt / Math.max(size.width, size.height));
    const small = {
      width: Math.round(size.width * scale),
      height: Math.round(size.height * scale),
    };
    const look = async (): Promise<readonly Sight[]> => {
      const nets = await faceNets();
      return sightsIn(clip.frames({ ...span, ...small, fps: looks }), {
        find: (picture) => findFaces(picture, confidence),
        follow: (picture, before) => landmarksIn(picture, uprightSquare(before), nets),
      });
    };
    let sights: readonly Sight[] | undefined;
    const next = framesIn(source, fps);
    return renderFrames(
      request,
      { ...size, fps, seconds },
      async (time) => {
        const frame = await next();
        if (clip.file === undefined) return frame;
        sights ??= await look();
        const sight = sightAt(sights, looks, time);
        const mouth = sight && mouthOf(enlarged(sight, 1 / scale));
        if (mouth !== undefined)
          paintMouth(copyOf(frame), frame, mouth, openness(levelAt(levels, time, 0.07)));
        return frame;
      },
      sound,
    );
  });
}

const enlarged = (points: readonly Point[], scale: number): readonly Point[] =>
  points.map(({ x, y }) => ({ x: x * scale, y: y * scale }));
