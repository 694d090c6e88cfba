// Finds the run whose folder a worker sees: the canary there must be the one that the coordinator wrote.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '../../../contract/files/regular-file.ts';
import type { EngineDatabase, EngineRun } from '../../run/engine/database.ts';
import { canaryFile } from '../state/engine/move-state.ts';

export interface FoundRuns {
  /** The open run of the folder. */
  readonly own: EngineRun | undefined;
  /** The number of open runs with other folders. */
  readonly others: number;
}

export async function findRun(database: EngineDatabase, root: string): Promise<FoundRuns> {
  const open = (await database.runs()).filter(({ stage }) => stage === 'open');
  const own = open.find((run) => isRunOf(root, run));
  return { own, others: open.length - (own === undefined ? 0 : 1) };
}

function isRunOf(root: string, { terms, canary }: EngineRun): boolean {
  // The id comes from the database, and becomes a path.
  if (!/^[0-9a-f-]{36}$/.test(terms.run)) return false;
  if (lstatSync(join(root, '.shotlist'), { throwIfNoEntry: false })?.isDirectory() !== true)
    return false;
  const read = readRegularFile(canaryFile(root, terms.run), { max: 1_000 });
  return read.ok && new TextDecoder().decode(read.value).trim() === canary;
}
