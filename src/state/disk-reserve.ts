// Disk space that a run reserves for its journal. On a full disk, the answers to creations in flight could not be
// recorded, and the creations would be in doubt. So a run first takes some space that it does not need, and releases it
// piece by piece to the journal when the disk is full.
import { randomBytes } from 'node:crypto';
import { ftruncateSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { removeLeftover } from '../base/leftover.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { createNew } from '../files/new-file.ts';

/** Space for the answers to some thousand creations. */
const wholeBytes = 1 << 20;
/** Other programs can take at most one piece before the journal does. */
const pieceBytes = 1 << 16;

export interface DiskReserve {
  /** Releases one more piece. False if none is left, or the disk does not even allow that. */
  give(): boolean;
  remove(): Promise<void>;
}

/** For a record that is not on disk. */
export const nothingReserved: DiskReserve = { give: () => false, remove: async () => undefined };

/**
 * Takes the space by writing it, because a file system may only promise space. Replaces what a killed run left under
 * this name.
 */
export async function takeDiskReserve(file: string): Promise<Result<DiskReserve, string>> {
  let handle: FileHandle | undefined;
  try {
    handle = await createNew(file);
    // Random bytes, so that no file system can compress them.
    await handle.writeFile(randomBytes(wholeBytes));
    await handle.datasync();
  } catch (error) {
    await handle?.close();
    if (!isSystemProblem(error)) throw error;
    await removeLeftover(file);
    return err(`${file} ${systemReason(error)}`);
  }
  return ok(diskReserveIn(file, handle));
}

function diskReserveIn(file: string, handle: FileHandle): DiskReserve {
  let bytes = wholeBytes;
  return {
    give() {
      if (bytes === 0) return false;
      try {
        ftruncateSync(handle.fd, bytes - pieceBytes);
      } catch (error) {
        if (isSystemProblem(error)) return false;
        throw error;
      }
      bytes -= pieceBytes;
      return true;
    },
    async remove() {
      bytes = 0;
      await handle.close();
      await removeLeftover(file);
    },
  };
}
