// How a file looks without reading it, to notice when it changes.
import { statSync } from 'node:fs';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';

/** Another text when the file was written, replaced or removed. */
export function appearanceOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? absent : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
  } catch (error) {
    // Whoever reads the file reports this.
    if (isSystemProblem(error)) return systemReason(error);
    throw error;
  }
}

export const absent = 'absent';
