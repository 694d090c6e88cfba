// Where a file is in a checkout.
import { lstatSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { realPathOr } from '../../base/real-path.ts';
import { isWithin } from '../../base/within.ts';

/**
 * The path relative to the top, with `/`; undefined if git could not have it: it is outside, in a folder of git or shotlist,
 * or in a repository inside this one. Links in the folders are followed, since git does not commit through them.
 */
export function placeIn(top: string, file: string): string | undefined {
  const realTop = realPathOr(top);
  const folder = realPathOr(dirname(file));
  if (!isWithin(folder, realTop)) return undefined;
  const path = relative(realTop, join(folder, basename(file))).split(sep);
  const own = (name: string): boolean => ['.git', '.shotlist'].includes(name.toLowerCase());
  if (path.some(own)) return undefined;
  for (let above = folder; above !== realTop; above = dirname(above))
    if (lstatSync(join(above, '.git'), { throwIfNoEntry: false }) !== undefined) return undefined;
  return path.join('/');
}
