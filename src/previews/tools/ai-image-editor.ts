// ai-image-editor: cards of the prompt and the pictures, in the shape and the number that were asked for.
import { aspectRatioIn, longestSideIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { defaultCardSize, renderCard, sizeWithRatio } from '../pictures/request-card.ts';

/** `auto` and nothing mean the first picture's own shape and size. */
export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  renderCard(request, (first = defaultCardSize) =>
    sizeWithRatio(
      aspectRatioIn(request) ?? first.width / first.height,
      longestSideIn(request) ?? Math.max(first.width, first.height),
    ),
  );
