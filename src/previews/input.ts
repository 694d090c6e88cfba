// The files of a request, as untrusted as whoever sent them: what is no whole file of a supported format is the project's
// error, and only decoders that are made for untrusted pictures see any.
import { open } from 'node:fs/promises';
import pLimit from 'p-limit';
import sharp, { type OverlayOptions, type Sharp } from 'sharp';
import { type FileFormat, readFormat, unknownFormat } from '../files/file-format.ts';
import { clipHeader } from '../files/media-header.ts';
import { hasEndlessPages, isComplete } from '../files/undecoded.ts';
import type { RenderInput } from './renderer.ts';
import type { Size } from './size.ts';

/** A file that cannot be used: the project's error. */
export class BadInput extends Error {
  readonly code: string;
  /** `what`: the end of a sentence about the file. */
  constructor({ field, media, reference }: RenderInput, what: string, code?: string) {
    super(`The file of ${field} (${reference}) ${what}`);
    this.code = code ?? (media === 'video' ? 'invalid_video_file' : 'invalid_file_format');
  }
}

/** In sRGB, with four bytes a pixel. */
export interface Layer extends Size {
  readonly pixels: Buffer;
}

/** Upright, and not larger than previews need. */
export interface Picture extends Layer {
  /** The size of the file's picture. */
  readonly full: Size;
}

export const sharpOf = ({ pixels, width, height }: Layer): Sharp =>
  sharp(pixels, { raw: { width, height, channels: 4 } });

/** To be laid over another one. */
export const overlayOf = ({ pixels, width, height }: Layer): OverlayOptions => ({
  input: pixels,
  raw: { width, height, channels: 4 },
});

export async function layerOf(image: Sharp): Promise<Layer> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { pixels: data, width: info.width, height: info.height };
}

// A file that is put again under its name has another picture.
sharp.cache(false);

const maxPixels = 100_000_000;
/** What a decoder may hold at once; there are two of them. */
const maxBytes = 800_000_000;
const decoders = pLimit(2);
const longestSide = 1600;

/** Undefined for what is not decoded here: a URL of another host, or a format like HEIC. */
export async function readPicture(input: RenderInput): Promise<Picture | undefined> {
  const full = await pictureSize(input);
  if (full === undefined) return undefined;
  const image = () =>
    sharp(input.file, { limitInputPixels: maxPixels, failOn: 'error' })
      .autoOrient()
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .timeout({ seconds: 60 });
  return { ...(await decoders(() => readable(input, layerOf(image())))), full };
}

/** Upright, by the header. Undefined as of `readPicture`. */
export async function pictureSize(input: RenderInput): Promise<Size | undefined> {
  const { file } = input;
  const format = file === undefined ? undefined : await checkFormat(input, file);
  if (format?.kind !== 'picture') return undefined;
  const image = sharp(file, { limitInputPixels: maxPixels, failOn: 'error' });
  const header = await readable(input, image.metadata());
  // The planes of an AVIF are held several times.
  const bytes =
    format.decoder === 'heif' ? 20 : header.channels * (header.depth === 'uchar' ? 1 : 2);
  if (header.width * header.height * bytes > maxBytes) throw tooLarge(input);
  if (header.format !== format.decoder) throw new BadInput(input, damaged);
  return header.autoOrient;
}

/** By the first bytes: throws if the file is of another medium, or is seen to be cut off. */
export async function checkFormat(input: RenderInput, path: string): Promise<FileFormat> {
  await using file = await open(path);
  const format = await readFormat(file);
  const isPicture = format.kind === 'picture' || format.kind === 'undecoded';
  const isClip = format.kind === 'sound' || format === unknownFormat || format.name === 'GIF';
  if (input.media === 'image' ? !isPicture : !isClip)
    throw new BadInput(input, `is ${format.name}`);
  if (format.kind === 'undecoded' && !isComplete(file.fd, format.name))
    throw new BadInput(input, damaged);
  if (format.name === 'TIFF' && hasEndlessPages(file.fd)) throw tooLarge(input);
  return format;
}

const damaged = 'is damaged or was cut off';
const tooLarge = (input: RenderInput): BadInput =>
  new BadInput(input, 'is a picture that is too large to be decoded here', 'file_too_large');

/** The library's own messages may name our files. */
async function readable<T>(input: RenderInput, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isTooLarge = /maximum supported image dimension|bad image dimensions|pixel limit/i;
    throw isTooLarge.test(error.message) ? tooLarge(input) : new BadInput(input, damaged);
  }
}

export interface ClipFacts extends Size {
  readonly seconds: number;
  readonly fps: number | undefined;
}

/** By the header. Undefined for a URL of another host. */
export async function readClip(input: RenderInput): Promise<ClipFacts | undefined> {
  if (input.file === undefined) return undefined;
  await checkFormat(input, input.file);
  const { width, height, duration: seconds, fps } = await clipHeader(input.file);
  if (width !== undefined && height !== undefined && seconds !== undefined)
    return { width, height, seconds, fps };
  throw new BadInput(input, 'is no clip that can be read');
}
