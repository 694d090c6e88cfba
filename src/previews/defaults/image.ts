// Pictures of a tool without a renderer of its own: cards of its parameters and its pictures, in the shape, the size and the
// number that the request asks for.
import { aspectRatioIn, longestSideIn } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { defaultCardSize, renderCard, sizeWithRatio } from '../pictures/request-card.ts';

/** A request that names no size, or `auto`, means the shape and the size of its first picture. */
export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  renderCard(request, (first = defaultCardSize) =>
    sizeWithRatio(
      aspectRatioIn(request) ?? first.width / first.height,
      longestSideIn(request) ?? Math.max(first.width, first.height),
    ),
  );
