// Text without fonts: a 5 by 8 dot typeface, so that text looks the same to the byte on machines without fonts.
import { type Colour, fill, white } from './canvas.ts';
import type { Picture, Size } from './picture.ts';

/** ASCII 32 to 126: five columns each, a byte a column, the lowest bit on top. */
const dots = Buffer.from(
  '000000000000005f00000007000700147f147f14242a7f2a12231308646236495620500008070300001c2241000041221c00' +
    '2a1c7f1c2a08083e08080080703000080808080800006060002010080402' +
    '3e5149453e00427f400072494949462141494d331814127f1027454545393c4a49493141211109073649494936464949291e' +
    '0000140000004034000000081422411414141414004122140802015909063e415d594e' +
    '7c1211127c7f494949363e414141227f4141413e7f494949417f090909013e414151737f0808087f00417f41002040413f01' +
    '7f081422417f404040407f021c027f7f0408107f3e4141413e7f090909063e4151215e7f09192946264949493203017f0103' +
    '3f4040403f1f2040201f3f4038403f6314081463030478040361594d4d43' +
    '007f4141410204081020004141417f04020102044040404040' +
    '000307080020545478407f28444438384444442838444428' +
    '7f385454541800087e090218a4a49c787f0804047800447d40002040403d007f1028440000417f40007c047804787c08040478' +
    '3844444438fc1824241818242418fc7c080404084854545424' +
    '04043f44243c4040207c1c2040201c3c4030403c44281028444c9090907c4464544c44' +
    '00083641000000770000004136080002010204' +
    '02',
  'hex',
);

const columns = 5;
/** A column of space after each letter. */
const advance = columns + 1;
/** What a letter outside ASCII is drawn as: a box. */
const unknown = [0x7f, 0x41, 0x41, 0x41, 0x7f];

/** The height of a line in dots, the space below it included. */
export const lineDots = 10;

/** How many dots wide a text is. */
export const widthInDots = (text: string): number => lettersOf(text) * advance - 1;

/** A dot of the lettering of cards and clips, in pixels. */
export const dotOf = ({ width, height }: Size): number =>
  Math.max(1, Math.floor(Math.min(width, height) / 190));

/** Paints a text onto a picture. `left`, `top`: its upper left corner; `dot`: the side of a dot, in pixels. */
export function write(
  picture: Picture,
  text: string,
  { left, top, dot }: { readonly left: number; readonly top: number; readonly dot: number },
  colour: Colour = white,
): void {
  const room = Math.ceil((picture.width - left) / (advance * dot));
  for (const [index, letter] of [...text].slice(0, Math.max(0, room)).entries())
    for (let column = 0; column < columns; column++)
      for (let row = 0; row < 8; row++) {
        if ((columnOf(letter, column) & (1 << row)) === 0) continue;
        const at = { left: left + (index * advance + column) * dot, top: top + row * dot };
        fill(picture, { ...at, width: dot, height: dot }, colour);
      }
}

function columnOf(letter: string, column: number): number {
  const code = letter.codePointAt(0) ?? 0;
  const byte = code < 32 || code > 126 ? undefined : dots[(code - 32) * columns + column];
  return byte ?? unknown[column] ?? 0;
}

/** Breaks a text into at most `lines` lines of at most `length` letters; what does not fit ends in dots. */
export function wrap(text: string, length: number, lines: number): readonly string[] {
  const room = Math.max(1, length);
  const piece = new RegExp(`.{1,${room}}`, 'gu');
  const words = text.split(/\s+/).flatMap((word) => word.match(piece) ?? []);
  const wrapped: string[] = [];
  for (const word of words) {
    const last = wrapped.at(-1);
    if (last !== undefined && lettersOf(last) + 1 + lettersOf(word) <= room)
      wrapped[wrapped.length - 1] = `${last} ${word}`;
    else if (wrapped.length < lines) wrapped.push(word);
    else {
      if (last !== undefined) wrapped[wrapped.length - 1] = dotted(last, room);
      break;
    }
  }
  return wrapped;
}

/** One for each that is drawn: a letter outside the basic plane is two units of a string. */
const lettersOf = (text: string): number => [...text].length;

function dotted(line: string, room: number): string {
  const kept = [...line].slice(0, Math.max(0, room - 3)).join('');
  return `${kept}${'...'.slice(0, room)}`;
}
