// Files that are only a memory: without one, the next command asks or compares once more. So they are not synced, and what
// cannot be read does not count.
import { rename } from 'node:fs/promises';
import { removeLeftover } from '../base/leftover.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { createNew } from '../files/new-file.ts';

/** Replaces the file. The error says why that failed; the old file stays. */
export async function replaceMemory(
  file: string,
  ...pieces: readonly (string | Uint8Array)[]
): Promise<Result<void, string>> {
  const part = `${file}.part`;
  try {
    {
      await using handle = await createNew(part);
      for (const piece of pieces) await handle.writeFile(piece);
    }
    await rename(part, file);
    return ok(undefined);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    await removeLeftover(part);
    return err(`${file} ${systemReason(error)}`);
  }
}
