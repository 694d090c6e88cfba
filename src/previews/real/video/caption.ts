// A line or two of words on a clip, on a dark plate in its upper corner.
import sharp from 'sharp';
import { lettering, lineDots, widthInDots, wrap } from '../../pictures/lettering.ts';
import { pictureOf } from '../../pictures/picture.ts';
import type { Block } from './block.ts';
import type { FrameSize } from '../../pictures/canvas.ts';

const lines = 2;

/** Undefined: there is nothing to say. */
export async function captionOf(words: string, size: FrameSize): Promise<Block | undefined> {
  const { width, height } = size;
  const dot = Math.max(1, Math.round(Math.min(width, height) / 240));
  const margin = dot * 6;
  const said = wrap(words, Math.floor((width - 4 * margin) / (dot * 6)), lines);
  if (said.length === 0) return undefined;
  const wide = Math.max(...said.map(widthInDots)) * dot + 2 * margin;
  const high = said.length * lineDots * dot + 2 * margin - 2 * dot;
  const letters = said
    .map((line, row) => lettering(line, margin, margin + row * lineDots * dot, dot))
    .join('');
  const picture = await pictureOf(
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}">
          <rect width="100%" height="100%" rx="${dot * 3}" fill="black" fill-opacity="0.5"/>
          <path d="${letters}" fill="white"/>
        </svg>`,
      ),
    ),
  );
  return { picture, left: margin, top: margin };
}
