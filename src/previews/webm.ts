// A clip as a WebM file of VP8 key frames: the one chunk of a lossy WebP picture is such a frame.
import type { Size } from './size.ts';

interface Clip extends Size {
  readonly fps: number;
  readonly seconds: number;
  /** Lossy WebP pictures without transparency, spread evenly over the clip. */
  readonly pictures: readonly Buffer[];
  readonly title?: string;
}

/** In a longer clip, a picture is one frame, which stays until the next. */
const mostFrames = 1800;

// The ids of elements are those of RFC 9559.
export function webm({ width, height, fps, seconds, pictures, title = '' }: Clip): Buffer {
  const count = Math.max(1, Math.round(seconds * fps));
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE((count / fps) * 1000);
  const msOf = (frame: number): number => Math.round((frame * 1000) / fps);
  const clusters = pictures.map((picture, index) => {
    const [first = 0, next = 0] = [index, index + 1].map((n) =>
      Math.round((n * count) / pictures.length),
    );
    const frame = vp8Of(picture);
    const blocks = Array.from({ length: count > mostFrames ? 1 : next - first }, (_, more) => {
      const head = Buffer.from([0x81, 0, 0, 0x80]);
      head.writeInt16BE(msOf(first + more) - msOf(first), 1);
      return element('a3', head, frame);
    });
    return element('1f43b675', element('e7', msOf(first)), ...blocks);
  });
  const names = [element('7ba9', title), element('4d80', 'shotlist'), element('5741', 'shotlist')];
  const track = [element('d7', 1), element('73c5', 1), element('83', 1), element('86', 'V_VP8')];
  const size = element('e0', element('b0', width), element('ba', height));
  return Buffer.concat([
    element('1a45dfa3', element('4282', 'webm'), element('4287', 4), element('4285', 2)),
    element(
      '18538067',
      element('1549a966', element('2ad7b1', 1_000_000), element('4489', duration), ...names),
      element('1654ae6b', element('ae', ...track, element('23e383', Math.round(1e9 / fps)), size)),
      ...clusters,
    ),
  ]);
}

/** An element of EBML (RFC 8794): its id in hexadecimal, its length in eight bytes, its content. */
function element(id: string, ...content: readonly (Buffer | number | string)[]): Buffer {
  const parts = content.map((part) => (typeof part === 'number' ? whole(part) : Buffer.from(part)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(parts.reduce((sum, part) => sum + part.length, 0)));
  length[0] = 1;
  return Buffer.concat([Buffer.from(id, 'hex'), length, ...parts]);
}

function whole(number: number): Buffer {
  const hex = number.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

/** A WebP file has chunks of a name, a length and an even number of bytes. */
function vp8Of(webp: Buffer): Buffer {
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    if (webp.toString('latin1', at, at + 4) === 'VP8 ')
      return webp.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
  }
  throw new Error('bug: not a lossy WebP picture without transparency');
}
