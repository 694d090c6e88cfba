// ai-headshot-generator: the studio portrait of whoever has the largest face.
import type { RenderOutcome, RenderRequest } from '../base/request.ts';
import { lenderOf } from '../faces/source-face.ts';
import { renderHeadshot } from '../real/photo/headshot.ts';
import { inputIn } from '../base/fields.ts';

export async function renderHeadshotOfFace(request: RenderRequest): Promise<RenderOutcome> {
  const input = inputIn(request, 'assets.image_file_path');
  if (input === undefined) throw new Error('bug: ai-headshot-generator has a picture');
  const lender = await lenderOf(input);
  return lender.ok ? renderHeadshot(request, lender.value.face?.region) : lender;
}
