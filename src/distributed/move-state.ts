// Moves the record of a pipeline between its state file and a database. At every moment exactly one of them is the record:
// while both know the run (`importing`), the mark in the header of the state file decides.
import { randomBytes, randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { digestOf } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import { removeLeftover } from '../base/leftover.ts';
import { err, ok, type Result } from '../base/result.ts';
import { shotlistLine } from '../base/shell.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { shownPath } from '../files/shown-path.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type Problem, problem, Refusal, resultOf } from '../language/load/refusal.ts';
import { jobOf, unknownRun, viewOf } from '../model/job-view.ts';
import type { Ledger } from '../model/ledger.ts';
import type { JobLine } from '../model/line.ts';
import { stateAfter } from '../model/record/job.ts';
import type { Ledger as Record } from '../model/record/ledger.ts';
import {
  type Header,
  type Job,
  type Line,
  lineText,
  type MarkLine,
  type RunLine,
} from '../model/record/line.ts';
import { formatVersion } from '../model/record/schemas.ts';
import { loadRecord } from '../state/load-record.ts';
import type { Loaded } from '../state/load-state.ts';
import { lockState, type StateContext } from '../state/lock-state.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { quietTerms, StateFile } from '../state/state-file.ts';
import { type Patience, retryWhileAway } from './away.ts';
import { type EngineSession, termMs } from './coordinator.ts';
import { type EngineRecord, TermOver } from './database/coordinator-store.ts';
import type { EngineDatabase, EngineRun } from './database/database.ts';
import { loadLedger, recordGroups } from './load-ledger.ts';
import type { EngineAddress } from './open-database.ts';
import { canaryFile, hasCanary, removeLeftovers, writeCanary } from './shared-folder.ts';

export interface Moving {
  readonly database: EngineDatabase;
  readonly address: EngineAddress;
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  /** The state file, under its lock. */
  readonly state: Loaded;
  /** Plain data for the workers. */
  readonly options: JsonObject;
  /** ISO 8601. */
  readonly now: string;
  /** `--take-back`: the copy of the state file to which the run was exported is lost, so the database is the record again. */
  readonly takeBack?: boolean | undefined;
  readonly onWarning: (message: string) => void;
}

/** Makes the database the record, and returns the run there. */
export async function moveIn(moving: Moving): Promise<EngineRun> {
  const { database, bound, paths, state, address } = moving;
  const run = await database.find(bound.name, paths.serviceName);
  const { away } = state;
  if (moving.takeBack === true && run?.stage === 'exported') return await takeBack(moving, run);
  if (away !== undefined && !away.id.startsWith(address.digest))
    throw new Refusal(awayProblem(paths.state, away, 'another database'));
  if (away !== undefined && away.run !== run?.terms.run)
    throw new Refusal(
      run?.stage === 'exported' ? exportedProblem(moving) : forgottenProblem(paths.state, address),
    );
  switch (run?.stage) {
    case undefined:
      return await importRun(moving);
    case 'importing':
      if (away === undefined) return await importRun(moving);
      // Its coordinator is writing the state file, and hands it over soon.
      if (run.coordinator !== undefined) return run;
      await database.setStage(run.terms.run, 'open');
      return run;
    case 'open':
      return await joinRun(moving, run);
    case 'exported': {
      if (away !== undefined) throw new Refusal(exportedProblem(moving));
      const newer = await newerIn(moving, run);
      if (newer === undefined) return await importRun(moving);
      throw new Refusal(newer);
    }
  }
}

async function importRun(moving: Moving): Promise<EngineRun> {
  const { database, bound, paths, state, options } = moving;
  const run = randomUUID();
  const canary = randomBytes(16).toString('hex');
  const header = headerFor(bound, paths);
  const file = basename(bound.file);
  const terms = { run, pipeline: bound.name, file, service: paths.serviceName, options };
  const { ledger } = state;
  const lines = { header, runs: ledger.runs(), tasks: ledger.tasks(), jobs: ledger.jobs() };
  await database.import({ terms, canary, ...lines });
  const open = { terms, canary, stage: 'open' } as const;
  await writeCanary(bound.folder, open);
  await markAway(moving, run);
  await database.setStage(run, 'open');
  return open;
}

/** The run is open: this checkout joins it if its state file knows nothing that the database does not. */
async function joinRun(moving: Moving, run: EngineRun): Promise<EngineRun> {
  const { bound, state } = moving;
  if (state.away === undefined && state.header !== undefined) {
    const ahead = await firstAhead(moving, run);
    if (ahead !== undefined) throw new Refusal(aheadProblem(moving, ahead));
  }
  // The folder of the run has its canary.
  if (!hasCanary(bound.folder, run)) moving.onWarning(otherCopyText(moving));
  await writeCanary(bound.folder, run);
  if (state.header !== undefined) await markAway(moving, run.terms.run);
  return run;
}

/** Makes the database the record again after an export. */
async function takeBack(moving: Moving, run: EngineRun): Promise<EngineRun> {
  const ahead = await firstAhead(moving, run);
  if (ahead !== undefined) throw new Refusal(aheadProblem(moving, ahead));
  await moving.database.setStage(run.terms.run, 'open');
  return await joinRun(moving, { ...run, stage: 'open' });
}

const aheadProblem = ({ address, paths }: Moving, { tasks }: JobLine): Problem =>
  problem(
    `the database ${address.shown} has a run of this pipeline, and ${paths.state} has results that it does not have: ${tasks.join(', ')}`,
    'shotlist',
    'finish that run where it began, or export it there and merge the state files',
  );

const otherCopyText = ({ address, bound, paths }: Moving): string =>
  `the run in the database ${address.shown} began in another copy of this folder: workers save results where they run, and the record comes to ${paths.state}, not to the other copy. ` +
  `Keep this file and commit it; if it is lost, ${takeBackLine(bound)} in the other copy writes it again`;

const takeBackLine = ({ file }: BoundPipeline): string =>
  shotlistLine('export', [file], ['--engine', { placeholder: '<address>' }, '--take-back']);

const headerFor = (bound: BoundPipeline, paths: RunPaths): Header => ({
  shotlist: formatVersion,
  pipeline: bound.name,
  service: paths.serviceName,
});

async function markAway({ bound, paths, address, now }: Moving, run: string): Promise<void> {
  await writeState(bound, paths, (record) => [
    ...marksOver(record, now),
    awayMark(address, run, now),
  ]);
}

/** Each move has a mark of its own: one that was taken off stays off. */
const awayMark = ({ digest }: EngineAddress, run: string, at: string): MarkLine => ({
  mark: 'away',
  id: `${digest} ${at}`,
  run,
  at,
});

const marksOver = (record: Record, now: string): readonly MarkLine[] =>
  record
    .marks()
    .filter(({ mark }) => mark === 'away')
    .map((mark) => ({ ...mark, over: now }));

/** Adds lines to the state file, and writes it whole. */
async function writeState(
  bound: BoundPipeline,
  paths: RunPaths,
  change: (record: Record) => readonly Line[],
): Promise<void> {
  const loaded = await loadRecord(paths.state, { header: headerFor(bound, paths) });
  if (!loaded.ok) throw new Refusal(problem(loaded.error, 'the state file'));
  const record = loaded.value.ledger;
  const file = new StateFile(paths.state, loaded.value, quietTerms);
  try {
    for (const line of change(record)) {
      record.put(line);
      file.append(lineText(line));
    }
    await file.sync();
    const written = await file.writeWhole();
    if (!written.ok) throw new Refusal({ ...problem(written.error), reason: 'system' });
  } finally {
    await file.close();
  }
}

/** A job of the state file that the database has not, or has in an earlier attempt. */
const firstAhead = async (moving: Moving, run: EngineRun): Promise<JobLine | undefined> =>
  firstNewer(moving.state.ledger, await ledgerOf(moving, run));

/** After an export, the state file goes on. An older copy of it would pay again for what the database knows. */
async function newerIn(moving: Moving, run: EngineRun): Promise<Problem | undefined> {
  const newer = firstNewer(await ledgerOf(moving, run), moving.state.ledger);
  if (newer === undefined) return undefined;
  const { state } = moving.paths;
  return problem(
    `${state} is older than the last run in the database ${moving.address.shown}: it does not have ${newer.tasks.join(', ')}`,
    'shotlist',
    'get the current state file (git pull), then run again',
  );
}

const ledgerOf = async ({ database }: Moving, { terms }: EngineRun): Promise<Ledger> =>
  (await loadLedger(database.run(terms.run))).ledger;

function firstNewer(ledger: Ledger, than: Ledger): JobLine | undefined {
  for (const line of ledger.jobs())
    if ((than.job(line.job)?.attempt ?? -1) < line.attempt) return line;
  return undefined;
}

/** Why a command that needs the record cannot use the state file. */
export function awayProblem(state: string, { at: since }: MarkLine, where = 'a database'): Problem {
  return problem(
    `the record of ${state} has been in ${where} since ${since} (shotlist run --engine)`,
    'shotlist',
    'nothing was sent, because the file may lack payments: add --engine <address>, or bring the record back with shotlist export',
  );
}

const forgottenProblem = (state: string, { shown }: EngineAddress): Problem =>
  problem(
    `${state} says that its record is in the database ${shown}, and the database does not have that run`,
    'shotlist',
    'nothing was sent: was the database dropped or restored? If the run was never begun there, restore the state file from git',
  );

const exportedProblem = ({ paths: { state }, address, bound }: Moving): Problem =>
  problem(
    `${state} says that its record is in the database ${address.shown}, but that run was exported to another copy of the file`,
    'shotlist',
    'get the current state file (git pull), then run again. ' +
      `Only if that copy is lost: ${takeBackLine(bound)} writes this file from the database`,
  );

// Back to the state file. Until the file is written, the database has the record.

export interface Exporting {
  readonly session: EngineSession;
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  /** The number of the last record in the ledger of the session. */
  readonly seq: number;
  /** Reads a later record into that ledger. */
  readonly fold: (record: EngineRecord) => void;
  /** How long the database is waited for. */
  readonly patience: Patience;
  readonly context: StateContext;
}

/**
 * The error says why the state file could not be written: then the database keeps the record. Wherever this is stopped, the
 * mark in the state file says where the record is.
 */
export async function exportRun(exporting: Exporting): Promise<Result<void, string>> {
  const { session, bound, paths, fold, patience, context } = exporting;
  const { orderStore, ledger } = session;
  let { seq } = exporting;
  const header = headerFor(bound, paths);
  const again = <T>(call: () => Promise<T>): Promise<T> => retryWhileAway(patience, call);
  const catchUp = async (): Promise<void> => {
    for await (const records of recordGroups(orderStore, seq))
      for (const record of records) {
        fold(record);
        seq = record.seq;
      }
  };
  for (;;) {
    await again(catchUp);
    const snapshot = { header, seq, runs: ledger.runs(), tasks: ledger.tasks() };
    await again(() => orderStore.fold(snapshot, [...ledger.jobs()]));
    const locked = await resultOf(() => lockState(paths, 'edit', context));
    if (!locked.ok) return err(locked.error.diagnostics[0]?.message ?? paths.state);
    await using _held = locked.value;
    if (await again(() => orderStore.seal(seq, termMs))) return await handOver(exporting);
  }
}

/** Nobody records anything any more, and no other coordinator reads the state file. */
async function handOver(exporting: Exporting): Promise<Result<void, string>> {
  const { session, bound, paths, patience, context } = exporting;
  const { orderStore, ledger } = session;
  const { run } = session.run.terms;
  try {
    const now = new Date(context.clock.now()).toISOString();
    await writeState(bound, paths, (record) => [
      ...marksOver(record, now),
      ...linesOf(ledger, run, record, now),
    ]);
    await retryWhileAway(patience, () => orderStore.handOver());
    await removeLeftover(canaryFile(bound.folder, run));
    removeLeftovers(run, bound.folder, paths.output, ledger);
    return ok(undefined);
  } catch (error) {
    // Another checkout has the run now: this one must not pay without the database.
    if (error instanceof TermOver) await markAgain(exporting);
    if (!isSystemProblem(error)) throw error;
    return err(`${shownPath(paths.state)} ${systemReason(error)}`);
  }
}

async function markAgain({ session, bound, paths, context }: Exporting): Promise<void> {
  const { engine, run, ledger } = session;
  const now = new Date(context.clock.now()).toISOString();
  await writeState(bound, paths, (record) => [
    ...linesOf(ledger, run.terms.run, record, now),
    awayMark(engine.address, run.terms.run, now),
  ]);
}

/**
 * What the database knows, as lines of the record: what the record knows already is kept. `of`: the run in the database, from
 * which two copies of the state file give its runs the same ids.
 */
function linesOf(ledger: Ledger, of: string, record: Record, now: string): readonly Line[] {
  const known = new Map(record.runs().map(({ run, at }) => [at, run]));
  const ids = new Map<number, string>();
  const runs = ledger.runs().map(({ run: number, at, ended, due }): RunLine => {
    const run = known.get(at) ?? `${at}-${digestOf({ run: of }).slice(0, 4)}`;
    ids.set(number, run);
    return {
      run,
      at,
      ...(ended === undefined ? {} : { ended }),
      ...(due === undefined ? {} : { due }),
    };
  });
  const tasks = ledger.tasks().map(({ task, state, why, code = '' }): Line => {
    const before = record.task(task);
    const isKnown = before?.ending === state && before.fault.message === why;
    const fault = { code, message: why };
    return { task, at: isKnown ? before.at : now, run: unknownRun, ending: state, fault };
  });
  for (const line of ledger.jobs()) {
    const before = record.job(line.job);
    record.join(jobOf(line, (number) => ids.get(number) ?? unknownRun));
    if (before !== undefined) forgetPast(record, before, line, now);
  }
  for (const line of [...runs, ...tasks]) record.join(line);
  const sent = creationsIn(record);
  const counted = runs.map((line) =>
    line.ended === undefined ? line : { ...line, creations: sent.get(line.run) ?? 0 },
  );
  return [...counted, ...tasks, ...[...ledger.jobs()].flatMap(({ job }) => record.job(job) ?? [])];
}

/** The attempt that counted when the record moved, and no longer does: it was done again on purpose. */
function forgetPast(record: Record, before: Job, { job, past = [] }: JobLine, at: string): void {
  const { name } = viewOf(before, () => undefined);
  if (name === undefined || !past.some((one) => one.name === name)) return;
  const after = record.job(job);
  if (after === undefined) throw new Error(`bug: the job ${job} did not join`);
  record.put(stateAfter(after, { is: 'said', job, attempt: name, mark: 'forgotten' }, '', at));
}

/** By run. */
function creationsIn(record: Record): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { attempts } of record.jobs())
    for (const { run } of attempts) counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}
