// Colours as people write them in a request: `#ffcc00`, `rgb(255, 204, 0)`, `yellow`.
import type { Colour } from '../../pictures/canvas.ts';

const names: Readonly<Record<string, Colour>> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  silver: [192, 192, 192],
  red: [255, 0, 0],
  maroon: [128, 0, 0],
  orange: [255, 165, 0],
  gold: [255, 215, 0],
  yellow: [255, 255, 0],
  olive: [128, 128, 0],
  lime: [0, 255, 0],
  green: [0, 128, 0],
  teal: [0, 128, 128],
  cyan: [0, 255, 255],
  aqua: [0, 255, 255],
  blue: [0, 0, 255],
  navy: [0, 0, 128],
  purple: [128, 0, 128],
  violet: [238, 130, 238],
  magenta: [255, 0, 255],
  fuchsia: [255, 0, 255],
  pink: [255, 192, 203],
  brown: [165, 42, 42],
};

/** Undefined: these words name no colour that is known here. */
export function colourOf(words: string): Colour | undefined {
  const text = words.trim().toLowerCase();
  const short = /^#?([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?$/.exec(text);
  if (short) return channels(short, (digit) => Number.parseInt(digit + digit, 16));
  const long = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})(?:[0-9a-f]{2})?$/.exec(text);
  if (long) return channels(long, (digits) => Number.parseInt(digits, 16));
  const spoken = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(text);
  if (spoken) return channels(spoken, (digits) => Math.min(255, Number(digits)));
  return Object.hasOwn(names, text) ? names[text] : undefined;
}

function channels(
  [, red = '', green = '', blue = '']: RegExpExecArray,
  read: (text: string) => number,
): Colour {
  return [read(red), read(green), read(blue)];
}

/** For SVG. */
export const cssOf = ([red, green, blue]: Colour): string => `rgb(${red},${green},${blue})`;
