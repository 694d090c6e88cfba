// Pictures that move: a slow zoom into a picture, as an animated WebP or GIF. Real video needs an encoder that
// this service does not have; a few frames of the right total length stand in for it.

import { join } from 'node:path';
import sharp from 'sharp';
import { fieldOf } from '../../contract/base/json.ts';
import { ok } from '../../contract/base/result.ts';
import { card } from '../pictures/card.ts';
import { keyOf, wordsOf } from '../base/key.ts';
import { marked } from '../pictures/mark.ts';
import { type Picture, pictureOf, sharpOf } from '../pictures/picture.ts';
import type { RenderedFile, RenderOutcome, RenderRequest } from '../base/request.ts';

const frames = 8;
/** The longest side in pixels: animations are for looking at, not for keeping. */
const side = 480;
/** How far the last frame is zoomed in. */
const zoom = 0.2;
/** A GIF of the hosted service has no published length. */
const gifSeconds = 2;

/** ai-gif-generator. `webm` and `mp4` cannot be encoded here: they are made as WebP, and named so. */
export async function renderAnimation(request: RenderRequest): Promise<RenderOutcome> {
  const { body, tool, folder } = request;
  const key = keyOf(request);
  const picture = await marked(await card(wordsOf(request), key), tool.name, key);
  const format = fieldOf(body, 'output_format') ?? 'gif';
  const extension = format === 'gif' ? 'gif' : 'webp';
  return ok([await animate(picture, gifSeconds, folder, `0.${extension}`)]);
}

/** Writes the animation; the ending of the name says its format. */
export async function animate(
  picture: Picture,
  seconds: number,
  folder: string,
  name: string,
): Promise<RenderedFile> {
  const small = await pictureOf(
    sharpOf(picture).resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }),
  );
  const { width, height } = small;
  const pictures: Buffer[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const scale = 1 - (zoom * frame) / (frames - 1);
    const seen = { width: Math.round(width * scale), height: Math.round(height * scale) };
    const left = Math.floor((width - seen.width) / 2);
    const top = Math.floor((height - seen.height) / 2);
    const zoomed = sharpOf(small)
      .extract({ left, top, ...seen })
      .resize(width, height, { fit: 'fill' });
    pictures.push(await zoomed.png({ compressionLevel: 0 }).toBuffer());
  }
  const moving = sharp(pictures, { join: { animated: true } });
  const timing = { delay: delaysOf(seconds), loop: 0 };
  const kept = name.endsWith('.gif')
    ? moving.gif({ ...timing, effort: 1 })
    : moving.webp({ ...timing, effort: 0, quality: 70 });
  await kept.toFile(join(folder, name));
  return { name, width, height, fps: frames / seconds };
}

/** What an animation can say of one frame, in milliseconds. */
const longestDelay = 65_535;

/** Milliseconds for each frame, which add up to the whole length, up to eight minutes and three quarters. */
function delaysOf(seconds: number): number[] {
  const ends = Array.from({ length: frames + 1 }, (_, i) =>
    Math.round((seconds * 1000 * i) / frames),
  );
  return ends.slice(1).map((end, i) => Math.min(longestDelay, Math.max(1, end - (ends[i] ?? 0))));
}
