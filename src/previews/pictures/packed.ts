// A picture's pixels as whole numbers, for kernels that move a pixel at a time.
import type { Picture } from './picture.ts';

/** The pixels as one number each, where they are; a copy when they do not lie on a border of four bytes. */
export function packed({ pixels }: Picture): Uint32Array {
  const { buffer, byteOffset, byteLength } = pixels;
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, byteLength / 4);
  return new Uint32Array(new Uint8Array(pixels).buffer);
}
