// The image tools: the main picture with the others in a corner, or a card with the words when there is none.

import { ok } from '../../contract/base/result.ts';
import { card } from '../pictures/card.ts';
import { imageCountOf } from '../image-count.ts';
import { insetSide, withInsets } from '../insets.ts';
import { keep } from '../keep.ts';
import { keyOf, wordsOf } from '../base/key.ts';
import { marked } from '../pictures/mark.ts';
import type { Picture } from '../pictures/picture.ts';
import { readPicture } from '../pictures/read-picture.ts';
import type { RenderedFile, RenderOutcome, RenderRequest } from '../base/request.ts';

export async function renderPictures(request: RenderRequest): Promise<RenderOutcome> {
  const main = await mainPicture(request);
  if (!main.ok) return main;
  const count = imageCountOf(request);
  const files: RenderedFile[] = [];
  for (let index = 0; index < count; index++) {
    const caption = count === 1 ? request.tool.name : `${request.tool.name} ${index + 1}/${count}`;
    const key = `${keyOf(request)} ${index}`;
    const base = main.value ?? (await card(wordsOf(request), key));
    files.push(await keep(await marked(base, caption, key), request, `${index}.png`));
  }
  return ok(files);
}

/** The first picture with the others as insets; undefined when the request names no picture. */
async function mainPicture(request: RenderRequest) {
  const [first, ...others] = request.inputs.filter(({ media }) => media === 'image');
  if (first === undefined) return ok(undefined);
  const base = await readPicture(first);
  if (!base.ok) return base;
  const insets: Picture[] = [];
  for (const other of others) {
    const inset = await readPicture(other, insetSide(base.value));
    if (!inset.ok) return inset;
    insets.push(inset.value);
  }
  return ok(await withInsets(base.value, insets));
}
