// ai-image-generator: a scene drawn from the prompt's words, in the manner that they name, with the prompt below it.
import { fieldOf } from '../../contract/base/json.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { captioned } from '../real/photo/caption.ts';
import { allFinished } from '../pictures/output.ts';
import { lotsOf } from '../real/photo/lot.ts';
import { shapeOf, sideOf, sizeOf } from '../pictures/output-size.ts';
import { scene } from '../real/photo/scene.ts';
import { inManner } from '../real/photo/treatment.ts';

/** Where the request says neither. */
const usualSide = 1024;

export function renderImageGenerator(request: RenderRequest): Promise<RenderOutcome> {
  const { body, most } = request;
  const prompt = `${fieldOf(body, 'style.prompt') ?? ''}`;
  const side = sideOf(fieldOf(body, 'resolution')) ?? usualSide;
  const size = sizeOf(shapeOf(body) ?? 1, side, most);
  return allFinished(request, async (index) => {
    const drawn = await scene(prompt, size, lotsOf(request, index));
    return captioned(await inManner(drawn, prompt), prompt);
  });
}
