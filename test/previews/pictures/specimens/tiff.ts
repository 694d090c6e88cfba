// TIFF files put together tag by tag: byte orders, pages in circles, strips that are not there, sizes that lie.
import {
  type Expectation,
  invalid,
  motif,
  motifSeen,
  read,
  type Specimen,
  tooLarge,
  undecided,
} from './specimen.ts';

/** Tag, type (3 is two bytes, 4 is four) and value. */
type Entry = readonly [number, 3 | 4, number];

const tag = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  stripBytes: 279,
  planes: 284,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileBytes: 325,
  sampleFormat: 339,
} as const;

const dataAt = 8;

interface Shape {
  readonly order?: 'II' | 'MM';
  readonly data: Buffer;
  readonly pages: readonly (readonly Entry[])[];
  /** Where the last page says that the next one is. */
  readonly last?: 'end' | 'first' | 'itself' | 'beyond';
}

/** The data first, then the pages one behind the other. */
export function tiff({ order = 'II', data, pages, last = 'end' }: Shape): Buffer {
  const little = order === 'II';
  const write = (length: number, value: number): Buffer => {
    const bytes = Buffer.alloc(length);
    if (little) bytes.writeUIntLE(value, 0, length);
    else bytes.writeUIntBE(value, 0, length);
    return bytes;
  };
  const body = Buffer.concat([data, Buffer.alloc(data.length % 2)]);
  const first = dataAt + body.length;
  const out = [Buffer.from(order), write(2, 42), write(4, first), body];
  let at = first;
  for (const [index, entries] of pages.entries()) {
    const length = 2 + entries.length * 12 + 4;
    const next = { end: 0, first, itself: at, beyond: 0x7ffffff0 }[last];
    out.push(
      write(2, entries.length),
      ...[...entries]
        .sort(([a], [b]) => a - b)
        .map(([name, type, value]) =>
          Buffer.concat([
            write(2, name),
            write(2, type),
            write(4, 1),
            type === 3 ? Buffer.concat([write(2, value), Buffer.alloc(2)]) : write(4, value),
          ]),
        ),
      write(4, index === pages.length - 1 ? next : at + length),
    );
    at += length;
  }
  return Buffer.concat(out);
}

/** A grey page of a single strip. */
export function page(
  across: number,
  down: number,
  changes: readonly Entry[] = [],
): readonly Entry[] {
  const entries: readonly Entry[] = [
    [tag.width, 4, across],
    [tag.height, 4, down],
    [tag.bits, 3, 8],
    [tag.compression, 3, 1],
    [tag.photometric, 3, 1],
    [tag.stripOffsets, 4, dataAt],
    [tag.samples, 3, 1],
    [tag.rowsPerStrip, 4, down],
    [tag.stripBytes, 4, across * down],
  ];
  const changed = new Map(entries.map((entry) => [entry[0], entry]));
  for (const entry of changes) changed.set(entry[0], entry);
  return [...changed.values()];
}

export function tagged(): readonly Specimen[] {
  const { width, height, pixels } = motif();
  const data = pixels.subarray(0, width * height);
  const seen = read(width, height);
  const rgb = page(width, height, [
    [tag.photometric, 3, 2],
    [tag.samples, 3, 3],
    [tag.stripBytes, 4, pixels.length],
  ]);
  const one = (...changes: readonly Entry[]): Buffer =>
    tiff({ data, pages: [page(width, height, changes)] });
  const same = (count: number): readonly (readonly Entry[])[] =>
    Array.from({ length: count }, () => page(width, height));
  const all: Readonly<Record<string, readonly [Uint8Array, Expectation]>> = {
    grey: [one(), seen],
    colour: [tiff({ data: pixels, pages: [rgb] }), motifSeen(0)],
    'big-end-first': [tiff({ order: 'MM', data: pixels, pages: [rgb] }), motifSeen(0)],
    'white-is-zero': [one([tag.photometric, 3, 0]), seen],
    'two-thousand-pages': [tiff({ data, pages: same(2000) }), seen],
    'eleven-thousand-pages': [tiff({ data, pages: same(11_000) }), tooLarge],
    'pages-in-a-circle': [tiff({ data, pages: same(3), last: 'first' }), tooLarge],
    'page-that-follows-itself': [tiff({ data, pages: same(1), last: 'itself' }), tooLarge],
    'page-beyond-the-end': [tiff({ data, pages: same(2), last: 'beyond' }), undecided],
    'no-pages': [tiff({ data, pages: [] }), invalid],
    'no-tags': [tiff({ data, pages: [[]] }), invalid],
    'only-first-bytes': [Buffer.from('49492a00', 'hex'), invalid],
    'pages-begin-beyond-the-end': [Buffer.from('49492a00ffffff7f', 'hex'), invalid],
    'pages-begin-at-the-header': [Buffer.from('49492a0000000000', 'hex'), invalid],
    'strip-beyond-the-end': [one([tag.stripOffsets, 4, 0x7fffff00]), invalid],
    'strip-longer-than-file': [one([tag.stripBytes, 4, 0x7fffff00]), undecided],
    'strip-of-nothing': [one([tag.stripBytes, 4, 0]), undecided],
    'strip-of-no-rows': [one([tag.rowsPerStrip, 4, 0]), undecided],
    'strip-of-all-rows-there-are': [one([tag.rowsPerStrip, 4, 0xffffffff]), undecided],
    'no-width': [one([tag.width, 4, 0]), invalid],
    'no-height': [one([tag.height, 4, 0]), invalid],
    'says-100000-by-100000': [one([tag.width, 4, 100_000], [tag.height, 4, 100_000]), tooLarge],
    'says-ten-million-wide': [one([tag.width, 4, 10_000_000]), tooLarge],
    'says-9000-by-9000': [one([tag.width, 4, 9000], [tag.height, 4, 9000]), invalid],
    'says-65535-samples': [one([tag.samples, 3, 65_535]), undecided],
    'says-six-samples': [one([tag.samples, 3, 6], [tag.photometric, 3, 2]), undecided],
    'says-seven-bits': [one([tag.bits, 3, 7]), undecided],
    'says-sixty-four-bits': [one([tag.bits, 3, 64]), undecided],
    'says-doubles': [one([tag.bits, 3, 64], [tag.sampleFormat, 3, 3]), undecided],
    'says-signed': [one([tag.sampleFormat, 3, 2]), undecided],
    'says-complex': [one([tag.bits, 3, 64], [tag.sampleFormat, 3, 6]), undecided],
    'packed-in-no-known-way': [one([tag.compression, 3, 9999]), invalid],
    ...Object.fromEntries(
      [2, 3, 4, 5, 7, 8, 32773, 32809, 34661, 34712, 34925, 50000, 50001, 50002].map((way) => [
        `says-packing-${way}`,
        [one([tag.compression, 3, way]), undecided],
      ]),
    ),
    'says-palette-and-has-none': [one([tag.photometric, 3, 3]), undecided],
    'says-lab': [one([tag.photometric, 3, 8]), undecided],
    'says-cmyk': [one([tag.photometric, 3, 5]), undecided],
    'says-camera-raw': [one([tag.photometric, 3, 32_803]), undecided],
    'says-logarithms': [one([tag.photometric, 3, 32_845], [tag.compression, 3, 34_676]), undecided],
    'tiles-as-large-as-can-be': [
      one(
        [tag.tileWidth, 4, 65_536],
        [tag.tileLength, 4, 65_536],
        [tag.tileOffsets, 4, dataAt],
        [tag.tileBytes, 4, 100],
      ),
      undecided,
    ],
    'tiles-of-nothing': [one([tag.tileWidth, 4, 0], [tag.tileLength, 4, 0]), undecided],
    'held-nine': [one([tag.orientation, 3, 9]), undecided],
    'planes-apart': [one([tag.planes, 3, 2], [tag.samples, 3, 3]), undecided],
  };
  return Object.entries(all).map(([name, [bytes, expected]]) => ({
    name: `tags-${name}.tif`,
    bytes,
    expected,
  }));
}
