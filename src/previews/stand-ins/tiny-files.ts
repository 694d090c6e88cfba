// Valid pictures and clips of any size in a few bytes, written by hand: thousands of them are made in tests.
import { crc32, deflateSync } from 'node:zlib';
import type { Colour } from '../pictures/canvas.ts';
import type { Size } from '../pictures/picture.ts';

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex');

/** The compressed pixels of each size that was asked for last: zeros, which name the palette's only colour. */
const blanks = new Map<string, Buffer>();
const mostBlanks = 64;

/** A PNG of one colour; pictures with different comments have different bytes. */
export function tinyPng({ width, height }: Size, colour: Colour, comment: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit a pixel, from a palette.
  header[8] = 1;
  header[9] = 3;
  return Buffer.concat([
    pngSignature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colour)),
    chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1')),
    chunk('IDAT', blankOf({ width, height })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function blankOf({ width, height }: Size): Buffer {
  const key = `${width}x${height}`;
  const known = blanks.get(key);
  if (known !== undefined) return known;
  const blank = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))), { level: 1 });
  const [oldest] = blanks.keys();
  if (blanks.size >= mostBlanks && oldest !== undefined) blanks.delete(oldest);
  blanks.set(key, blank);
  return blank;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** What a GIF can say of one frame, in hundredths of a second. */
const longestDelay = 65_535;

/** A GIF of two frames that are shown for so many seconds together. */
export function tinyGif(
  { width, height }: Size,
  seconds: number,
  colour: Colour,
  comment: string,
): Buffer {
  const screen = Buffer.from([0, 0, 0, 0, 0x80, 0, 0]);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  const said = Buffer.from(comment.slice(0, 255), 'latin1');
  const frame = Buffer.from('21f9040000000000' + '2c00000000010001000002024401' + '00', 'hex');
  frame.writeUInt16LE(Math.min(longestDelay, Math.max(1, Math.round(seconds * 50))), 4);
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    screen,
    Buffer.from([...colour, 0, 0, 0]),
    Buffer.from([0x21, 0xfe, said.length]),
    said,
    Buffer.from([0]),
    frame,
    frame,
    Buffer.from([0x3b]),
  ]);
}
