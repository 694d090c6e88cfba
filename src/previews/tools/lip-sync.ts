// lip-sync: the clip with another voice, and a frame around the face that is to speak: the largest at first. Without a face the clip
// only carries the new voice.
import { numberIn, requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderChanged, withClip } from '../clips/source-clip.ts';
import { facesOver } from '../faces/clip-faces.ts';
import type { Face } from '../faces/find.ts';
import { frameFace } from '../faces/show.ts';
import { openVoice } from '../sound/voice.ts';

export function render(request: RenderRequest): Promise<RenderOutcome> {
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
