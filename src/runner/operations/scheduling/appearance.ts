// How a file looks without reading it, to notice when it changes.
import { statSync } from 'node:fs';

/** Another text when the file was written, replaced or removed. */
export function appearanceOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? absent : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

export const absent = 'absent';
