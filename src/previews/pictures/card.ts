// A card: the picture that stands for words, or for a file that is not here. Its colour comes from a key, so
// that different requests look different.
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { lettering, lineDots, wrap } from './lettering.ts';
import { type Picture, pictureOf } from './picture.ts';

export interface CardSize {
  readonly width: number;
  readonly height: number;
}

const usual: CardSize = { width: 768, height: 768 };

export function card(text: string, key: string, { width, height } = usual): Promise<Picture> {
  const dot = Math.max(1, Math.floor(Math.min(width, height) / 190));
  const margin = dot * 10;
  const length = Math.max(1, Math.floor((width - 2 * margin) / (dot * 6)));
  const lines = wrap(text, length, Math.floor((height * 0.7) / (dot * lineDots)));
  const letters = lines
    .map((line, row) => lettering(line, margin, margin + row * dot * lineDots, dot))
    .join('');
  const hue = hueOf(key);
  return pictureOf(
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
          <linearGradient id="g" x1="0" y1="0" x2="1" y2="1">
            <stop offset="0" stop-color="hsl(${hue},55%,38%)"/>
            <stop offset="1" stop-color="hsl(${(hue + 50) % 360},60%,22%)"/>
          </linearGradient>
          <rect width="100%" height="100%" fill="url(#g)"/>
          <path d="${letters}" fill="white"/>
        </svg>`,
      ),
    ),
  );
}

/** A colour's angle, 0 to 359, that is always the same for the same key. */
export function hueOf(key: string): number {
  return createHash('sha256').update(key).digest().readUInt16BE(0) % 360;
}
