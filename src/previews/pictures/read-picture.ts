// Reading the pictures that a request names, of every size and orientation, and files that are no pictures at all.
import { type FileHandle, open } from 'node:fs/promises';
import type { Metadata, Sharp } from 'sharp';
import sharp from 'sharp';
import { err, ok, type Result } from '../../base/result.ts';
import type { ProjectError } from '../../contract/api/project.ts';
import { whileReserved } from '../base/decode-memory.ts';
import type { RenderInput } from '../base/request.ts';
import { notFetched, placeholder } from './card.ts';
import { type Decoder, readFormat } from './file-format.ts';
import { type Picture, pictureOf, type Size, sharpOf } from './picture.ts';
import { isComplete } from './undecoded.ts';

/** The longest side of what is rendered, in pixels. */
const maxWorkingSide = 1600;
/** Smaller pictures are enlarged until the rehearsal mark can be read. */
const minWorkingSide = 96;
/** A larger picture is refused before it is decoded. */
const maxPixels = 100_000_000;
/** Four channels of 16 bits: what decoding a picture may take in memory is bounded by this times `maxPixels`. */
const maxBytesPerPixel = 8;
/** The size of a placeholder. */
const placeholderSize: Size = { width: 768, height: 768 };
/** CMYK with alpha. */
const maxChannels = 5;

// The library remembers opened files by their names; an upload that is put again would show its old picture (seen
// with WebP), and files that were deleted would stay open.
sharp.cache(false);

export interface InputPicture extends Picture {
  /** True for what stands for a picture that was not fetched, or whose format is not decoded here. */
  readonly isPlaceholder: boolean;
}

/** Reads an input's picture. A picture that cannot be read is the project's error, which names the input. */
export async function readPicture(
  input: RenderInput,
  side = maxWorkingSide,
): Promise<Result<InputPicture, ProjectError>> {
  const found = await inspect(input);
  if (!found.ok) return found;
  const what = found.value;
  if (what.kind === 'placeholder') {
    const picture = await placeholder(what.title, input.reference, placeholderSize);
    return ok({ ...picture, isPlaceholder: true });
  }
  const picture = await decoded(input, what, side);
  return picture.ok ? ok({ ...picture.value, isPlaceholder: false }) : picture;
}

/** The upright size of an input's picture in pixels, without decoding it; an error as of `readPicture`. */
export async function pictureSize(input: RenderInput): Promise<Result<Size, ProjectError>> {
  const found = await inspect(input);
  if (!found.ok) return found;
  return ok(found.value.kind === 'placeholder' ? placeholderSize : found.value.header.autoOrient);
}

/** A picture whose header is valid and within the limits, or a picture that is not decoded. */
type Inspected =
  | { readonly kind: 'placeholder'; readonly title: string }
  | {
      readonly kind: 'picture';
      readonly file: string;
      readonly name: string;
      readonly header: Metadata;
    };

async function inspect(input: RenderInput): Promise<Result<Inspected, ProjectError>> {
  const { file } = input;
  if (file === undefined) return ok({ kind: 'placeholder', title: notFetched });
  const handle = await open(file);
  try {
    const format = await readFormat(handle);
    switch (format.kind) {
      case 'other':
      case 'sound':
        return unreadable(input, `it is ${format.name}`);
      case 'undecoded':
        if (!isComplete(handle.fd, format.name)) return unreadable(input, broken(format.name));
        // The hosted service takes these.
        return ok({ kind: 'placeholder', title: `${format.name} picture` });
      case 'picture':
        if (await hasTooManyParts(handle, format.decoder))
          return tooLarge(input, `it has more than ${maxParts} frames or pages`);
        return await decodable(input, file, format);
    }
  } finally {
    await handle.close();
  }
}

/** Lets the decoder read the header only. */
async function decodable(
  input: RenderInput,
  file: string,
  { name, decoder }: { readonly name: string; readonly decoder: Decoder },
): Promise<Result<Inspected, ProjectError>> {
  try {
    const header = await sharp(file, { limitInputPixels: false, failOn: 'error' }).metadata();
    if (header.format !== decoder) return unreadable(input, broken(name));
    if (!fits(header)) return tooLarge(input, pixelsIn(header));
    return ok({ kind: 'picture', file, name, header });
  } catch (reason) {
    return refused(input, name, reason);
  }
}

async function decoded(
  input: RenderInput,
  { file, name, header }: Extract<Inspected, { readonly kind: 'picture' }>,
  side: number,
): Promise<Result<Picture, ProjectError>> {
  try {
    const picture = await whileReserved(pictureBytes(header), () => {
      const source = sharp(file, { limitInputPixels: maxPixels, failOn: 'error' });
      return sized(source.autoOrient(), side);
    });
    return picture.ok ? picture : tooLarge(input, picture.error);
  } catch (reason) {
    return refused(input, name, reason);
  }
}

function refused(input: RenderInput, name: string, reason: unknown): Result<never, ProjectError> {
  if (reason instanceof Error && beyondLimits.test(reason.message))
    return tooLarge(input, `no ${name} picture of its size can be read`);
  // The library's own message may name our files, and does not distinguish a damaged file from a truncated one.
  return unreadable(input, broken(name));
}

/** What the decoders of JPEG and WebP say about sizes beyond their limits. */
const beyondLimits = /maximum supported image dimension|bad image dimensions|pixel limit/i;

const broken = (name: string): string =>
  `it is ${name === 'AVIF' ? 'an' : 'a'} ${name} picture that is damaged, cut off, or written in an unusual way`;

function fits(header: Metadata): boolean {
  const { width, height, channels } = header;
  const bytes = Math.max(maxBytesPerPixel, pixelBytes(header));
  return channels <= maxChannels && width * height * bytes <= maxPixels * maxBytesPerPixel;
}

function unreadable({ field, reference }: RenderInput, why: string): Result<never, ProjectError> {
  return err({
    code: 'invalid_file_format',
    message: `The picture of ${field} (${reference}) cannot be read: ${why}`,
  });
}

function tooLarge({ field, reference }: RenderInput, why: string): Result<never, ProjectError> {
  return err({
    code: 'file_too_large',
    message: `The picture of ${field} (${reference}) is too large: ${why}`,
  });
}

const pixelsIn = ({ width, height }: Size): string =>
  `it has ${width} by ${height} pixels, and 100 megapixels are the most`;

/** Runs a pipeline, within the sizes that renderers work with. */
async function sized(source: Sharp, side: number): Promise<Picture> {
  const picture = await pictureOf(
    source.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true }),
  );
  if (picture.width >= minWorkingSide && picture.height >= minWorkingSide) return picture;
  return pictureOf(
    sharpOf(picture).resize({
      width: Math.max(picture.width, minWorkingSide),
      height: Math.max(picture.height, minWorkingSide),
      fit: 'contain',
      background: { r: 0, g: 0, b: 0, alpha: 0 },
    }),
  );
}

// The most memory that decoding takes, computed from the header alone. The factors are the measured growth of a process
// that decodes pictures of 25 megapixels, rounded up.

const sampleBytes: Readonly<Record<Metadata['depth'], number>> = {
  char: 1,
  uchar: 1,
  short: 2,
  ushort: 2,
  int: 4,
  uint: 4,
  float: 4,
  double: 8,
  complex: 8,
  dpcomplex: 16,
};

/** Bytes of one pixel as the file has it. */
const pixelBytes = ({ channels, depth }: Pick<Metadata, 'channels' | 'depth'>): number =>
  channels * sampleBytes[depth];

type Header = Pick<
  Metadata,
  'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive'
>;

/** What a decoder needs besides the picture: rows, tables, and our own scaled copy. */
const baseBytes = 32 * 2 ** 20;

export function pictureBytes(header: Header): number {
  return baseBytes + Math.ceil(header.width * header.height * decodedPixelBytes(header));
}

function decodedPixelBytes(header: Header): number {
  const pixel = pixelBytes(header);
  switch (header.format) {
    // Rows are decoded one by one, unless the picture is interlaced: then the whole picture and a buffer are needed.
    case 'png':
      return header.isProgressive ? pixel * 1.3 : pixel * 0.5;
    // A progressive one is kept as coefficients of two bytes until its last pass.
    case 'jpeg':
      return header.isProgressive ? header.channels * 2.4 : header.channels;
    // Two canvases of four bytes.
    case 'gif':
    case 'webp':
      return 8;
    // Planes of up to two bytes for each channel, filtered copies of them, and the picture.
    case 'heif':
      return 20;
    // One strip or tile may be the whole picture.
    default:
      return pixel * 1.5;
  }
}

// How many parts a picture file has: frames, pages, chunks. Only the first picture of a file is ever shown, but the
// decoders look at all parts to open it, some in a time that grows with the square of their number. So they are
// counted beforehand, which costs next to nothing.

/** More than films have that people send as pictures. */
const maxParts = 10_000;

/** Whether a file has more parts than are looked through. A file that is damaged ends where it makes no sense. */
async function hasTooManyParts(file: FileHandle, decoder: Decoder): Promise<boolean> {
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
    if (count > maxParts) return true;
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
