// A path as the user would type it in the working folder.
import { relative } from 'node:path';

export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || near === '' ? path : near;
}
