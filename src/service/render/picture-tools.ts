// The image tools: the main picture with the others in a corner, or a card with the words when there is none.

import { join } from 'node:path';
import { fieldOf } from '../../base/json.ts';
import { ok } from '../../base/result.ts';
import { card } from './card.ts';
import { keyOf, wordsOf } from './key.ts';
import { marked } from './mark.ts';
import { layer, type Picture, pictureOf, sharpOf } from './picture.ts';
import { readPicture } from './read-picture.ts';
import type { RenderedFile, RenderOutcome, RenderRequest } from './request.ts';

/** More pictures than any model makes at once. */
const mostPictures = 16;

export async function renderPictures(request: RenderRequest): Promise<RenderOutcome> {
  const main = await mainPicture(request);
  if (!main.ok) return main;
  const count = countOf(request);
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

const insetSide = ({ width, height }: Picture): number =>
  Math.max(16, Math.round(Math.min(width, height) / 4));

/** A column of small pictures from the upper right corner down, as far as there is room. */
export async function withInsets(base: Picture, insets: readonly Picture[]): Promise<Picture> {
  if (insets.length === 0) return base;
  const side = insetSide(base);
  const gap = Math.max(1, Math.round(side / 16));
  const rows = Math.max(1, Math.floor((base.height * 0.85) / (side + gap)));
  const layers = await Promise.all(
    insets.slice(0, rows).map(async (inset, row) => {
      const small = await pictureOf(sharpOf(inset).resize(side, side, { fit: 'cover' }));
      return layer(small, base.width - side - gap, gap + row * (side + gap));
    }),
  );
  return pictureOf(sharpOf(base).composite(layers));
}

function countOf({ body }: RenderRequest): number {
  const count = fieldOf(body, 'image_count');
  return typeof count === 'number' ? Math.max(1, Math.min(mostPictures, Math.floor(count))) : 1;
}

/** Writes a picture as PNG, no larger than the plan has; packed lightly, since speed is worth more here than size. */
export async function keep(
  { width, height, ...rest }: Picture,
  { folder, most }: Pick<RenderRequest, 'folder' | 'most'>,
  name: string,
): Promise<RenderedFile> {
  const scale = Math.min(1, most / Math.min(width, height));
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const whole = sharpOf({ width, height, ...rest });
  const fitting = scale < 1 ? whole.resize({ ...size, fit: 'fill' }) : whole;
  await fitting.png({ compressionLevel: 2 }).toFile(join(folder, name));
  return { name, ...size };
}
