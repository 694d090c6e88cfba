// ai-meme-generator: a card of the topic and the template.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { renderCard } from '../pictures/request-card.ts';

const size = { width: 800, height: 800 };

export const render = (request: RenderRequest): Promise<RenderOutcome> =>
  renderCard(request, () => size);
