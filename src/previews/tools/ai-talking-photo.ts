// ai-talking-photo: the portrait with a frame around the face that speaks, a running clock, and the voice; as long as the
// voice. A picture in which no face is found gets no frame: it may be a drawing.
import { clipOf } from '../../contract/api/clip.ts';
import { numberIn, requiredInput, sideIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderStill } from '../clips/card-clip.ts';
import { shorterSideFor, sizeWith } from '../clips/size.ts';
import { findFaces } from '../faces/find.ts';
import { frameFace } from '../faces/show.ts';
import { copyOf } from '../pictures/canvas.ts';
import { pictureOf, type Size, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import { openVoice } from '../sound/voice.ts';

const fps = 25;
/** How sure the detector must be of a face: portraits are easy. */
const confidence = 0.4;

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const portrait = await readPicture(requiredInput(request, 'assets.image_file_path'));
  if (!portrait.ok) return portrait;
  const input = requiredInput(request, 'assets.audio_file_path');
  const voice = await openVoice(input, clipOf(request.body));
  if (!voice.ok) return voice;

  const { seconds, sound } = voice.value;
  const size = sizeIn(request, portrait.value);
  const fitting = { ...size, fit: 'cover' } as const;
  const still = copyOf(await pictureOf(sharpOf(portrait.value).flatten().resize(fitting)));
  const [face] = await findFaces(still, confidence);
  if (face !== undefined) frameFace(still, face);
  return renderStill(request, still, { ...size, fps, seconds }, sound);
}

/** facts.md: max_resolution bounds the output. */
function sizeIn(request: RenderRequest, { width, height }: Size): Size {
  const asked = numberIn(request, 'max_resolution') ?? Number.POSITIVE_INFINITY;
  const longest = Math.min(asked, request.longest ?? Number.POSITIVE_INFINITY);
  const side = Math.min(sideIn(request), width, height);
  return sizeWith(width, height, shorterSideFor(width, height, side, longest));
}
