// Removes files that a run no longer needs. If the disk refuses, the files do no harm.
import { unlink } from 'node:fs/promises';
import { isSystemProblem } from './system-error.ts';

/** Removes a file if possible. If not, for example on a read-only disk, the next run can do it. */
export async function removeLeftover(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
  }
}
