// Large lettering without fonts: the dot face of lettering.ts, drawn large, is blurred and cut at half its strength, so
// that its corners become round; the same blur cut lower is the outline around it.
import sharp from 'sharp';
import { lettering, lineDots, widthInDots, wrap } from '../../pictures/lettering.ts';
import type { Picture } from '../../pictures/picture.ts';

interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

export interface LetteringLook {
  readonly ink: Colour;
  readonly outline: Colour;
}

export const memeLook: LetteringLook = {
  ink: { r: 255, g: 255, b: 255 },
  outline: { r: 0, g: 0, b: 0 },
};

/** Lines that fit a box, with the size of a dot in pixels. */
export interface Fitted {
  readonly lines: readonly string[];
  readonly dot: number;
}

/** Breaks a text so that it fills a box with letters as large as `largest` allows; what never fits ends in dots. */
export function fittedText(text: string, width: number, height: number, largest: number): Fitted {
  for (let dot = largest; ; dot *= 0.9) {
    const length = Math.floor((width / dot + 1) / 6);
    const rows = Math.floor(height / (dot * lineDots));
    const last = dot < 1.2;
    if (length < 3 || rows < 1) {
      if (last) return { lines: [], dot };
      continue;
    }
    const lines = wrap(text, length, rows);
    const cut = wrap(text, length, 10_000).length > rows;
    const broken = text.split(/\s+/).some((word) => [...word].length > length);
    if (last || !(cut || (broken && dot > largest / 3))) return { lines, dot };
  }
}

/** A transparent picture with the lines, each in the middle, the first at the top. */
export async function letteringPicture(
  { lines, dot }: Fitted,
  width: number,
  look: LetteringLook,
): Promise<Picture> {
  const pad = Math.ceil(dot * 1.6);
  const height = Math.max(1, Math.ceil(lines.length * lineDots * dot + 2 * pad));
  const path = lines
    .map((line, row) => {
      const left = (width - widthInDots(line) * dot) / 2;
      return lettering(line, left, pad + row * lineDots * dot, dot);
    })
    .join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <rect width="100%" height="100%" fill="black"/><path d="${path}" fill="white"/></svg>`;
  const drawn = sharp(Buffer.from(svg)).toColourspace('b-w');
  const soft = await drawn
    .clone()
    .blur(Math.max(0.4, dot * 0.42))
    .raw()
    .toBuffer();
  const wide = await drawn
    .clone()
    .blur(Math.max(0.5, dot * 0.75))
    .raw()
    .toBuffer();
  return { pixels: inked(soft, wide, width * height, dot, look), width, height };
}

/** Cuts the two blurs into letters and outline; the cut is about a pixel soft. */
function inked(
  soft: Buffer,
  wide: Buffer,
  size: number,
  dot: number,
  { ink, outline }: LetteringLook,
): Buffer {
  const channels = soft.length / size;
  const pixels = Buffer.alloc(size * 4);
  const cut = (value: number, at: number, slope: number): number =>
    Math.max(0, Math.min(1, (value / 255 - at) * slope + 0.5));
  for (let i = 0; i < size; i++) {
    const letter = cut(soft[i * channels] ?? 0, 0.42, dot * 1.1);
    const around = cut(wide[i * channels] ?? 0, 0.09, Math.max(4, dot * 2.2));
    const mixed = (one: number, two: number): number => one * letter + two * (1 - letter);
    pixels[i * 4] = mixed(ink.r, outline.r);
    pixels[i * 4 + 1] = mixed(ink.g, outline.g);
    pixels[i * 4 + 2] = mixed(ink.b, outline.b);
    pixels[i * 4 + 3] = 255 * Math.max(letter, around);
  }
  return pixels;
}
