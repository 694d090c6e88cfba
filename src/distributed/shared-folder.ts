// The files that a distributed run has in the folder that its hosts share, besides its results.
import { timingSafeEqual } from 'node:crypto';
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readOwnFile } from '../base/regular-file.ts';
import { isSystemProblem } from '../base/system-error.ts';
import type { Ledger } from '../model/ledger.ts';
import type { EngineRun } from './database/database.ts';

// The canary: a file with a random word in `.shotlist`, which the coordinator of a run writes there, and the database has, too.
// Whoever finds that word in a folder knows that it is the folder of the run.

const folderOf = (root: string): string => join(root, '.shotlist', 'engine');

export const canaryFile = (root: string, run: string): string => join(folderOf(root), run);

interface Marked {
  readonly terms: Pick<EngineRun['terms'], 'run'>;
  readonly canary: string;
}

/** Call when `.shotlist` was checked: no link is in it. */
export async function writeCanary(root: string, { terms, canary }: Marked): Promise<void> {
  await mkdir(folderOf(root), { recursive: true });
  await writeFile(canaryFile(root, terms.run), `${canary}\n`);
}

/** True if the folder of the run is at `root`. Follows no links. */
export function hasCanary(root: string, { terms, canary }: Marked): boolean {
  // Both come from the database: the id becomes a path, and a short word could be guessed.
  if (!/^[0-9a-f-]{36}$/.test(terms.run) || !/^[0-9a-f]{32}$/.test(canary)) return false;
  if (![join(root, '.shotlist'), folderOf(root)].every(isFolder)) return false;
  const read = readOwnFile(canaryFile(root, terms.run), { max: 100 });
  if (!read.ok) return false;
  const [found, wanted] = [Buffer.from(read.value.toString('utf8').trim()), Buffer.from(canary)];
  return found.length === wanted.length && timingSafeEqual(found, wanted);
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

// Temporary files of workers that died while they saved a result. Their names have the lease, so that two workers never
// write one file; so nobody else replaces them, and the end of the run removes them.

/** What a run's temporary files have in their names. */
export const markOf = (run: string): string => run.slice(0, 8);

/** Call when no worker performs anything of the run. A file that cannot be removed stays. */
export function removeLeftovers(run: string, folder: string, output: string, ledger: Ledger): void {
  const places = new Set([output]);
  for (const { outputs = [] } of ledger.jobs())
    for (const { path } of outputs) places.add(dirname(resolve(folder, path)));
  const named = new RegExp(`^\\.shotlist-[0-9a-f]{32}-${markOf(run)}\\.part(\\.json)?$`);
  for (const place of places)
    try {
      for (const name of readdirSync(place)) if (named.test(name)) unlinkSync(join(place, name));
    } catch (error) {
      if (!isSystemProblem(error)) throw error;
    }
}
