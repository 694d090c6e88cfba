// A state file with git's conflict markers around both sides. Every command that spends credits refuses it, and
// `repair` reads both sides.
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openRegular } from '../../../contract/files/regular-file.ts';
import { createNew } from '../files/new-file.ts';
import { syncFolder } from '../files/output-folders.ts';

export interface ConflictSides {
  readonly base: string | undefined;
  readonly ours: string;
  readonly theirs: string;
}

/** Replaces `ours` by all three versions, byte for byte; `part` is written first. Throws system errors. */
export async function writeConflict(
  { base, ours, theirs }: ConflictSides,
  part: string,
): Promise<void> {
  await using handle = await createNew(part);
  for (const [marker, file] of [
    ['<<<<<<< ours', ours],
    ['||||||| base', base],
    ['=======', theirs],
  ] as const) {
    if (file === undefined) continue;
    await handle.appendFile(`${marker}\n`);
    await using side = await openRegular(file);
    const bytes = await side.readFile();
    await handle.appendFile(bytes);
    if (bytes.length > 0 && bytes.at(-1) !== 10) await handle.appendFile('\n');
  }
  await handle.appendFile('>>>>>>> theirs\n');
  await handle.sync();
  await rename(part, ours);
  await syncFolder(dirname(ours));
}
