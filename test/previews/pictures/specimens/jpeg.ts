// JPEG files with segments taken out, put in and changed.
import {
  type Expectation,
  height,
  invalid,
  motif,
  motifSeen,
  type Specimen,
  sharpOfRaster,
  tooLarge,
  undecided,
} from './specimen.ts';

interface Segment {
  readonly marker: number;
  /** With the marker and the length. */
  readonly bytes: Buffer;
}

/** A marker segment with its length. */
export function segment(marker: number, data: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** The segments before the first scan, and all from there on. */
function taken(file: Buffer): { readonly segments: readonly Segment[]; readonly scan: Buffer } {
  const segments: Segment[] = [];
  let at = 2;
  while (file[at + 1] !== 0xda) {
    const length = file.readUInt16BE(at + 2) + 2;
    segments.push({ marker: file[at + 1] ?? 0, bytes: file.subarray(at, at + length) });
    at += length;
  }
  return { segments, scan: file.subarray(at) };
}

const soi = Buffer.from([0xff, 0xd8]);
const eoi = Buffer.from([0xff, 0xd9]);

/** EXIF with a single entry: the orientation. */
function exifOf(orientation: number, next = 0): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  tiff.writeUInt32BE(next, 22);
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
}

export async function segmented(): Promise<readonly Specimen[]> {
  const file = await sharpOfRaster(motif()).jpeg({ quality: 95 }).toBuffer();
  const slow = await sharpOfRaster(motif()).jpeg({ quality: 95, progressive: true }).toBuffer();
  const { segments, scan } = taken(file);
  const frame = segments.find(({ marker }) => marker === 0xc0);
  if (frame === undefined) throw new Error('a baseline JPEG has a frame');
  const head = segments.map(({ bytes }) => bytes);
  const after = (...more: readonly Uint8Array[]): Buffer =>
    Buffer.concat([soi, ...more, ...head, scan]);
  const without = (...markers: readonly number[]): Buffer =>
    Buffer.concat([
      soi,
      ...segments.filter(({ marker }) => !markers.includes(marker)).map(({ bytes }) => bytes),
      scan,
    ]);
  const framed = (change: (frame: Buffer) => void): Buffer => {
    const changed = Buffer.from(frame.bytes);
    change(changed);
    return Buffer.concat([
      soi,
      ...segments.map((one) => (one === frame ? changed : one.bytes)),
      scan,
    ]);
  };
  const sized = (across: number, down: number): Buffer =>
    framed((bytes) => {
      bytes.writeUInt16BE(down, 5);
      bytes.writeUInt16BE(across, 7);
    });
  const comments = (count: number): readonly Buffer[] =>
    Array.from({ length: count }, () => segment(0xfe, Buffer.alloc(65_000, 'words ')));
  const profile = (data: Buffer): Buffer =>
    segment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), data]));
  const scans = taken(slow).scan.subarray(0, -2);
  const seen = motifSeen(20);
  const all: Readonly<Record<string, readonly [Uint8Array, Expectation]>> = {
    whole: [file, seen],
    'with-comments': [after(...comments(40)), seen],
    'with-php-in-a-comment': [
      after(segment(0xfe, Buffer.from('<?php system($_GET[0]); ?>'))),
      seen,
    ],
    'with-a-drawing-in-a-comment': [after(segment(0xfe, Buffer.from('<svg width="9"/>'))), seen],
    'with-exif-of-rubbish': [after(segment(0xe1, Buffer.from(`Exif\0\0${'x'.repeat(99)}`))), seen],
    'with-exif-in-circles': [after(segment(0xe1, exifOf(1, 8))), seen],
    'with-exif-beyond-its-end': [after(segment(0xe1, exifOf(1, 0x7fffffff))), seen],
    'with-exif-cut': [after(segment(0xe1, exifOf(1).subarray(0, 14))), seen],
    ...Object.fromEntries(
      [0, 9, 255, 65_535].map((held) => [
        `held-${held}`,
        [after(segment(0xe1, exifOf(held))), seen],
      ]),
    ),
    'with-profile-of-rubbish': [after(profile(Buffer.alloc(3000, 5))), seen],
    'with-empty-profile': [after(profile(Buffer.alloc(0))), seen],
    'with-profile-part-nine-of-two': [
      after(segment(0xe2, Buffer.from('ICC_PROFILE\0\x09\x02nothing', 'latin1'))),
      seen,
    ],
    'with-padding-between-segments': [after(Buffer.alloc(500, 0xff)), undecided],
    'with-rubbish-between-segments': [after(Buffer.alloc(500, 0x11)), undecided],
    'with-segment-of-no-length': [after(Buffer.from([0xff, 0xe5, 0, 0])), undecided],
    'twice-begun': [Buffer.concat([soi, file]), undecided],
    'after-the-end': [Buffer.concat([file, Buffer.alloc(9000, 'PK\x03\x04')]), seen],
    'without-end': [file.subarray(0, -2), undecided],
    'without-tables-of-numbers': [without(0xdb), invalid],
    'without-tables-of-codes': [without(0xc4), undecided],
    'without-frame': [without(0xc0), invalid],
    'without-scan': [Buffer.concat([soi, ...head, eoi]), invalid],
    'without-anything': [Buffer.concat([soi, eoi]), invalid],
    'only-first-bytes': [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), invalid],
    'two-frames': [Buffer.concat([soi, ...head, frame.bytes, scan]), invalid],
    'no-width': [sized(0, height), invalid],
    'no-height': [sized(128, 0), invalid],
    'says-65535-by-65535': [sized(65_535, 65_535), tooLarge],
    'says-65500-by-65500': [sized(65_500, 65_500), tooLarge],
    'says-10001-by-10000': [sized(10_001, 10_000), tooLarge],
    'says-larger': [sized(300, 300), undecided],
    'says-smaller': [sized(100, 100), undecided],
    'says-twelve-bits': [framed((bytes) => bytes.writeUInt8(12, 4)), invalid],
    'says-no-components': [framed((bytes) => bytes.writeUInt8(0, 9)), invalid],
    'says-forty-components': [framed((bytes) => bytes.writeUInt8(40, 9)), invalid],
    'says-odd-sampling': [framed((bytes) => bytes.writeUInt8(0x4f, 11)), undecided],
    'says-progressive': [framed((bytes) => bytes.writeUInt8(0xc2, 1)), undecided],
    'says-lossless': [framed((bytes) => bytes.writeUInt8(0xc3, 1)), invalid],
    'says-arithmetic': [framed((bytes) => bytes.writeUInt8(0xc9, 1)), undecided],
    'with-scans-by-the-hundred': [
      Buffer.concat([
        slow.subarray(0, slow.length - scans.length - 2),
        ...Array.from({ length: 300 }, () => scans),
        eoi,
      ]),
      undecided,
    ],
  };
  return Object.entries(all).map(([name, [bytes, expected]]) => ({
    name: `segments-${name}.jpg`,
    bytes,
    expected,
  }));
}
