// Tests whether one path is within another. Both must be absolute and contain no links.
import { isAbsolute, relative, sep } from 'node:path';

/** Also true for the folder itself. */
export function isWithin(path: string, folder: string): boolean {
  // Most are plainly below it, and `relative` takes both apart.
  if (path.startsWith(folder + sep) && !path.includes(`${sep}..`)) return true;
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
