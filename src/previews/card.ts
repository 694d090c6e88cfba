// The pictures of a rehearsal, drawn so that nobody takes one for a result: what went in, and the strip with the word
// REHEARSAL.
import sharp, { type OverlayOptions } from 'sharp';
import { type Layer, layerOf, overlayOf, sharpOf } from './input.ts';
import { cut, lettering, lineDots, widthOf, wrapped } from './lettering.ts';
import type { Size } from './size.ts';

export interface Card extends Size {
  /** Behind the base, filling the card. Default: the card's colour, unless a base with this shape may show through. */
  readonly ground?: Layer | undefined;
  /** What the card shows, as large as it fits; undefined: the words. */
  readonly base: Layer | undefined;
  /** Further pictures that went in. */
  readonly badges: readonly Layer[];
  readonly words: string;
  /** Below the words, in small type. */
  readonly facts: string;
  /** On the strip: the tool, and the item. */
  readonly label: string;
  /** Of its colour, 0 to 359. */
  readonly hue: number;
}

/** Of the strip's lettering, in pixels. */
const stripDot = ({ width, height }: Size): number =>
  Math.max(1, Math.floor(Math.min(width / 340, height / 100)));

const stripHeight = (size: Size): number => Math.min(size.height, stripDot(size) * 13);

export async function drawCard(card: Card): Promise<Layer> {
  const { base, ground, width, height } = card;
  const side = { width, height, fit: 'inside' } as const;
  const shown = base === undefined ? undefined : await layerOf(sharpOf(base).resize(side));
  const isFilled = shown?.width === width && shown.height === height;
  const behind =
    ground === undefined
      ? sharp(drawing(card, isFilled ? '' : colours(card)))
      : sharpOf(ground).resize({ width, height, fit: 'cover' });
  const words = base === undefined ? largeWords(card) : '';
  const texts = { input: drawing(card, `${words}${stripOf(card)}`) };
  return await layerOf(
    behind.composite([
      ...(shown === undefined ? [] : [overlayOf(shown)]),
      ...(await badgesOf(card)),
      texts,
    ]),
  );
}

export const drawing = ({ width, height }: Size, content: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`,
  );

function colours({ hue, base }: Card): string {
  const [from, to] = base === undefined ? [38, 22] : [16, 10];
  return `<linearGradient id="g" x2="1" y2="1"><stop stop-color="hsl(${hue},45%,${from}%)"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360},55%,${to}%)"/></linearGradient><rect width="100%" height="100%" fill="url(#g)"/>`;
}

/** Round, side by side above the right end of the strip. */
async function badgesOf({ badges, ...size }: Card): Promise<readonly OverlayOptions[]> {
  const room = Math.min(size.width, size.height - stripHeight(size));
  const side = Math.floor(room * (badges.length > 2 ? 0.22 : 0.3));
  if (side < 8) return [];
  const shown = badges.slice(0, Math.floor(size.width / (side * 1.1)));
  const ring = Math.max(1, Math.round(side * 0.03));
  return await Promise.all(
    shown.map(async (badge, index) => {
      const radius = side / 2 - ring / 2;
      const circle = (style: string): Buffer =>
        drawing(
          { width: side, height: side },
          `<circle cx="50%" cy="50%" r="${radius}" ${style}/>`,
        );
      const round = sharpOf(badge)
        .resize({ width: side, height: side, fit: 'cover' })
        .composite([
          { input: circle(''), blend: 'dest-in' },
          { input: circle(`fill="none" stroke="#fff" stroke-width="${ring}"`) },
        ]);
      const left = Math.round(size.width - (shown.length - index) * side * 1.1);
      const top = Math.round(size.height - stripHeight(size) - side * 1.1);
      return { ...overlayOf(await layerOf(round)), left, top };
    }),
  );
}

/** The words as large as they fit, and the facts below them. */
function largeWords({ words, facts, ...size }: Card): string {
  const [left, room] = [size.width * 0.07, size.width * 0.86];
  const high = (size.height - stripHeight(size)) * 0.62;
  const small = Math.max(1, stripDot(size));
  let dot = Math.max(1, Math.floor(size.width / 80));
  while (dot > 1 && wrapped(words, room, dot).length * lineDots * dot > high) dot -= 1;
  const lines = wrapped(words, room, dot).slice(
    0,
    Math.max(1, Math.floor(high / (lineDots * dot))),
  );
  const below = wrapped(facts, room, small).slice(0, 4);
  const block = lines.length * lineDots * dot + (below.length + 1) * lineDots * small;
  const top = Math.max(0, (size.height - stripHeight(size) - block) / 2);
  const drawn = lines.map((line, row) => lettering(line, left, top + row * lineDots * dot, dot));
  const foot = top + lines.length * lineDots * dot + lineDots * small;
  const told = below.map((line, row) =>
    lettering(line, left, foot + row * lineDots * small, small),
  );
  return `<g fill="#fff">${drawn.join('')}</g><g fill="#fff" opacity=".7">${told.join('')}</g>`;
}

/** Opaque: below it may be the strip of a preview that this one is made from. */
function stripOf({ label, hue, ...size }: Card): string {
  const [dot, height] = [stripDot(size), stripHeight(size)];
  const [top, line] = [size.height - height, size.height - height + dot * 3];
  const word = 'REHEARSAL';
  const left = dot * 12 + widthOf(word, dot);
  const shown = cut(label, size.width - left - dot * 4, dot);
  return `<rect y="${top}" width="100%" height="${height}"/><rect y="${top}" width="${dot * 4}" height="${height}" fill="hsl(${hue},70%,60%)"/><g fill="#fff">${lettering(word, dot * 8, line, dot)}</g><g fill="hsl(${hue},60%,80%)">${lettering(shown, left, line, dot)}</g>`;
}

/** The clock and the bar of a clip, right above the strip: to be laid over the card. */
export function clockOf(size: Size, time: number, seconds: number): Buffer {
  const dot = stripDot(size);
  const bottom = size.height - stripHeight(size);
  const text = `${time.toFixed(1)} / ${seconds.toFixed(1)} s`;
  const plate = `x="${dot * 4}" y="${bottom - dot * 17}" width="${widthOf(text, dot) + dot * 8}" height="${dot * 12}"`;
  const bar = `y="${bottom - dot * 2}" height="${dot * 2}"`;
  return drawing(
    size,
    `<rect ${plate} opacity=".7"/><rect ${bar} width="100%" fill="#888"/><g fill="#fff"><rect ${bar} width="${(size.width * time) / seconds}"/>${lettering(text, dot * 8, bottom - dot * 15, dot)}</g>`,
  );
}
