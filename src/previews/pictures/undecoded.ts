// Pictures that the hosted service takes and that nothing here decodes. Their headers are read as far as one can see
// whether the file is whole and how large its picture is, so that a cut file is not mistaken for a good one.
import type { FileHandle } from 'node:fs/promises';
import type { UndecodedName } from './file-format.ts';
import type { Size } from './picture.ts';

export interface HeaderReading {
  /** In pixels; undefined when the header does not say it. */
  readonly size: Size | undefined;
  /** Whether the file is as long as it says. */
  readonly isWhole: boolean;
}

const tooShort: HeaderReading = { size: undefined, isWhole: false };

export async function readHeader(file: FileHandle, name: UndecodedName): Promise<HeaderReading> {
  const { size } = await file.stat();
  const head = await bytesAt(file, 0, 64);
  if (name === 'BMP') return bitmapSize(head, size);
  if (head.readUInt16BE(0) === startOfCodestream) return codestreamSize(file, head, size);
  return boxedSize(file, size);
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** BITMAPFILEHEADER and one of the headers that may follow it. */
function bitmapSize(head: Buffer, size: number): HeaderReading {
  if (head.length < 30) return tooShort;
  const pixels = head.readUInt32LE(10);
  const old = head.readUInt32LE(14) === 12;
  const width = old ? head.readUInt16LE(18) : Math.abs(head.readInt32LE(18));
  const height = old ? head.readUInt16LE(20) : Math.abs(head.readInt32LE(22));
  const bits = head.readUInt16LE(old ? 24 : 28);
  const packed = !old && head.length >= 34 && [1, 2, 4, 5].includes(head.readUInt32LE(30));
  const row = Math.ceil((width * bits) / 32) * 4;
  return { size: { width, height }, isWhole: size >= pixels + (packed ? 1 : row * height) };
}

const startOfCodestream = 0xff4f;
const endOfCodestream = 0xffd9;

/** A bare JPEG 2000 codestream: the marker SIZ comes first. */
async function codestreamSize(
  file: FileHandle,
  head: Buffer,
  size: number,
): Promise<HeaderReading> {
  if (head.length < 24) return tooShort;
  const tail = await bytesAt(file, size - 2, 2);
  const width = head.readUInt32BE(8) - head.readUInt32BE(16);
  const height = head.readUInt32BE(12) - head.readUInt32BE(20);
  return { size: { width, height }, isWhole: tail.readUInt16BE(0) === endOfCodestream };
}

/** More than any writer puts at the top of a file. */
const mostBoxes = 256;
/** A header is small; what is longer is not looked through. */
const mostHeaderBytes = 1 << 20;

/** HEIC and JP2 are rows of boxes, each of which says how long it is. */
async function boxedSize(file: FileHandle, size: number): Promise<HeaderReading> {
  let declared: HeaderReading = tooShort;
  let at = 0;
  for (let count = 0; at < size && count < mostBoxes; count++) {
    const box = await bytesAt(file, at, 16);
    if (box.length < 8) return { ...declared, isWhole: false };
    const length = lengthOf(box, size - at);
    const type = box.toString('latin1', 4, 8);
    if (type === 'meta' || type === 'jp2h') {
      const header = await bytesAt(file, at, Math.min(length, mostHeaderBytes));
      declared = { size: largestIn(header, type), isWhole: true };
    }
    if (length < 8 || at + length > size) return { ...declared, isWhole: false };
    at += length;
  }
  return declared;
}

/** 0 means to the end of the file; 1, that the length follows in eight bytes. */
function lengthOf(box: Buffer, rest: number): number {
  const short = box.readUInt32BE(0);
  if (short === 0) return rest;
  if (short !== 1) return short;
  return box.length < 16 ? 0 : Number(box.readBigUInt64BE(8));
}

/** `ispe` of HEIC (width, then height, behind a version): the whole picture is the largest. `ihdr` of JP2: turned round. */
function largestIn(header: Buffer, type: 'meta' | 'jp2h'): Size | undefined {
  const [name, skip] = type === 'meta' ? ['ispe', 8] : ['ihdr', 4];
  let largest: Size | undefined;
  for (let at = header.indexOf(name); at !== -1; at = header.indexOf(name, at + 4)) {
    if (at + skip + 8 > header.length) break;
    const first = header.readUInt32BE(at + skip);
    const second = header.readUInt32BE(at + skip + 4);
    const size =
      type === 'meta' ? { width: first, height: second } : { width: second, height: first };
    if (largest === undefined || size.width * size.height > largest.width * largest.height)
      largest = size;
  }
  return largest;
}
