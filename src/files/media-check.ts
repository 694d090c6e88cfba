// Whether a file is the medium that its name says, and whether it was cut off: by its first bytes, its structure and
// its end. Knows less than a decoder, and says nothing of a file that it cannot judge.
import { closeSync, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { NotRegularFile, openRegularSync } from '../base/regular-file.ts';
import { isSystemProblem, systemCode, systemReason } from '../base/system-error.ts';
import { extensionOf, mediaTypeOf } from '../contract/api/asset.ts';
import {
  type Decoder,
  type FileFormat,
  formatOf,
  headBytes,
  readFormat,
  unknownFormat,
} from './file-format.ts';
import { boxesOf, bytesAt, isComplete } from './undecoded.ts';

/** `wrong`: `why` is the end of a sentence about the file. `unknown`: nothing here can judge the file. */
export type MediaVerdict =
  | { readonly is: 'fine' }
  | { readonly is: 'unknown' }
  | { readonly is: 'wrong'; readonly why: string };

/** A file to upload. Reads a few bytes, unless a picture does not end where its format ends. Throws system errors. */
export function checkInput(path: string): MediaVerdict {
  return withFile(path, (file) => {
    const format = formatOf(bytesAt(file, 0, headBytes));
    const misfit = misfitOf(extensionOf(path), format);
    if (misfit !== undefined) return { is: 'wrong', why: misfit };
    return checkEnd(file, format);
  });
}

/** A result, whose name says nothing certain about its format. Throws system errors. */
const checkResult = (path: string): MediaVerdict =>
  withFile(path, (file) => checkEnd(file, formatOf(bytesAt(file, 0, headBytes))));

/** True if the file ends where its format says. False if its format does not say where that is. Throws system errors. */
export const showsItsEnd = (path: string): boolean =>
  withFile(path, (file) => {
    const format = formatOf(bytesAt(file, 0, headBytes));
    return isCutOff(file, fstatSync(file).size, format) === false;
  });

function withFile<Answer>(path: string, check: (file: number) => Answer): Answer {
  const file = openRegularSync(path);
  try {
    return check(file);
  } finally {
    closeSync(file);
  }
}

/** ISO files with a brand that the table of formats does not know may be pictures, too. */
const isoPictures = ['heic', 'heif', 'avif'];

/** Why the service cannot use a file with this extension; undefined if it may. */
function misfitOf(extension: string, format: FileFormat): string | undefined {
  const media = extension === 'gif' ? 'image' : mediaTypeOf(extension);
  if (media === 'image') {
    if (format.kind === 'other') return `is ${format.name}`;
    if (format.kind === 'sound' && !isoPictures.includes(extension))
      return `is ${format.name}, not a picture`;
    return undefined;
  }
  // Clips and sounds begin in more ways than the table has.
  if (format.kind === 'other') return format === unknownFormat ? undefined : `is ${format.name}`;
  return format.kind === 'picture' && (format.decoder === 'jpeg' || format.decoder === 'png')
    ? `is a ${format.name} picture, not a ${media === 'video' ? 'clip' : 'sound'}`
    : undefined;
}

function checkEnd(file: number, format: FileFormat): MediaVerdict {
  const { size } = fstatSync(file);
  const isCut = isCutOff(file, size, format);
  if (isCut === undefined) return { is: format === unknownFormat ? 'unknown' : 'fine' };
  if (!isCut) return { is: 'fine' };
  const name = 'name' in format && format.kind !== 'sound' ? `${format.name} picture` : undefined;
  const article = /^A/.test(name ?? '') ? 'an' : 'a';
  return {
    is: 'wrong',
    why: `is ${name === undefined ? format.name : `${article} ${name}`} that was cut off`,
  };
}

/** Undefined if this cannot be told. */
function isCutOff(file: number, size: number, format: FileFormat): boolean | undefined {
  switch (format.kind) {
    case 'undecoded':
      return !isComplete(file, format.name);
    case 'picture':
      switch (format.decoder) {
        case 'jpeg':
          return isCutJpeg(file, size);
        case 'png':
          return !endsWith(file, size, endOfPng) && !hasBytes(file, 8, endOfPng);
        case 'webp':
          return bytesAt(file, 4, 4).readUInt32LE(0) + 8 > size + 1;
        case 'heif':
          return !isComplete(file, 'AVIF');
        case 'gif':
          return isCutGif(file, size);
        case 'tiff':
          return undefined;
      }
      return undefined;
    case 'sound': {
      const head = bytesAt(file, 0, 8);
      if (head.toString('latin1', 0, 4) === 'RIFF') return isCutRiff(head, size);
      if (head.readUInt32BE(0) === ebmlHeader) return isCutMatroska(file, size);
      if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
      const { names, isCut, cut } = boxesOf(file, size);
      // Without the box that describes its tracks, nobody can play a clip; without the end of its media, only a part of it.
      return cut === 'mdat' || (isCut && !names.includes('moov') && !names.includes('moof'));
    }
    case 'other':
      return undefined;
  }
}

/** The whole last chunk of a PNG: no length, its name, its checksum. */
const endOfPng = Buffer.from('0000000049454e44ae426082', 'hex');
/** A program that did not know the length wrote none, or the greatest one. */
function isCutRiff(head: Buffer, size: number): boolean | undefined {
  const length = head.readUInt32LE(4);
  return length === 0 || length >= 0x7fff_f000 ? undefined : length + 8 > size + 1;
}

/** Begins WebM and Matroska files. */
const ebmlHeader = 0x1a45dfa3;
const segment = 0x18538067;

/** All but the header is in one segment. Of a stream, which was written as it came, its length is unknown: all bits are set. */
function isCutMatroska(file: number, size: number): boolean | undefined {
  for (let at = 0; at < size; ) {
    const head = bytesAt(file, at, 12);
    const idBytes = numberBytes(head[0]);
    const lengthBytes = numberBytes(head[idBytes]);
    if (idBytes > 4 || lengthBytes > 8 || head.length < idBytes + lengthBytes) return undefined;
    const bits = BigInt.asUintN(
      7 * lengthBytes,
      bigIntOf(head.subarray(idBytes, idBytes + lengthBytes)),
    );
    if (bits === (1n << BigInt(7 * lengthBytes)) - 1n) return undefined;
    at += idBytes + lengthBytes + Number(bits);
    if (head.readUInt32BE(0) === segment) return at > size;
  }
  return true;
}

/** Of a number of EBML (RFC 8794), whose first byte says how many follow. More than 8: it is none. */
const numberBytes = (first = 0): number => Math.clz32(first) - 23;

const bigIntOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`);

const endOfGif = Buffer.from(';');

/** Some programs leave out the last byte: a file that ends behind a block is whole. */
function isCutGif(file: number, size: number): boolean {
  if (endsWith(file, size, endOfGif)) return false;
  const tableBytes = (flags: number): number => (flags < 0x80 ? 0 : 3 << ((flags & 7) + 1));
  let at = 13 + tableBytes(bytesAt(file, 10, 1)[0] ?? 0);
  while (at < size) {
    const block = bytesAt(file, at, 10);
    if (block[0] === 0x2c) at += 11 + tableBytes(block[9] ?? 0);
    else if (block[0] === 0x21) at += 2;
    // The end, or bytes that are no block: what follows a whole picture does no harm.
    else return false;
    for (let length = -1; length !== 0; at += 1 + length) {
      length = bytesAt(file, at, 1)[0] ?? -1;
      if (length < 0) return true;
    }
  }
  return at > size;
}

const endOfJpeg = Buffer.from('ffd9', 'hex');
const startOfScan = 0xda;

function isCutJpeg(file: number, size: number): boolean | undefined {
  if (endsWith(file, size, endOfJpeg)) return false;
  // Some cameras append a clip or a preview. Segments, which may contain pictures of their own, are skipped.
  for (let at = 2; ; ) {
    const head = bytesAt(file, at, 4);
    if (head.length < 4) return true;
    if (head[0] !== 0xff) return undefined;
    // Bytes of padding may stand before a marker.
    if (head[1] === 0xff) at += 1;
    else if (head[1] === startOfScan) return !hasBytes(file, at, endOfJpeg);
    else at += 2 + head.readUInt16BE(2);
  }
}

function endsWith(file: number, size: number, end: Buffer): boolean {
  return size >= end.length && bytesAt(file, size - end.length, end.length).equals(end);
}

const chunkBytes = 1 << 18;

/** Whether the bytes are anywhere in the file from a position on. */
function hasBytes(file: number, from: number, wanted: Buffer): boolean {
  for (let at = from; ; at += chunkBytes) {
    const chunk = bytesAt(file, at, chunkBytes + wanted.length - 1);
    if (chunk.includes(wanted)) return true;
    if (chunk.length < wanted.length) return false;
  }
}

// Whether a result can be decoded, before the only other copy of it is deleted. Loads a decoder only if the structure
// of the file says nothing against it.

/** What is wrong with the file, as the end of a sentence about it; undefined if nothing is, or if nobody can tell. */
export async function damageOf(path: string): Promise<string | undefined> {
  try {
    const verdict = checkResult(path);
    if (verdict.is !== 'fine') return verdict.is === 'wrong' ? verdict.why : undefined;
    await using file = await open(path);
    const format = await readFormat(file);
    if (format.kind !== 'picture' || !decoded.has(format.decoder)) return undefined;
    return (await canDecode(path))
      ? undefined
      : `is a ${format.name} picture that cannot be decoded`;
  } catch (error) {
    // In a run on several machines, the file may be on another one.
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof NotRegularFile) return error.message;
    if (!isSystemProblem(error)) throw error;
    return systemReason(error);
  }
}

/** What every build of the decoder reads, so that a failure is the file's. */
const decoded: ReadonlySet<Decoder> = new Set(['jpeg', 'png', 'webp', 'gif']);

/** A larger picture is not decoded. */
const maxPixels = 100_000_000;

async function canDecode(path: string): Promise<boolean> {
  const { default: sharp } = await import('sharp');
  const picture = sharp(path, { limitInputPixels: false, failOn: 'error', sequentialRead: true });
  try {
    const { width, height } = await picture.metadata();
    if (width * height > maxPixels) return true;
    // Every row of the picture is part of the result.
    await picture.resize(8, 8, { fit: 'fill' }).raw().toBuffer();
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}
