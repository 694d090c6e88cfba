// The most memory that decoding takes, computed from the header alone. The factors are the measured growth of a process
// that decodes pictures of 25 megapixels, rounded up.
import type { Metadata } from 'sharp';

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
export const pixelBytes = ({ channels, depth }: Pick<Metadata, 'channels' | 'depth'>): number =>
  channels * sampleBytes[depth];

type Header = Pick<
  Metadata,
  'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive'
>;

/** What a decoder needs besides the picture: rows, tables, and our own scaled copy. */
const base = 32 * 2 ** 20;

export function pictureBytes(header: Header): number {
  return base + Math.ceil(header.width * header.height * perPixel(header));
}

function perPixel(header: Header): number {
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
