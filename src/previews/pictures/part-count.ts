// How many parts a picture file has: frames, pages, chunks. Only the first picture of a file is ever shown, but the
// decoders look at all parts to open it, some in a time that grows with the square of their number. So they are
// counted beforehand, which costs next to nothing.
import type { FileHandle } from 'node:fs/promises';
import type { Decoder } from './file-format.ts';

/** More than films have that people send as pictures. */
export const mostParts = 10_000;

/** Whether a file has more parts than are looked through. A file that is damaged ends where it makes no sense. */
export async function hasTooManyParts(file: FileHandle, decoder: Decoder): Promise<boolean> {
  const { size } = await file.stat();
  const bytes = new Window(file, size);
  switch (decoder) {
    case 'webp':
      return isEndless(chunksOf(bytes));
    case 'gif':
      return isEndless(framesOf(bytes));
    case 'tiff':
      return isEndless(pagesOf(bytes));
    default:
      // JPEG and PNG are read in one go, and the decoder of AVIF has limits of its own.
      return false;
  }
}

async function isEndless(parts: AsyncIterable<unknown>): Promise<boolean> {
  let count = 0;
  for await (const _ of parts) {
    count += 1;
    if (count > mostParts) return true;
  }
  return false;
}

const windowBytes = 1 << 16;

/** A file as if it were in memory, read a piece at a time. */
class Window {
  readonly size: number;
  readonly #file: FileHandle;
  readonly #piece = Buffer.alloc(windowBytes);
  #start = 0;
  #end = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** So many bytes from a position on; undefined when the file does not have them. */
  async at(position: number, length: number): Promise<Buffer | undefined> {
    if (position < 0 || position + length > this.size) return undefined;
    if (position < this.#start || position + length > this.#end) {
      const { bytesRead } = await this.#file.read(this.#piece, 0, windowBytes, position);
      this.#start = position;
      this.#end = position + bytesRead;
      if (bytesRead < length) return undefined;
    }
    return this.#piece.subarray(position - this.#start, position - this.#start + length);
  }
}

/** RIFF: chunks of a name, a length and so many bytes, padded to even lengths. */
async function* chunksOf(bytes: Window): AsyncGenerator<number> {
  for (let at = 12; ; ) {
    const head = await bytes.at(at, 8);
    if (head === undefined) return;
    yield at;
    const length = head.readUInt32LE(4);
    at += 8 + length + (length % 2);
  }
}

const gifImage = 0x2c;
const gifExtension = 0x21;

/** GIF: extensions and frames, whose data are rows of blocks that say how long they are; none ends a row. */
async function* framesOf(bytes: Window): AsyncGenerator<number> {
  const screen = await bytes.at(0, 13);
  if (screen === undefined) return;
  let at = 13 + paletteBytes(screen.readUInt8(10));
  for (;;) {
    const kind = (await bytes.at(at, 1))?.readUInt8();
    if (kind === gifImage) {
      const frame = await bytes.at(at, 10);
      if (frame === undefined) return;
      yield at;
      at += 11 + paletteBytes(frame.readUInt8(9));
    } else if (kind === gifExtension) at += 2;
    else return;
    let length: number;
    do {
      length = (await bytes.at(at, 1))?.readUInt8() ?? 0;
      at += 1 + length;
    } while (length > 0);
  }
}

/** The highest bit says whether there is a palette, the lowest three how large it is. */
const paletteBytes = (flags: number): number => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

/** TIFF: pages, each with the place of the next, in one of two byte orders and in a plain and a big variant. */
async function* pagesOf(bytes: Window): AsyncGenerator<number> {
  const head = await bytes.at(0, 16).then((found) => found ?? bytes.at(0, 8));
  if (head === undefined) return;
  const little = head.readUInt8(0) === 0x49;
  const big = (little ? head.readUInt16LE(2) : head.readUInt16BE(2)) === 43;
  const place = big ? 8 : 4;
  const number = async (position: number, length: number): Promise<number> => {
    const found = await bytes.at(position, length);
    if (found === undefined) return 0;
    if (length === 8) return Number(little ? found.readBigUInt64LE() : found.readBigUInt64BE());
    return little ? found.readUIntLE(0, length) : found.readUIntBE(0, length);
  };
  let at = await number(place, place);
  while (at > 0) {
    yield at;
    const entries = await number(at, big ? 8 : 2);
    at = await number(at + (big ? 8 + entries * 20 : 2 + entries * 12), place);
  }
}
