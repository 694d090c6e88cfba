// Ways to damage a file, as data: a failing case says what was done to it.
import fc from 'fast-check';

export interface Spoil {
  readonly how: keyof typeof ways;
  /** Places in the file, as shares of its length. */
  readonly one: number;
  readonly two: number;
  readonly three: number;
  /** Bytes, or the bits that are flipped. */
  readonly size: number;
}

type Way = (bytes: Buffer, spoil: Spoil) => Buffer;

const at = (share: number, length: number): number => Math.floor(share * length);

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const next = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(from, next));
    from = next;
  }
  return lines;
}

const byLines =
  (change: (lines: Buffer[], index: number, other: number) => Buffer[]): Way =>
  (bytes, { one, two }) => {
    const lines = linesOf(bytes);
    return Buffer.concat(change(lines, at(one, lines.length), at(two, lines.length)));
  };

const mark = (text: string): Buffer => Buffer.from(`${text}\n`);

const ways = {
  flip(bytes, { one, size }) {
    const copy = Buffer.from(bytes);
    const index = at(one, copy.length);
    if (index < copy.length) copy[index] = (copy[index] ?? 0) ^ ((size % 255) + 1);
    return copy;
  },
  'drop a line': byLines((lines, index) => lines.toSpliced(index, 1)),
  'double a line': byLines((lines, index, other) =>
    lines.toSpliced(other, 0, ...lines.slice(index, index + 1)),
  ),
  'swap lines': byLines((lines, index, other) =>
    lines.map((line, place) =>
      place === index ? (lines[other] ?? line) : place === other ? (lines[index] ?? line) : line,
    ),
  ),
  truncate: (bytes, { one }) => bytes.subarray(0, at(one, bytes.length)),
  zero(bytes, { one, size }) {
    const from = at(one, bytes.length);
    return Buffer.from(bytes).fill(0, from, Math.min(bytes.length, from + size));
  },
  'cut out'(bytes, { one, size }) {
    const from = at(one, bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + size)]);
  },
  'mark a conflict'(bytes, { one, two, three }) {
    const lines = linesOf(bytes);
    const [a = 0, b = 0, c = 0] = [one, two, three]
      .map((share) => at(share, lines.length))
      .sort((x, y) => x - y);
    return Buffer.concat([
      ...lines.slice(0, a),
      mark('<<<<<<< HEAD'),
      ...lines.slice(a, b),
      mark('======='),
      ...lines.slice(b, c),
      mark('>>>>>>> other'),
      ...lines.slice(c),
    ]);
  },
  'end lines with CR LF': (bytes) =>
    Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
} satisfies Readonly<Record<string, Way>>;

export const spoilt = (bytes: Buffer, spoil: Spoil): Buffer => ways[spoil.how](bytes, spoil);

/** Evenly: fast-check would look at the ends of a file most of the time. */
export const place = fc.noBias(fc.nat(999_999)).map((share) => share / 1_000_000);

export const spoils: fc.Arbitrary<Spoil> = fc.record({
  how: fc.constantFrom<Spoil['how']>(
    'flip',
    'drop a line',
    'double a line',
    'swap lines',
    'truncate',
    'zero',
    'cut out',
    'mark a conflict',
    'end lines with CR LF',
  ),
  one: place,
  two: place,
  three: place,
  size: fc.noBias(fc.nat(600)),
});
