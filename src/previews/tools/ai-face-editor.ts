// ai-face-editor: the expression of a photo's largest face, moved by sliders.
import { fieldOf } from '../../contract/base/json.ts';
import type { Picture } from '../pictures/picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { lenderOf } from '../faces/source-face.ts';
import type { Point } from '../faces/point.ts';
import { finished } from '../pictures/output.ts';
import { copyOf } from '../pictures/canvas.ts';
import { eyesOf, paintBlink } from '../real/video/eyes.ts';
import { mouthOf, paintMouth } from '../motion/mouth.ts';
import { inputIn } from '../base/fields.ts';
import { enhanced } from '../real/head/enhanced.ts';
import { gazing } from '../real/head/gaze.ts';
import { reshaped } from '../real/head/reshaped.ts';
import { type Sliders, slidersOf } from '../real/head/sliders.ts';

/** How far eyes close and lips part at the ends of their sliders. */
const mostClosed = 1;
const mostOpen = 0.6;

export async function renderFaceEditor(request: RenderRequest): Promise<RenderOutcome> {
  const input = inputIn(request, 'assets.image_file_path');
  if (input === undefined) throw new Error('bug: ai-face-editor has a picture');
  const lender = await lenderOf(input);
  if (!lender.ok) return lender;
  const { picture, face } = lender.value;
  if (face === undefined) return finished(request, picture);
  const sharper = fieldOf(request.body, 'style.enhance_face') === true;
  const better = sharper ? await enhanced(picture, face.landmarks) : picture;
  return finished(request, edited(better, face.landmarks, slidersOf(request)));
}

/** Eyes and mouth are painted before the head turns, while the landmarks are where the net saw them. */
function edited(picture: Picture, landmarks: readonly Point[], sliders: Sliders): Picture {
  const looking = gazing(picture, landmarks, sliders);
  const painted = copyOf(looking);
  for (const eye of eyesOf(landmarks))
    paintBlink(looking, painted, eye, -sliders.eyes * mostClosed);
  const mouth = mouthOf(landmarks);
  const spoken = copyOf(painted);
  if (mouth !== undefined) paintMouth(painted, spoken, mouth, sliders.lips * mostOpen);
  return reshaped(spoken, landmarks, sliders);
}
