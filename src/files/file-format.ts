// The format of a file by its first bytes, never by its name. Only formats whose decoders are made for untrusted pictures
// reach a decoder: SVG drawings, documents and programs are rejected here.
import type { FileHandle } from 'node:fs/promises';

/** The decoders of the picture library that files may reach. */
export type Decoder = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'heif';

export type FileFormat =
  | { readonly kind: 'picture'; readonly name: string; readonly decoder: Decoder }
  /** On the list of extensions (facts.md, Uploads), but not decoded by the picture library here. */
  | { readonly kind: 'undecoded'; readonly name: UndecodedName }
  /** A sound, or a clip, which may have sound; in words, with an article. */
  | { readonly kind: 'sound'; readonly name: string }
  /** Anything else; in words, with an article. */
  | { readonly kind: 'other'; readonly name: string };

export type UndecodedName = 'HEIC' | 'BMP' | 'JPEG 2000' | 'AVIF';

/** Enough for the brands of an ISO file and for what stands before the first tag of an SVG. */
export const headBytes = 1024;

const picture = (name: string, decoder: Decoder): FileFormat => ({
  kind: 'picture',
  name,
  decoder,
});
const undecoded = (name: UndecodedName): FileFormat => ({ kind: 'undecoded', name });
const sound = (name: string): FileFormat => ({ kind: 'sound', name });
const other = (name: string): FileFormat => ({ kind: 'other', name });

/** The bytes as hexadecimal digits. The first that fits is taken. */
const beginnings: readonly (readonly [RegExp, FileFormat])[] = [
  [/^ffd8ff/, picture('JPEG', 'jpeg')],
  [/^89504e470d0a1a0a/, picture('PNG', 'png')],
  // RIFF, a length, WEBP.
  [/^52494646.{8}57454250/, picture('WebP', 'webp')],
  // GIF87a and GIF89a.
  [/^47494638(?:37|39)61/, picture('GIF', 'gif')],
  // II and MM, the two byte orders, with the numbers of the plain and of the big variant.
  [/^(?:4949(?:2a|2b)00|4d4d00(?:2a|2b))/, picture('TIFF', 'tiff')],
  // BM and, behind the file's header, the size of one of the headers that may follow: a text may begin with BM too.
  [/^424d.{24}(?:0c|28|34|38|40|6c|7c)000000/, undecoded('BMP')],
  [/^(?:0000000c6a5020200d0a870a|ff4fff51)/, undecoded('JPEG 2000')],
  [/^25504446/, other('a PDF document')],
  [/^504b(?:0304|0506|0708)/, other('a ZIP archive or an office document')],
  [/^(?:4d5a|7f454c46|cffaedfe|cafebabe)/, other('a program')],
  // RIFF with WAVE or AVI; Matroska; MPEG program streams.
  [/^(?:52494646.{8}(?:57415645|41564920)|1a45dfa3|000001b[3a])/, sound('a sound or a clip')],
  // ID3, OggS, fLaC, FORM with AIFF, ADIF, frames of MPEG sound and AAC.
  [/^(?:494433|4f676753|664c6143|464f524d.{8}414946|41444946|ff(?!fe)[ef])/, sound('a sound')],
  // gzip, xz, bzip2, 7z, rar.
  [/^(?:1f8b|fd377a585a|425a68|377abcaf|52617221)/, other('an archive')],
];

/** Texts, by their first tags. */
const texts: readonly (readonly [RegExp, FileFormat])[] = [
  [/^\W*<(?:!doctype html|html|head|body)/i, other('a web page')],
  [/^\W*<[\s\S]*?s\W?v\W?g\b/i, other('an SVG drawing')],
];

/** The brands of still pictures in ISO files: those coded as AV1, and those coded as HEVC. */
const av1Brands = ['avif', 'avis'];
const hevcBrands = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'];
const stillBrands = ['mif1', 'msf1'];

export async function readFormat(file: FileHandle): Promise<FileFormat> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return formatOf(buffer.subarray(0, bytesRead));
}

/** `head`: the first `headBytes` of a file, or all of a shorter one. */
export function formatOf(head: Buffer): FileFormat {
  if (head.length === 0) return other('an empty file');
  const known = firstFit(beginnings, head.toString('hex')) ?? isoFormatOf(head);
  return known ?? firstFit(texts, head.toString('latin1')) ?? unknownFormat;
}

/** No beginning of the table fits. */
export const unknownFormat = other(
  'not a picture in a supported format (JPEG, PNG, WebP, AVIF, HEIC, TIFF, BMP, JPEG 2000)',
);

function firstFit(
  patterns: readonly (readonly [RegExp, FileFormat])[],
  text: string,
): FileFormat | undefined {
  return patterns.find(([pattern]) => pattern.test(text))?.[1];
}

/** The box `ftyp` names the brand in which the file is to be read, then others that it fits as well. */
function isoFormatOf(head: Buffer): FileFormat | undefined {
  if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const end = Math.min(head.length, head.readUInt32BE(0));
  const major = head.toString('latin1', 8, 12);
  const brands = [major];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(head.toString('latin1', at, at + 4));
  if (hevcBrands.includes(major)) return undecoded('HEIC');
  if (major === 'avif') return picture('AVIF', 'heif');
  if (stillBrands.includes(major))
    return brands.includes('avif') ? picture('AVIF', 'heif') : undecoded('HEIC');
  // A sequence, whose brand the decoder does not know.
  if (av1Brands.includes(major)) return undecoded('AVIF');
  return sound('a clip or a sound');
}
