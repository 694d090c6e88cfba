// PNG files put together chunk by chunk, as no encoder would.
import { crc32, deflateSync } from 'node:zlib';
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

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Colour types: 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGB with alpha. */
const header = (width: number, height: number, depth = 8, colour = 2, interlace = 0): Buffer =>
  chunk(
    'IHDR',
    Buffer.concat([uint32(width), uint32(height), Buffer.from([depth, colour, 0, 0, interlace])]),
  );

const file = (...chunks: readonly Uint8Array[]): Buffer => Buffer.concat([signature, ...chunks]);

/** The motif's rows, each behind the number of its filter. */
function rows(filter = 0): Buffer {
  const { width, height, pixels } = motif();
  const lines = Array.from({ length: height }, (_, y) => [
    Buffer.from([filter]),
    pixels.subarray(y * width * 3, (y + 1) * width * 3),
  ]);
  return Buffer.concat(lines.flat());
}

const { width, height } = motif();
const head = header(width, height);
const packed = deflateSync(rows());
const data = chunk('IDAT', packed);
const end = chunk('IEND');
const seen = motifSeen(0);

/** A chunk of text whose words are packed: so many megabytes of nothing. */
const packedText = (megabytes: number): Buffer =>
  chunk(
    'zTXt',
    Buffer.concat([
      Buffer.from('Comment\0\0', 'latin1'),
      deflateSync(Buffer.alloc(megabytes << 20)),
    ]),
  );

const packedProfile = (profile: Buffer): Buffer =>
  chunk('iCCP', Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(profile)]));

const text = (words: string): Buffer => chunk('tEXt', Buffer.from(`Comment\0${words}`, 'latin1'));

/** Nothing but zeros, of any size; the size is true. */
export function blank(
  across: number,
  down: number,
  { depth = 8, colour = 2, interlace = 0 } = {},
): Buffer {
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colour] ?? 1;
  const row = Math.ceil((across * depth * samples) / 8) + 1;
  // An interlaced picture has more rows, each with its filter and its padding.
  const length = interlace === 0 ? row * down : Math.ceil(row * down * 1.05) + down * 16;
  const zeros = deflateSync(Buffer.alloc(length), { level: 1 });
  return file(header(across, down, depth, colour, interlace), chunk('IDAT', zeros), end);
}

const parts: Readonly<Record<string, readonly [Uint8Array, Expectation]>> = {
  'by-hand': [file(head, data, end), seen],
  'data-in-single-bytes': [
    file(head, ...Array.from(packed, (byte) => chunk('IDAT', Buffer.from([byte]))), end),
    seen,
  ],
  'data-in-empty-chunks': [file(head, chunk('IDAT'), data, chunk('IDAT'), end), seen],
  'text-between-data': [
    file(
      head,
      chunk('IDAT', packed.subarray(0, 50)),
      text('x'),
      chunk('IDAT', packed.subarray(50)),
      end,
    ),
    undecided,
  ],
  'text-before-header': [file(text('x'), head, data, end), invalid],
  'data-before-header': [file(data, head, end), invalid],
  'two-headers': [file(head, head, data, end), undecided],
  'no-header': [file(data, end), invalid],
  'no-data': [file(head, end), invalid],
  'no-end': [file(head, data), undecided],
  'only-signature': [signature, invalid],
  'only-header': [file(head), invalid],
  'after-the-end': [Buffer.concat([file(head, data, end), Buffer.alloc(5000, 'junk')]), seen],
  'unknown-chunk': [file(head, chunk('xyZz', Buffer.alloc(90)), data, end), seen],
  'unknown-chunk-that-matters': [file(head, chunk('XYZZ'), data, end), undecided],
  'wrong-checksum-of-header': [file(broken(head), data, end), invalid],
  'wrong-checksum-of-data': [file(head, broken(data), end), undecided],
  'wrong-checksum-of-text': [file(head, broken(text('x')), data, end), undecided],
  'chunk-longer-than-file': [
    file(head, Buffer.concat([uint32(0x7fffffff), Buffer.from('IDAT')]), packed),
    undecided,
  ],
  'too-little-data': [
    file(head, chunk('IDAT', deflateSync(rows().subarray(0, 999))), end),
    invalid,
  ],
  'too-much-data': [
    file(head, chunk('IDAT', deflateSync(Buffer.concat([rows(), Buffer.alloc(9999)]))), end),
    undecided,
  ],
  'data-not-packed': [file(head, chunk('IDAT', rows().subarray(0, 999)), end), invalid],
  'filter-of-its-own': [file(head, chunk('IDAT', deflateSync(rows(9))), end), invalid],
  'no-palette': [file(header(width, height, 8, 3), data, end), invalid],
  'empty-palette': [file(header(width, height, 8, 3), chunk('PLTE'), data, end), invalid],
  'depth-three': [file(header(width, height, 3), data, end), invalid],
  'colour-type-five': [file(header(width, height, 8, 5), data, end), invalid],
  'interlace-seven': [file(header(width, height, 8, 2, 7), data, end), invalid],
  'no-width': [file(header(0, height), data, end), invalid],
  'no-height': [file(header(width, 0), data, end), invalid],
  'width-negative': [file(header(0x80000001, height), data, end), invalid],
  'says-30000-by-30000': [file(header(30_000, 30_000), data, end), tooLarge],
  'says-10001-by-10000': [file(header(10_001, 10_000), data, end), tooLarge],
  'says-10000-by-10000': [file(header(10_000, 10_000, 1, 0), data, end), invalid],
  'says-a-million-by-one': [file(header(1_000_000, 1), data, end), invalid],
  'says-two-million-wide': [file(header(2_000_000, 96), data, end), tooLarge],
  'says-the-most': [file(header(0x7fffffff, 0x7fffffff), data, end), invalid],
  'gamma-none': [file(head, chunk('gAMA', uint32(0)), data, end), undecided],
  'gamma-linear': [file(head, chunk('gAMA', uint32(100_000)), data, end), read(width, height)],
  'whitepoint-nonsense': [file(head, chunk('cHRM', Buffer.alloc(32, 255)), data, end), undecided],
  'profile-of-rubbish': [file(head, packedProfile(Buffer.alloc(400, 7)), data, end), seen],
  'profile-cut': [file(head, chunk('iCCP', Buffer.from('p\0\0xx')), data, end), seen],
  'profile-bomb': [file(head, packedProfile(Buffer.alloc(16 << 20)), data, end), undecided],
  'text-bomb': [file(head, packedText(16), data, end), undecided],
  'text-bombs': [file(head, ...Array<Buffer>(10).fill(packedText(4)), data, end), undecided],
  'text-of-six-megabytes': [file(head, text('x'.repeat(6 << 20)), data, end), undecided],
  'texts-by-the-thousand': [
    file(head, ...Array.from({ length: 5000 }, (_, i) => text(`${i}`)), data, end),
    undecided,
  ],
  'exif-of-rubbish': [file(head, chunk('eXIf', Buffer.alloc(500, 1)), data, end), seen],
  'moving-without-frames': [file(head, chunk('acTL', Buffer.alloc(8)), data, end), seen],
  'moving-by-the-million': [
    file(head, chunk('acTL', Buffer.concat([uint32(9_999_999), uint32(0)])), data, end),
    seen,
  ],
  'blank-six-megapixels': [blank(4000, 1500, { depth: 1, colour: 0 }), read(1600, 600)],
  'blank-interlaced': [blank(640, 480, { depth: 16, colour: 6, interlace: 1 }), read(640, 480)],
};

/** With a checksum that is not its own. */
function broken(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  copy.writeUInt32BE((copy.readUInt32BE(copy.length - 4) ^ 1) >>> 0, copy.length - 4);
  return copy;
}

export const chunked = (): readonly Specimen[] =>
  Object.entries(parts).map(([name, [bytes, expected]]) => ({
    name: `chunks-${name}.png`,
    bytes,
    expected,
  }));
