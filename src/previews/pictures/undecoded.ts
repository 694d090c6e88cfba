// Pictures that the hosted service takes and that nothing here decodes. Their headers are read only to tell whether the
// file is complete, so that a truncated upload does not pass for a good picture.
import type { FileHandle } from 'node:fs/promises';
import type { UndecodedName } from './file-format.ts';

/** Whether a file is as long as its header says. */
export async function isComplete(file: FileHandle, name: UndecodedName): Promise<boolean> {
  const { size } = await file.stat();
  const head = await bytesAt(file, 0, 64);
  if (name === 'BMP') return isCompleteBitmap(head, size);
  if (head.readUInt16BE(0) !== startOfCodestream) return hasCompleteBoxes(file, size);
  const tail = await bytesAt(file, size - 2, 2);
  return tail.readUInt16BE(0) === endOfCodestream;
}

/** JPEG 2000 without boxes: its first and its last marker. */
const startOfCodestream = 0xff4f;
const endOfCodestream = 0xffd9;

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
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
const mostBoxes = 256;

/** HEIC and JP2 are rows of boxes, each of which says how long it is. One of them describes the picture. */
async function hasCompleteBoxes(file: FileHandle, size: number): Promise<boolean> {
  let isDescribed = false;
  let at = 0;
  for (let count = 0; at < size && count < mostBoxes; count++) {
    const box = await bytesAt(file, at, 16);
    const length = box.length < 8 ? 0 : lengthOf(box, size - at);
    if (length < 8 || at + length > size) return false;
    isDescribed ||= ['meta', 'jp2h'].includes(box.toString('latin1', 4, 8));
    at += length;
  }
  return isDescribed;
}

/** 0 means to the end of the file; 1, that the length follows in eight bytes. */
function lengthOf(box: Buffer, rest: number): number {
  const short = box.readUInt32BE(0);
  if (short === 0) return rest;
  if (short !== 1) return short;
  return box.length < 16 ? 0 : Number(box.readBigUInt64BE(8));
}
