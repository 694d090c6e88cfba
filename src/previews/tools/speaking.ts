// The tools that make a face speak: the picture or the clip as it is, with the voice, and a frame around the face that speaks.
import { clipOf } from '../../contract/api/clip.ts';
import { numberIn, requiredInput, sideIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderStill, sizeWith } from '../clips/output.ts';
import { openVoice } from '../clips/sound.ts';
import { renderChanged, withClip } from '../clips/source-clip.ts';
import { type Face, findFaces } from '../faces/find.ts';
import { facesOver } from '../faces/search.ts';
import { frameFace } from '../faces/show.ts';
import { pictureOf, type Size, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';

/** lip-sync: the frame follows the face that was the largest at first. Without a face the clip only carries the voice. */
export function renderLipSync(request: RenderRequest): Promise<RenderOutcome> {
  return withClip(request, request.most, async (source) => {
    const input = requiredInput(request, 'assets.audio_file_path');
    const voice = await openVoice(input, { start: 0, end: source.seconds });
    if (!voice.ok) return voice;
    const cap = numberIn(request, 'max_fps_limit') ?? source.fps;
    const fps = Math.max(1, Math.min(source.fps, cap));
    let speaker: Face | undefined;
    const speakerAt = await facesOver(source, async (_, faces) => {
      speaker = sameFace(speaker, faces) ?? speaker;
      return speaker;
    });
    return renderChanged(request, { ...source, sound: voice.value.sound }, fps, (frame, time) => {
      const face = speakerAt(time);
      if (face !== undefined) frameFace(frame, face);
    });
  });
}

/** The face that is where the speaker was at the last look; the largest, if nobody spoke yet. */
function sameFace(last: Face | undefined, faces: readonly Face[]): Face | undefined {
  if (last === undefined) return faces[0];
  const { x, y, width } = last.region;
  return faces.find(({ region }) => Math.hypot(region.x - x, region.y - y) < width);
}

/** Frames per second of a talking photo. */
const photoFps = 25;
/** How sure the detector must be of a face: portraits are easy. */
const confidence = 0.4;

/**
 * ai-talking-photo: the portrait with a running clock, as long as the voice. A picture in which no face is found gets no
 * frame: it may be a drawing.
 */
export async function renderTalkingPhoto(request: RenderRequest): Promise<RenderOutcome> {
  const portrait = await readPicture(requiredInput(request, 'assets.image_file_path'));
  if (!portrait.ok) return portrait;
  const input = requiredInput(request, 'assets.audio_file_path');
  const voice = await openVoice(input, clipOf(request.body));
  if (!voice.ok) return voice;

  const { seconds, sound } = voice.value;
  const size = sizeIn(request, portrait.value);
  const fitting = { ...size, fit: 'cover' } as const;
  const still = await pictureOf(sharpOf(portrait.value).flatten().resize(fitting));
  const [face] = await findFaces(still, confidence);
  if (face !== undefined) frameFace(still, face);
  return renderStill(request, still, { ...size, fps: photoFps, seconds }, sound);
}

/** facts.md: max_resolution bounds the output. */
function sizeIn(request: RenderRequest, { width, height }: Size): Size {
  const asked = numberIn(request, 'max_resolution') ?? Number.POSITIVE_INFINITY;
  const longest = Math.min(asked, request.longest ?? Number.POSITIVE_INFINITY);
  const side = Math.min(sideIn(request), width, height);
  return sizeWith(width, height, side, longest);
}
