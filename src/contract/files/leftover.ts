// Files that a run is done with: they should go, and where the disk will not let them they are in nobody's way.
import { unlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { isSystemTrouble } from './system-error.ts';

/** Removes a file that the next run can deal with as well, for example on a disk that has become read-only. */
export async function removeLeftover(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (!isSystemTrouble(error)) throw error;
  }
}

/** The same before anything else happens. */
export function removeLeftoverNow(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (!isSystemTrouble(error)) throw error;
  }
}
