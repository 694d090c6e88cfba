// Pictures that the hosted service takes and that nothing here decodes. Their headers are read only to tell whether the
// file is complete, so that a truncated upload does not pass for a good picture.
import { fstatSync, readSync } from 'node:fs';
import type { UndecodedName } from './file-format.ts';

/** Whether an open file is as long as its header says. */
export function isComplete(file: number, name: UndecodedName): boolean {
  const { size } = fstatSync(file);
  const head = bytesAt(file, 0, 64);
  if (name === 'BMP') return isCompleteBitmap(head, size);
  if (head.readUInt16BE(0) !== startOfCodestream) return hasCompleteBoxes(file, size);
  const tail = bytesAt(file, size - 2, 2);
  return tail.readUInt16BE(0) === endOfCodestream;
}

/** JPEG 2000 without boxes: its first and its last marker. */
const startOfCodestream = 0xff4f;
const endOfCodestream = 0xffd9;

/** Fewer bytes at the end of the file. */
export function bytesAt(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, position));
}

/** BITMAPFILEHEADER and one of the headers that may follow it. The file's own length there is often wrong. */
function isCompleteBitmap(head: Buffer, size: number): boolean {
  if (head.length < 34) return false;
  const isOld = head.readUInt32LE(14) === 12;
  const width = isOld ? head.readUInt16LE(18) : Math.abs(head.readInt32LE(18));
  const height = isOld ? head.readUInt16LE(20) : Math.abs(head.readInt32LE(22));
  const bits = head.readUInt16LE(isOld ? 24 : 28);
  const isCompressed = !isOld && [1, 2, 4, 5].includes(head.readUInt32LE(30));
  const row = Math.ceil((width * bits) / 32) * 4;
  return size >= head.readUInt32LE(10) + (isCompressed ? 1 : row * height);
}

/** More than any writer puts at the top of a file. */
const maxBoxes = 256;

/** HEIC and JP2 are rows of boxes, each of which says how long it is. One of them describes the picture. */
function hasCompleteBoxes(file: number, size: number): boolean {
  const { names, isCut } = boxesOf(file, size);
  return !isCut && names.some((name) => name === 'meta' || name === 'jp2h');
}

interface Boxes {
  readonly names: readonly string[];
  /** True if a box is longer than the rest of the file, or is none. The boxes before it are among the names. */
  readonly isCut: boolean;
  /** The name of the box that is longer than the rest of the file. */
  readonly cut?: string;
}

/** The boxes at the top of an ISO file of `size` bytes. */
export function boxesOf(file: number, size: number): Boxes {
  const names: string[] = [];
  for (let at = 0; at < size && names.length < maxBoxes; ) {
    const box = bytesAt(file, at, 16);
    const length = box.length < 8 ? 0 : lengthOf(box, size - at);
    if (length < 8) return { names, isCut: true };
    if (at + length > size) return { names, isCut: true, cut: box.toString('latin1', 4, 8) };
    names.push(box.toString('latin1', 4, 8));
    at += length;
  }
  return { names, isCut: false };
}

/** 0 means to the end of the file; 1, that the length follows in eight bytes. */
function lengthOf(box: Buffer, rest: number): number {
  const short = box.readUInt32BE(0);
  if (short === 0) return rest;
  if (short !== 1) return short;
  return box.length < 16 ? 0 : Number(box.readBigUInt64BE(8));
}

/** More than anybody sends. To count them, the picture library takes a time that grows with the square of their number. */
const maxPages = 10_000;

/** Whether a TIFF file has a longer chain of pages, or one without an end. */
export function hasEndlessPages(file: number): boolean {
  const { size } = fstatSync(file);
  const head = bytesAt(file, 0, 4);
  const isLittle = head[0] === 0x49;
  const isBig = head.includes(43);
  const [place, count, entry] = isBig ? [8, 8, 20] : [4, 2, 12];
  /** 0 outside the file. */
  const numberAt = (position: number, length: number): number => {
    const bytes = position + length > size ? Buffer.alloc(1) : bytesAt(file, position, length);
    return Number(`0x${(isLittle ? bytes.reverse() : bytes).toString('hex')}`);
  };
  let pages = 0;
  for (let at = numberAt(place, place); at > 0 && pages <= maxPages; pages += 1)
    at = numberAt(at + count + numberAt(at, count) * entry, place);
  return pages > maxPages;
}
