// ai-clothes-changer: a card of the person's picture and the garment, as large as the person's picture.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { defaultCardSize, renderCard } from '../pictures/request-card.ts';

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  renderCard(request, (person) => person ?? defaultCardSize);
