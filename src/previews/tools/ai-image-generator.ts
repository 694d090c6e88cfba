// ai-image-generator: cards of the prompt, in the shape and the number that were asked for.
import { aspectRatioIn, longestSideIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCard, sizeWithRatio } from '../pictures/request-card.ts';

/** Where the request names no resolution. */
const usualSide = 1024;

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  renderCard(request, () =>
    sizeWithRatio(aspectRatioIn(request) ?? 1, longestSideIn(request) ?? usualSide),
  );
