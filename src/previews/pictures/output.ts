// The last stage of every image tool: pictures get the mark and become files.
import { join } from 'node:path';
import { ok } from '../../base/result.ts';
import { imageCountOf } from '../base/fields.ts';
import { keyOf } from '../base/key.ts';
import type { RenderedFile, RenderOutcome, RenderRequest } from '../base/request.ts';
import { copyOf } from './canvas.ts';
import { mark } from './mark.ts';
import { type Picture, type Size, sharpOf } from './picture.ts';

/** The size that the plan allows: the same proportions, no larger than its limits. */
export function withinPlan(
  { width, height }: Size,
  { most, longest = Number.POSITIVE_INFINITY }: Pick<RenderRequest, 'most' | 'longest'>,
): Size {
  const scale = Math.min(1, most / Math.min(width, height), longest / Math.max(width, height));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** The size with a ratio (width divided by height) and a longest side. */
export const sizeWithRatio = (ratio: number, longest: number): Size => ({
  width: Math.round(ratio >= 1 ? longest : longest * ratio),
  height: Math.round(ratio >= 1 ? longest / ratio : longest),
});

/** The single output of a request. */
export async function finished(request: RenderRequest, picture: Picture): Promise<RenderOutcome> {
  return ok([await saved(request, picture, request.tool.name, 0)]);
}

/** `image_count` outputs, made one after another. */
export async function allFinished(
  request: RenderRequest,
  draw: (index: number) => Promise<Picture>,
): Promise<RenderOutcome> {
  const count = imageCountOf(request);
  const { name } = request.tool;
  const files: RenderedFile[] = [];
  for (let index = 0; index < count; index++) {
    const caption = count === 1 ? name : `${name} ${index + 1}/${count}`;
    files.push(await saved(request, await draw(index), caption, index));
  }
  return ok(files);
}

/** PNG with light compression: speed matters more than size here. */
async function saved(
  request: RenderRequest,
  picture: Picture,
  caption: string,
  index: number,
): Promise<RenderedFile> {
  const marked = copyOf(picture);
  mark(marked, caption, `${keyOf(request)} ${index}`);
  const name = `${index}.png`;
  const size = withinPlan(picture, request);
  const whole = sharpOf(marked);
  const fitting = size.width === picture.width ? whole : whole.resize({ ...size, fit: 'fill' });
  await fitting.png({ compressionLevel: 2 }).toFile(join(request.folder, name));
  return { name, ...size };
}
