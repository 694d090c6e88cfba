// ai-talking-photo: the face of the portrait speaks what is heard: its mouth opens as loud as that is, its eyes blink,
// its head sways. A picture in which no face is found only sways: it may be a drawing.
import { clipOf } from '../../contract/api/clip.ts';
import type { Picture } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderFrames } from '../clips/render-frames.ts';
import { shorterSideFor, sizeWith } from '../clips/size.ts';
import { findFaces } from '../faces/find.ts';
import { seen, stillFor } from '../real/video/camera.ts';
import { copyOf, type FrameSize } from '../pictures/canvas.ts';
import { blinkAt, eyesOf, paintBlink } from '../real/video/eyes.ts';
import { levelAt } from '../sound/levels.ts';
import { mouthOf, openness, paintMouth } from '../motion/mouth.ts';
import { inputIn, numberIn, sideIn, textIn } from '../base/fields.ts';
import { pictureIn } from '../real/video/setting.ts';
import { headOf, leanAt, paintLean } from '../real/video/sway.ts';
import { openVoice } from '../sound/voice.ts';

const fps = 25;
/** How sure the finder must be of a face: portraits are easy. */
const confidence = 0.4;

export async function renderTalkingPhoto(request: RenderRequest): Promise<RenderOutcome> {
  const portrait = await pictureIn(request, 'assets.image_file_path');
  if (!portrait.ok) return portrait;
  const input = inputIn(request, 'assets.audio_file_path');
  if (portrait.value === undefined || input === undefined)
    throw new Error('bug: a talking photo has a picture and a sound');
  const voice = await openVoice(input, clipOf(request.body));
  if (!voice.ok) return voice;

  const { levels, seconds, sound } = voice.value;
  const size = sizeIn(request, portrait.value);
  const still = await stillFor(portrait.value, size);
  const speaker = await speakerIn(still, request.seed, strengthIn(request));
  return renderFrames(
    request,
    { ...size, fps, seconds },
    (time) => {
      const level = openness(levelAt(levels, time, 0.07));
      const calm = levelAt(levels, time, 0.5);
      const view = { zoom: 1.03 + 0.02 * (time / seconds), x: 0, y: 0, turn: 0 };
      return seen(speaker(time, level, calm), view, size);
    },
    sound,
  );
}

/** The picture of a time: `level` opens the mouth, `calm` moves the head. */
type Speaker = (time: number, level: number, calm: number) => Picture;

async function speakerIn(still: Picture, seed: number, strength: number): Promise<Speaker> {
  const [face] = await findFaces(still, confidence);
  const mouth = face && mouthOf(face.landmarks);
  const whole = {
    middle: { x: still.width / 2, y: still.height / 2 },
    neck: { x: still.width / 2, y: still.height },
    reach: Math.max(still.width, still.height) * 0.75,
  };
  const head = face === undefined ? whole : headOf(face.landmarks);
  const eyes = face === undefined ? [] : eyesOf(face.landmarks);
  return (time, level, calm) => {
    const speaking = copyOf(still);
    if (mouth !== undefined) paintMouth(still, speaking, mouth, level);
    for (const eye of eyes) paintBlink(still, speaking, eye, blinkAt(time, seed));
    const leaning = copyOf(speaking);
    paintLean(speaking, leaning, head, leanAt(time, calm, head, strength));
    return leaning;
  };
}

/** facts.md: max_resolution bounds the output. */
function sizeIn(request: RenderRequest, { width, height }: FrameSize): FrameSize {
  const bound = numberIn(request, 'max_resolution');
  const side = shorterSideFor(
    width,
    height,
    Math.min(sideIn(request), width, height),
    request.longest,
  );
  const shorter =
    bound === undefined ? side : (bound * Math.min(width, height)) / Math.max(width, height);
  return sizeWith(width, height, Math.min(side, shorter));
}

/** How much the head moves. */
function strengthIn(request: RenderRequest): number {
  const modes: Readonly<Record<string, number>> = { expressive: 1.6, stable: 0.5 };
  const intensity = numberIn(request, 'style.intensity') ?? 1;
  return (
    (modes[textIn(request, 'style.generation_mode')] ?? 1) * Math.min(2, Math.max(0, intensity))
  );
}
