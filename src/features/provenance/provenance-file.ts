// The provenance file beside an output. A file that is not ours is never replaced or removed.
import { lstatSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestOfBytes } from '../../base/digest.ts';
import { removeLeftover } from '../../base/leftover.ts';
import { readOwnFile } from '../../base/regular-file.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import { createNew } from '../../files/new-file.ts';
import { longestProvenance, outputOfProvenance, provenanceFileOf } from './provenance.ts';

/** - `current`: ours, and about this content.
 * - `missing`: missing, or ours and about earlier content.
 * - `foreign`: something else has the name. */
export type ProvenanceCondition = 'current' | 'missing' | 'foreign';

/** `output` is absolute and exists. Throws system errors. */
export function provenanceCondition(output: string, sha256: string): ProvenanceCondition {
  const file = provenanceFileOf(output);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 'missing';
  if (!stats.isFile()) return 'foreign';
  const read = readOwnFile(file, { max: longestProvenance });
  const about = read.ok ? outputOfProvenance(read.value.toString('utf8')) : undefined;
  if (about === undefined) return 'foreign';
  return about === sha256 ? 'current' : 'missing';
}

/** All of it or nothing. Throws system errors. */
export async function writeProvenanceFile(output: string, text: string): Promise<void> {
  const file = provenanceFileOf(output);
  const part = join(dirname(file), `.shotlist-${digestOfBytes(file).slice(0, 32)}.part`);
  try {
    {
      await using handle = await createNew(part);
      await handle.writeFile(text);
    }
    await rename(part, file);
  } catch (error) {
    await removeLeftover(part);
    throw error;
  }
}

/** After its output was removed. If the disk refuses, the file does no harm. */
export async function removeProvenanceFile(output: string, sha256: string): Promise<void> {
  try {
    if (provenanceCondition(output, sha256) === 'current') await unlink(provenanceFileOf(output));
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
  }
}
