// A finished picture as a file.
import { join } from 'node:path';
import { type Picture, sharpOf } from './pictures/picture.ts';
import type { RenderedFile, RenderRequest } from './base/request.ts';

/** Writes a picture as PNG, no larger than the plan has; packed lightly, since speed is worth more here than size. */
export async function keep(
  { width, height, ...rest }: Picture,
  { folder, most, longest = Infinity }: Pick<RenderRequest, 'folder' | 'most' | 'longest'>,
  name: string,
): Promise<RenderedFile> {
  const scale = Math.min(1, most / Math.min(width, height), longest / Math.max(width, height));
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
  const whole = sharpOf({ width, height, ...rest });
  const fitting = scale < 1 ? whole.resize({ ...size, fit: 'fill' }) : whole;
  await fitting.png({ compressionLevel: 2 }).toFile(join(folder, name));
  return { name, ...size };
}
