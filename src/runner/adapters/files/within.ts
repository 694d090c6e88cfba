// Is one place within another? Of absolute paths without links in them.
import { isAbsolute, relative, sep } from 'node:path';

/** True also for the folder itself. */
export function isWithin(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}
