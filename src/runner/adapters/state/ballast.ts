// Room on the disk that a run keeps for its journal. A disk that fills up would make doubts of the creations that are
// under way: their answers come and cannot be written. So a run first takes a little room that it does not need, and
// gives it to the journal piece by piece when there is no other.
import { randomBytes } from 'node:crypto';
import { ftruncateSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { removeLeftover } from '../../../contract/files/leftover.ts';
import { isSystemTrouble, systemReason } from '../../../contract/files/system-error.ts';
import { createNew } from '../files/new-file.ts';

/** Room for the answers of some thousand creations. */
const wholeBytes = 1 << 20;
/** Whatever else fills the disk can take only one piece before the journal does. */
const pieceBytes = 1 << 16;

export interface Ballast {
  /** Frees one more piece at once; false: there is none left, or the disk does not even take that. */
  give(): boolean;
  remove(): Promise<void>;
}

/** Takes the room: written, not only promised. What a killed run left under this name is replaced. */
export async function takeBallast(file: string): Promise<Result<Ballast, string>> {
  let handle: FileHandle | undefined;
  try {
    handle = await createNew(file);
    // Bytes that no file system can make smaller.
    await handle.writeFile(randomBytes(wholeBytes));
    await handle.datasync();
  } catch (error) {
    if (!isSystemTrouble(error)) throw error;
    await handle?.close();
    await removeLeftover(file);
    return err(`${file} ${systemReason(error)}`);
  }
  return ok(ballastIn(file, handle));
}

function ballastIn(file: string, handle: FileHandle): Ballast {
  let bytes = wholeBytes;
  return {
    give() {
      if (bytes === 0) return false;
      try {
        ftruncateSync(handle.fd, bytes - pieceBytes);
      } catch (error) {
        if (isSystemTrouble(error)) return false;
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
