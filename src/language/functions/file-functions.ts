// Functions of expressions for paths and file names.

import { digestOfBytes } from '../../base/digest.ts';
import { type ExpressionFunction, ours } from './function.ts';

// Parts of paths, and safe file names, for expressions. The same on every platform and in every
// locale.

/** `a/b.tar.gz` → `b.tar.gz`. A final "/" does not count. */
function basename(path: string): string {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

/** The folder of a path, without a final "/"; `.` if the path has none. */
function dirname(path: string): string {
  const name = basename(path);
  const before = path.slice(0, path.lastIndexOf(name)).replace(/\/+$/, '');
  return before === '' ? (path.startsWith('/') ? '/' : '.') : before;
}

/** The name without its last extension; a name that begins with its only dot keeps it. */
function stem(path: string): string {
  const name = basename(path);
  return name.slice(0, dotOf(name));
}

/** The last extension, without the dot; empty if there is none. */
function extension(path: string): string {
  const name = basename(path);
  return name.slice(dotOf(name) + 1);
}

function dotOf(name: string): number {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? dot : name.length;
}

/** Latin letters that Unicode does not divide into a letter and an accent. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
};

/** The most bytes of a slug: file systems allow 255 for a whole name. */
const longestSlug = 100;
/** Characters of a text that can reach a slug; the digest covers the others. */
const readChars = 1000;
/** Names that Windows reserves, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A text as a part of a file name: lower case, letters and digits of every script, everything else
 * as "-", Latin letters without accents. If characters are cut off or nothing is left, eight digits
 * of the text's hash take their place, so that different texts keep different names.
 */
export function slug(text: string): string {
  const plain = text
    .slice(0, readChars)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[ßæœøđðłþıħ]/g, (letter) => letters[letter] ?? letter)
    .replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^[-\p{M}]+|-+$/gu, '');
  const mark = digestOfBytes(text).slice(0, 8);
  if (plain === '') return `x-${mark}`;
  if (text.length > readChars || bytesOf(plain) > longestSlug)
    return `${withinBytes(plain, longestSlug - mark.length - 1)}-${mark}`;
  return reserved.test(plain) ? `${plain}-${mark}` : plain;
}

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

function withinBytes(text: string, most: number): string {
  let bytes = 0;
  let short = '';
  for (const letter of text) {
    bytes += bytesOf(letter);
    if (bytes > most) break;
    short += letter;
  }
  return short.replace(/-+$/, '');
}

export const fileFunctions: readonly ExpressionFunction[] = [
  ours(
    'basename',
    { 'basename(string): string': basename },
    {
      description: 'The last part of a path.',
      examples: [['basename("photos/cat.jpg")', 'cat.jpg']],
    },
  ),
  ours(
    'dirname',
    { 'dirname(string): string': dirname },
    {
      description: 'A path without its last part; `.` if there is only one part.',
      examples: [['dirname("photos/2026/cat.jpg")', 'photos/2026']],
    },
  ),
  ours(
    'stem',
    { 'stem(string): string': stem },
    {
      description: 'The last part of a path, without its extension.',
      examples: [['stem("photos/cat.jpg")', 'cat']],
    },
  ),
  ours(
    'ext',
    { 'ext(string): string': extension },
    {
      description: 'The extension, without the dot; empty if there is none.',
      examples: [['ext("photos/cat.jpg")', 'jpg']],
    },
  ),
  ours(
    'slug',
    { 'slug(string): string': slug },
    {
      description:
        'A text as a safe part of a file name: lower case, with `-` for everything except letters and digits.',
      examples: [
        ['slug("Crème Brûlée, No. 5!")', 'creme-brulee-no-5'],
        ['slug("Мария Иванова")', 'мария-иванова'],
      ],
    },
  ),
];
