// Removes orphans, so that a crash at any moment leaves a true state file: a deleted project is recorded when the service
// has deleted it, as in a run, and a file is recorded as pruned before it is removed.

import { createHash } from 'node:crypto';
import { type BigIntStats, constants, lstatSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { digestFrom } from '../../base/digest.ts';
import { NotRegularFile } from '../../base/regular-file.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { isSystemProblem, systemCode, systemReason } from '../../base/system-error.ts';
import { explainFailure } from '../../contract/api/failure.ts';
import { toolNamed } from '../../contract/tools/all.ts';
import type { Journal } from '../../core/journal.ts';
import type { Clock, MediaApi, OutputStore } from '../../core/ports.ts';
import { isFreeAgain, patiently } from '../../core/retry.ts';
import { openOwn } from '../../files/new-file.ts';
import { syncFolder } from '../../files/output-folders.ts';
import { keptPath } from '../../files/saved-files.ts';
import { placesOf, viewIn } from '../../model/job-view.ts';
import type { Move } from '../../model/record/job.ts';
import { readPatiently } from '../../service-api/inquiry.ts';
import { removeProvenanceFile } from '../provenance/provenance-file.ts';
import type { OrphanFile, OrphanKept, OrphanProject, Orphans, RecordName } from './orphan.ts';

/** An orphan that was not removed; `why` is the end of a sentence about it. */
export interface Refused {
  readonly what: string;
  readonly why: string;
}

export interface Removed {
  readonly removed: Pick<Orphans, 'files' | 'kept' | 'projects'>;
  readonly refused: readonly Refused[];
}

export interface RemovalContext {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Absolute. Recorded outputs are relative to this folder. */
  readonly folder: string;
  /** Absolute: the folder of kept files. */
  readonly kept: string;
  /** Undefined if no project is to be deleted or read. */
  readonly api: MediaApi | undefined;
  /** Undefined if the store cannot be asked. */
  readonly store: OutputStore | undefined;
}

/** They are recorded together. */
const filesAtOnce = 50;
const attempts = 5;

export async function removeOrphans(orphans: Orphans, context: RemovalContext): Promise<Removed> {
  const refused: Refused[] = [];
  const projects: OrphanProject[] = [];
  const standing = new Set<string>();
  for (const orphan of orphans.projects) {
    const why = await deleteProject(orphan, context);
    if (why === undefined) projects.push(orphan);
    else {
      standing.add(orphan.job);
      refused.push({ what: `project ${orphan.project}`, why: `was kept: ${why}` });
    }
  }
  // The files of a project that could not be deleted stay: without them, its result would count as not saved.
  const isFree = ({ records }: OrphanFile | OrphanKept): boolean =>
    !records.some(({ job }) => standing.has(job));
  const { folder, kept } = context;
  const copies = await backed(orphans.kept.filter(isFree), refused, context);
  const placeOf = (orphan: OrphanFile | OrphanKept): string =>
    'path' in orphan
      ? resolve(folder, orphan.path)
      : keptPath(kept, orphan.sha256, orphan.extension);
  return {
    removed: {
      files: await removeFiles(orphans.files.filter(isFree), placeOf, refused, context),
      kept: await removeFiles(copies, placeOf, refused, context),
      projects,
    },
    refused,
  };
}

/** Returns why the project was not deleted. */
async function deleteProject(
  { job, kind, project, onlyStored }: OrphanProject,
  { api, store, journal, clock }: RemovalContext,
): Promise<string | undefined> {
  for (const { path, sha256, bytes } of onlyStored) {
    const has = await store?.has(digestFrom(sha256), bytes);
    if (has === undefined) return `only the store has ${path}, and it cannot be asked`;
    if (!has.ok) return has.error.message;
    if (!has.value) return `the store no longer has ${path}`;
  }
  const record = toolNamed(kind)?.record;
  if (api === undefined || record === undefined)
    return 'the state file does not say which tool created it';
  const patience = { clock, stop: new AbortController().signal, backoffMs: 500 };
  const gone = await patiently(attempts, patience, isFreeAgain, () =>
    api.deleteProject(record, project),
  );
  if (!gone.ok && gone.error.reason !== 'not-found') return explainFailure(gone.error);
  const { name = '', adopted } = viewIn(journal.ledger, job) ?? {};
  await journal.commit({ job, is: adopted ? 'missing' : 'gone', attempt: name });
  return undefined;
}

/** Those whose results are at the service, if nothing else has them: a project may have been deleted in the hub. */
async function backed(
  copies: readonly OrphanKept[],
  refused: Refused[],
  { api, clock }: RemovalContext,
): Promise<readonly OrphanKept[]> {
  const fine: OrphanKept[] = [];
  for (const copy of copies) {
    const missing: string[] = [];
    for (const backing of copy.backedBy) {
      const read = api === undefined ? undefined : await readPatiently(api, clock, backing);
      if (read?.ok !== true || read.value.status !== 'complete') missing.push(backing.project);
    }
    if (missing.length === 0) fine.push(copy);
    else
      refused.push({
        what: `the kept file ${copy.sha256}.${copy.extension}`,
        why: `was kept: the service did not confirm that it has project ${missing.join(', ')}`,
      });
  }
  return fine;
}

async function removeFiles<T extends OrphanFile | OrphanKept>(
  orphans: readonly T[],
  placeOf: (orphan: T) => string,
  refused: Refused[],
  { journal }: RemovalContext,
): Promise<readonly T[]> {
  const removed: T[] = [];
  for (let from = 0; from < orphans.length; from += filesAtOnce) {
    const ready: { readonly orphan: T; readonly file: Removable }[] = [];
    for (const orphan of orphans.slice(from, from + filesAtOnce)) {
      const what = placeOf(orphan);
      const found = await verified(what, orphan.sha256);
      if (found.ok) ready.push({ orphan, file: found.value });
      else refused.push({ what, why: found.error });
    }
    const records = ready.flatMap(({ orphan }) => orphan.records);
    if (ready.length > 0) await journal.commit(...records.flatMap((one) => prunedBy(one, journal)));
    for (const { orphan, file } of ready) {
      const gone = await remove(file);
      if (gone.ok) {
        removed.push(orphan);
        await removeProvenanceFile(file.path, orphan.sha256);
      } else refused.push({ what: file.path, why: gone.error });
    }
  }
  return removed;
}

const prunedBy = ({ job, task, index }: RecordName, { ledger }: Journal): readonly Move[] =>
  placesOf(ledger.job(job), task, index).map((place) => ({ job, is: 'pruned', ...place }));

// Removes a file only if it still has the content that was recorded, and never follows a link.

/** A file with verified content. */
interface Removable {
  readonly path: string;
  /** Changes with the content. */
  readonly stamp: string;
}

const changed = 'was changed: left alone';

/** Reads the whole file. The error is the end of a sentence about the file. */
export async function verified(path: string, sha256: string): Promise<Result<Removable, string>> {
  return await attempt(async () => {
    await using file = await openOwn(path, constants.O_RDONLY);
    const stamp = stampOf(await file.stat({ bigint: true }));
    const hash = createHash('sha256');
    for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece);
    return hash.digest('hex') === sha256 ? ok({ path, stamp }) : err(changed);
  });
}

/** Removes a verified file, unless it was changed meanwhile. A file that is gone already is no failure. */
export async function remove({ path, stamp }: Removable): Promise<Result<void, string>> {
  return await attempt(async () => {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return ok(undefined);
    if (stampOf(stats) !== stamp) return err(changed);
    await unlink(path);
    await syncFolder(dirname(path));
    return ok(undefined);
  });
}

const stampOf = ({ dev, ino, size, mtimeNs }: BigIntStats): string =>
  `${dev} ${ino} ${size} ${mtimeNs}`;

async function attempt<T>(work: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
  try {
    return await work();
  } catch (error) {
    if (systemCode(error) === 'ELOOP') return err('is a link now: left alone');
    if (error instanceof NotRegularFile) return err(error.message);
    if (isSystemProblem(error)) return err(systemReason(error));
    throw error;
  }
}
