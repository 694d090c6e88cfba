// The canary: a file with a random word in `.shotlist`, which the coordinator of a run writes there, and the database has, too.
// Whoever finds that word in a folder knows that it is the folder of the run.
import { timingSafeEqual } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwnFile } from '../base/regular-file.ts';
import type { EngineRun } from './database.ts';

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
