// Checks whether results and the journal can be written, before anything is sent.
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../base/folder.ts';
import { removeLeftover } from '../base/leftover.ts';
import { failingDiskCure, isFailingDisk, systemCode, systemReason } from '../base/system-error.ts';
import { statsIfAny } from '../files/file-stamps.ts';
import { createNew } from '../files/new-file.ts';
import { type Problem, problem } from '../language/load/refusal.ts';
import type { RunPaths } from './run-paths.ts';

/** Makes the folders that a run writes to, and tries to write to each. */
export async function checkWritable(paths: RunPaths): Promise<Problem | undefined> {
  for (const folder of [paths.output, dirname(paths.state), paths.kept]) {
    try {
      makeFolder(folder);
      await access(folder, constants.W_OK);
      // A fixed name, so that the next run removes what a killed run left.
      const probe = join(folder, '.shotlist-probe');
      const made = await createNew(probe);
      await made.close();
      // Another run may probe at the same time and have removed the file, because the lock is taken later.
      await removeLeftover(probe);
    } catch (error) {
      return unwritable(folder, error, paths);
    }
  }
  return undefined;
}

/** Checks the output folder for a plan, which writes nothing. */
export function checkOutputFolder({ output }: RunPaths): Problem | undefined {
  // Any other problem with the path is reported when a file is written there.
  return statsIfAny(output)?.isFile() === true ? outputIsFile(output) : undefined;
}

function unwritable(folder: string, error: unknown, { output }: RunPaths): Problem {
  if (folder === output && systemCode(error) === 'EEXIST') return outputIsFile(folder);
  const cure = isFailingDisk(error)
    ? failingDiskCure
    : folder === output
      ? `downloads could not be saved there: ${anotherFolder}`
      : 'a run keeps files there: make it a folder that you can write to, or choose another --state';
  return problem(`the folder ${folder} ${systemReason(error)}`, 'shotlist', cure);
}

const anotherFolder = 'choose another folder with --output, or with output: in the pipeline';
const outputIsFile = (path: string): Problem =>
  problem(`the output folder ${path} is a file, not a folder`, 'shotlist', anotherFolder);
