// ai-face-editor: a card of the picture and the sliders, as large as the picture. A picture without a face is an error.
import { requiredInput } from '../base/fields.ts';
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { sourceFaceIn } from '../faces/source-face.ts';
import { defaultCardSize, renderCard } from '../pictures/request-card.ts';

export async function render(request: RenderRequest): Promise<RenderOutcome> {
  const face = await sourceFaceIn(requiredInput(request, 'assets.image_file_path'));
  if (!face.ok) return face;
  return renderCard(request, (picture) => picture ?? defaultCardSize);
}
