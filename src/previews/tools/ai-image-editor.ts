// ai-image-editor: the first picture, changed as the words of the prompt say, with the others in its corner and the
// prompt below. What needs to be understood ("remove the sign") is not done; the picture is then graded a little.
import { fieldOf } from '../../contract/base/json.ts';
import type { CardSize } from '../pictures/card.ts';
import { insetSide, withInsets } from '../insets.ts';
import { type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { captioned } from '../real/photo/caption.ts';
import { allFinished } from '../pictures/output.ts';
import { graded } from '../real/photo/grade.ts';
import { lotsOf } from '../real/photo/lot.ts';
import { shapeOf, sideOf, sizeOf } from '../pictures/output-size.ts';
import { scene } from '../real/photo/scene.ts';
import { inManner } from '../real/photo/treatment.ts';

/** The longest side of a drawing where the request names no picture. */
const usualSide = 1024;

export async function renderImageEditor(request: RenderRequest): Promise<RenderOutcome> {
  const { body } = request;
  const prompt = `${fieldOf(body, 'style.prompt') ?? ''}`;
  const pictures: Picture[] = [];
  for (const input of request.inputs.filter(({ media }) => media === 'image')) {
    const [first] = pictures;
    const picture = await readPicture(input, first === undefined ? undefined : insetSide(first));
    if (!picture.ok) return picture;
    pictures.push(picture.value);
  }
  const [first, ...others] = pictures;
  return allFinished(request, async (index) => {
    const chance = lotsOf(request, index);
    const size = sizeFor(request, first);
    const base =
      first === undefined ? await scene(prompt, size, chance) : await covering(first, size);
    const edited = await inManner(await graded(base, prompt, chance), prompt);
    return captioned(await withInsets(edited, others), prompt);
  });
}

/** `auto` and nothing mean the first picture's own shape and size. */
function sizeFor({ body, most }: RenderRequest, first: Picture | undefined): CardSize {
  const own = first ?? { width: usualSide, height: usualSide };
  const shape = shapeOf(body) ?? own.width / own.height;
  const side = sideOf(fieldOf(body, 'resolution')) ?? Math.max(own.width, own.height);
  return sizeOf(shape, side, most);
}

function covering(picture: Picture, size: CardSize): Promise<Picture> {
  return pictureOf(sharpOf(picture).resize({ ...size, fit: 'cover', position: 'attention' }));
}
