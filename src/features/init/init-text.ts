// What people read from `init`: what was found, what was written, and what to do next.
import { printable, shellWord } from '../../base/printable.ts';
import { count } from '../../base/text.ts';
import { listing } from '../../contract/yaml/diagnostic.ts';
import { mediaNoun } from './starters.ts';

interface Found {
  readonly media: 'image' | 'video' | 'audio';
  readonly count: number;
  readonly formats: readonly string[];
  readonly folder: string;
}

export const foundLine = ({ media, count: number, formats, folder }: Found): string =>
  `${count(number, mediaNoun[media])} (${formats.join(', ')}) in ${folder === '' ? 'this folder' : printable(folder)}`;

export const foundText = (found: readonly Found[]): string =>
  found.length === 0
    ? 'Found no photos, clips or sounds.'
    : `Found ${listing(found.map(foundLine))}.`;

interface Written {
  readonly file: string;
  readonly items: number;
  readonly ignored: readonly string[];
  readonly missing: readonly string[];
  readonly outside: boolean;
}

export function initText({ file, items, ignored, missing, outside }: Written): string {
  const inputs = missing.map((name) => ` --input ${name}=<file>`).join('');
  const rest = `${shellWord(file)}${inputs}${outside ? ' --allow-outside' : ''}`;
  return [
    `Wrote ${printable(file)}: ${count(items, 'item')}.`,
    ...(ignored.length === 0
      ? []
      : [`Added to .gitignore: ${ignored.map((line) => printable(line)).join(', ')}`]),
    '',
    'Next, without an account and without cost:',
    `  shotlist plan ${rest}`,
    `  shotlist run ${rest} --rehearse --limit 3`,
  ].join('\n');
}
