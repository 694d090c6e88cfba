// A path as the user would type it in the working folder.
import { relative, sep } from 'node:path';
import { homeFolder } from '../base/user-folder.ts';

export function shownPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || near === '' ? path : near;
}

/** A path anywhere on the machine: `~` stands for the home folder. */
export function shownPlace(path: string): string {
  const near = shownPath(path);
  const home = `${homeFolder()}${sep}`;
  return near === path && path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : near;
}
