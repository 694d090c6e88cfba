// A path as a person would type it from here.
import { relative } from 'node:path';

export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || near === '' ? path : near;
}
