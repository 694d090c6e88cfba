// Text without fonts, so that it looks the same on machines that have none: a typeface of 5 by 8 dots, as a path of SVG.

/** ASCII 32 to 126: five columns each, a byte a column, the lowest bit on top. */
const dots = Buffer.from(
  'AAAAAAAAAF8AAAAHAAcAFH8UfxQkKn8qEiMTCGRiNklWIFAACAcDAAAcIkEAAEEiHAAqHH8cKggIPggIAIBwMAAICAgICAAA' +
    'YGAAIBAIBAI+UUlFPgBCf0AAcklJSUYhQUlNMxgUEn8QJ0VFRTk8SklJMUEhEQkHNklJSTZGSUkpHgAAFAAAAEA0AAAACBQi' +
    'QRQUFBQUAEEiFAgCAVkJBj5BXVlOfBIREnx/SUlJNj5BQUEif0FBQT5/SUlJQX8JCQkBPkFBUXN/CAgIfwBBf0EAIEBBPwF/' +
    'CBQiQX9AQEBAfwIcAn9/BAgQfz5BQUE+fwkJCQY+QVEhXn8JGSlGJklJSTIDAX8BAz9AQEA/HyBAIB8/QDhAP2MUCBRjAwR4' +
    'BANhWU1NQwB/QUFBAgQIECAAQUFBfwQCAQIEQEBAQEAAAwcIACBUVHhAfyhERDg4REREKDhERCh/OFRUVBgACH4JAhikpJx4' +
    'fwgEBHgARH1AACBAQD0AfxAoRAAAQX9AAHwEeAR4fAgEBHg4REREOPwYJCQYGCQkGPx8CAQECEhUVFQkBAQ/RCQ8QEAgfBwg' +
    'QCAcPEAwQDxEKBAoREyQkJB8RGRUTEQACDZBAAAAdwAAAEE2CAACAQIEAg==',
  'base64',
);

const columns = 5;
/** With a column of space after each letter. */
const advance = columns + 1;
/** The height of a line in dots, the space below it included. */
export const lineDots = 11;

const others: Readonly<Record<string, readonly number[]>> = {
  '·': [0, 0x18, 0x18, 0, 0],
  '×': [0x44, 0x28, 0x10, 0x28, 0x44],
};
/** What any other letter is drawn as. */
const box = [0x7f, 0x41, 0x41, 0x41, 0x7f];

/** A line from its upper left corner, in the colour of the element around it; `dot`: the side of a dot in pixels. */
export function lettering(text: string, left: number, top: number, dot: number): string {
  const squares: string[] = [];
  for (const [index, letter] of lettersOf(text).entries())
    for (let column = 0; column < columns; column += 1)
      for (let row = 0; row < 8; row += 1)
        if ((columnOf(letter, column) & (1 << row)) !== 0)
          squares.push(`M${index * advance + column} ${row}h1v1h-1z`);
  return `<path transform="translate(${left} ${top}) scale(${dot})" d="${squares.join('')}"/>`;
}

/** Accents are left out. */
const lettersOf = (text: string): readonly string[] => [
  ...text.normalize('NFD').replace(/\p{M}/gu, ''),
];

function columnOf(letter: string, column: number): number {
  const code = letter.codePointAt(0) ?? 0;
  const byte = code < 32 || code > 126 ? undefined : dots[(code - 32) * columns + column];
  return byte ?? (others[letter] ?? box)[column] ?? 0;
}

export const widthOf = (text: string, dot: number): number =>
  (lettersOf(text).length * advance - 1) * dot;

/** A text in so many pixels; what does not fit ends in dots. */
export function cut(text: string, pixels: number, dot: number): string {
  const room = Math.floor(pixels / (advance * dot));
  const letters = lettersOf(text);
  return letters.length <= room
    ? letters.join('')
    : `${letters.slice(0, Math.max(0, room - 3)).join('')}...`;
}

/** The lines of a text that is so many pixels wide. Words that are longer than a line are broken. */
export function wrapped(text: string, pixels: number, dot: number): readonly string[] {
  const room = Math.max(1, Math.floor(pixels / (advance * dot)));
  const piece = new RegExp(`.{1,${room}}`, 'gu');
  const lines: string[] = [];
  for (const word of lettersOf(text)
    .join('')
    .split(/\s+/)
    .flatMap((one) => one.match(piece) ?? [])) {
    const last = lines.at(-1);
    if (last !== undefined && [...last, ' ', ...word].length <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
