// What `schedule` remembers about due times between two starts. The state file knows the runs; this file knows when
// `schedule` first started, and which due times were left out or still wait.
import { lstatSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject, type Json } from '../../../contract/base/json.ts';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { makeFolder } from '../../../contract/files/make-folder.ts';
import { readOwnFile } from '../../../contract/files/regular-file.ts';
import { isSystemProblem, systemReason } from '../../../contract/files/system-error.ts';
import { createNew } from '../../adapters/files/new-file.ts';
import { syncFolder } from '../../adapters/files/output-folders.ts';
import type { DueState, QueuedRun } from '../../plan/due.ts';
import { claimOwnFolder } from '../files/own-folder.ts';
import type { RunPaths } from '../files/run-paths.ts';
import { type Problem, problem } from '../pipeline/problem.ts';

/** In bytes. */
const largest = 10_000_000;

/** Undefined if there is no such file. The error is the end of a sentence about the file. */
export function readDueFile(file: string): Result<DueState | undefined, string> {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return ok(undefined);
  const read = readOwnFile(file, { max: largest });
  if (!read.ok) return read;
  const state = parsed(read.value.toString('utf8'));
  return state === undefined
    ? err('cannot be read: remove it, and schedule counts from its next start')
    : ok(state);
}

/** Makes `.shotlist` if it is missing. */
export async function writeDueFile(
  paths: RunPaths,
  { decidedUntil, queue }: DueState,
): Promise<Result<void, Problem>> {
  const refused = await claimOwnFolder(paths);
  if (refused !== undefined) return err(refused);
  const text = JSON.stringify({
    decidedUntil: iso(decidedUntil),
    queue: queue.map(({ due, start }) => ({ due: iso(due), start: iso(start) })),
  });
  try {
    makeFolder(dirname(paths.due));
    await replace(paths.due, `${text}\n`);
    return ok(undefined);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err({ ...problem(`${paths.due} ${systemReason(error)}`), reason: 'system' });
  }
}

async function replace(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  await using handle = await createNew(part);
  await handle.writeFile(text);
  await handle.sync();
  await rename(part, file);
  await syncFolder(dirname(file));
}

const iso = (moment: number): string => new Date(moment).toISOString();

function parsed(text: string): DueState | undefined {
  const value = jsonOf(text);
  if (!isObject(value) || !Array.isArray(value['queue'])) return undefined;
  const decidedUntil = momentOf(value['decidedUntil']);
  const queue = value['queue'].map(queuedOf).filter((one) => one !== undefined);
  if (decidedUntil === undefined || queue.length < value['queue'].length) return undefined;
  return { decidedUntil, queue };
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function queuedOf(value: Json): QueuedRun | undefined {
  if (!isObject(value)) return undefined;
  const [due, start] = [momentOf(value['due']), momentOf(value['start'])];
  return due === undefined || start === undefined ? undefined : { due, start };
}

function momentOf(value: Json | undefined): number | undefined {
  const moment = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(moment) ? undefined : moment;
}
