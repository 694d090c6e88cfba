// GIF and WebP files put together by hand: films of thousands of frames, frames that do not fit, sizes that lie.
import {
  type Expectation,
  invalid,
  motif,
  motifSeen,
  read,
  type Specimen,
  sharpOfRaster,
  tooLarge,
  undecided,
} from './specimen.ts';

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const uint16 = (...values: readonly number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [value & 255, (value >> 8) & 255]));

/** A canvas with frames of one colour; each says that it is one pixel, whatever its size. */
export function gif(across: number, down: number, frames: readonly Frame[], end = true): Buffer {
  const palette = Buffer.from([0, 0, 0, 255, 0, 0]);
  const head = Buffer.concat([
    Buffer.from('GIF89a'),
    uint16(across, down),
    Buffer.from([0x80, 0, 0]),
  ]);
  const control = Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]);
  // Clear, colour 1, end: three codes of three bits.
  const data = Buffer.from([2, 2, 0x4c, 0x01, 0]);
  const pictures = frames.map(({ left, top, width, height }) =>
    Buffer.concat([
      control,
      Buffer.from([0x2c]),
      uint16(left, top, width, height),
      Buffer.from([0]),
      data,
    ]),
  );
  return Buffer.concat([head, palette, ...pictures, Buffer.from(end ? [0x3b] : [])]);
}

const dot: Frame = { left: 0, top: 0, width: 1, height: 1 };

export const film = (frames: number, across = 1, down = 1): Buffer =>
  gif(
    across,
    down,
    Array.from({ length: frames }, () => dot),
  );

function riff(...chunks: readonly Buffer[]): Buffer {
  const all = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(all.length);
  return Buffer.concat([Buffer.from('RIFF'), length, all]);
}

function part(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type), length, data, Buffer.alloc(data.length % 2)]);
}

const uint24 = (value: number): Buffer =>
  Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255]);

/** The header of a picture with more than pixels. Flags: 2 moving, 4 XMP, 8 EXIF, 16 alpha, 32 a profile. */
const extended = (flags: number, across: number, down: number): Buffer =>
  part(
    'VP8X',
    Buffer.concat([Buffer.from([flags, 0, 0, 0]), uint24(across - 1), uint24(down - 1)]),
  );

const movingHead = part('ANIM', Buffer.alloc(6));

/** A frame with its own picture. */
const movingFrame = (coded: Buffer, across: number, down: number): Buffer =>
  part(
    'ANMF',
    Buffer.concat([
      Buffer.alloc(6),
      uint24(across - 1),
      uint24(down - 1),
      uint24(100),
      Buffer.from([0]),
      coded,
    ]),
  );

export async function framed(): Promise<readonly Specimen[]> {
  const { width, height } = motif();
  const whole = await sharpOfRaster(motif()).webp({ lossless: true }).toBuffer();
  const small = (
    await sharpOfRaster(motif()).resize(8, 8).webp({ lossless: true }).toBuffer()
  ).subarray(12);
  const coded = whole.subarray(12);
  const seen = motifSeen(8);
  const moving = (count: number, across = 8, down = 8): Buffer =>
    riff(
      extended(2, across, down),
      movingHead,
      ...Array.from({ length: count }, () => movingFrame(small, 8, 8)),
    );
  /** The size of a lossless picture: 14 bits each, behind a signature byte. */
  const said = Buffer.from(whole);
  said.writeUInt32LE((16_383 | (16_383 << 14)) >>> 0, 21);
  const all: Readonly<Record<string, readonly [Uint8Array, Expectation]>> = {
    'one-dot.gif': [film(1), read(96, 96)],
    'ten-thousand-frames.gif': [film(10_000), read(96, 96)],
    'eleven-thousand-frames.gif': [film(11_000), tooLarge],
    'canvas-without-frames.gif': [gif(64, 64, []), invalid],
    'canvas-of-nothing.gif': [gif(0, 0, [dot]), undecided],
    'canvas-of-nothing-without-frames.gif': [gif(0, 0, []), invalid],
    'canvas-65535-by-65535.gif': [film(1, 65_535, 65_535), read(96, 96)],
    'canvas-20000-by-20000.gif': [film(3, 20_000, 20_000), read(96, 96)],
    'frame-outside.gif': [gif(64, 64, [{ left: 500, top: 500, width: 1, height: 1 }]), undecided],
    'frame-larger-than-canvas.gif': [
      gif(100, 100, [{ ...dot, width: 300, height: 300 }]),
      undecided,
    ],
    'frame-of-65535.gif': [gif(100, 100, [{ ...dot, width: 65_535, height: 65_535 }]), undecided],
    'frame-of-nothing.gif': [gif(100, 100, [{ ...dot, width: 0, height: 0 }]), undecided],
    'without-end.gif': [gif(100, 100, [{ ...dot, width: 100, height: 100 }], false), undecided],
    'only-first-bytes.gif': [Buffer.from('GIF89a'), invalid],
    'words.gif': [Buffer.from('GIF89a is a format for small films'), undecided],
    'by-hand.webp': [riff(coded), seen],
    'extended.webp': [riff(extended(0, width, height), coded), seen],
    'two-thousand-frames.webp': [moving(2000), read(96, 96)],
    'eleven-thousand-frames.webp': [moving(11_000), tooLarge],
    'moving-without-frames.webp': [moving(0), invalid],
    'moving-frame-larger-than-canvas.webp': [moving(2, 4, 4), invalid],
    'moving-canvas-of-1000.webp': [moving(2, 1000, 1000), read(1000, 1000)],
    'moving-canvas-of-16000.webp': [moving(2, 16_000, 16_000), tooLarge],
    'canvas-of-sixteen-million.webp': [riff(extended(0, 1 << 24, 1 << 24), coded), invalid],
    'canvas-other-than-picture.webp': [riff(extended(0, 500, 500), coded), undecided],
    'says-16384-by-16384.webp': [said, tooLarge],
    'empty.webp': [riff(), invalid],
    'with-empty-picture.webp': [riff(part('VP8 ', Buffer.alloc(0))), invalid],
    'with-unknown-chunk.webp': [
      riff(extended(0, width, height), part('ZZZZ', Buffer.alloc(99)), coded),
      seen,
    ],
    'with-profile-of-rubbish.webp': [
      riff(extended(32, width, height), part('ICCP', Buffer.alloc(300, 3)), coded),
      seen,
    ],
    'with-exif-of-rubbish.webp': [
      riff(extended(8, width, height), coded, part('EXIF', Buffer.alloc(300, 3))),
      seen,
    ],
    'after-the-end.webp': [Buffer.concat([whole, Buffer.alloc(999, 'x')]), seen],
    'length-too-small.webp': [shortened(whole), undecided],
  };
  return Object.entries(all).map(([name, [bytes, expected]]) => ({
    name: `frames-${name}`,
    bytes,
    expected,
  }));
}

/** Says of itself that it is shorter than it is. */
function shortened(file: Buffer): Buffer {
  const copy = Buffer.from(file);
  copy.writeUInt32LE(20, 4);
  return copy;
}
