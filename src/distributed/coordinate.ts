// Becomes the coordinator of a run in a database: moves the state file in, waits for its turn, and clears what an earlier
// coordinator left.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { JsonObject } from '../base/json.ts';
import { scrubbed } from '../base/scrub.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type Problem, problem, Refusal, stateProblem } from '../language/load/refusal.ts';
import { type Loaded, loadState } from '../state/load-state.ts';
import { lineAbout } from '../state/locate-state.ts';
import { lockState, type StateContext, strangerTo } from '../state/lock-state.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { DatabaseAway, patienceWith, retryWhileAway } from './away.ts';
import { type EngineSession, termMs } from './coordinator.ts';
import { type CoordinatorStore, TermOver } from './database/coordinator-store.ts';
import type { EngineRun } from './database/database.ts';
import { loadLedger } from './load-ledger.ts';
import { moveIn } from './move-state.ts';
import { type OpenEngine, withDatabase } from './open-database.ts';

/** A ledger that comes from a database has no record in a state file. */
export const unread: Omit<Loaded, 'ledger' | 'header'> = {
  warnings: [],
  away: undefined,
  record: undefined,
};

/** Unique to this process, and says where it is. */
const name = `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;

export interface Coordinating extends AsyncDisposable {
  readonly paths: RunPaths;
  readonly state: Loaded;
  readonly session: EngineSession;
}

export interface CoordinateContext extends StateContext {
  /** Plain data for the workers. */
  readonly terms: JsonObject;
  /** How long another coordinator is waited for, in milliseconds. Default: as long as it takes. */
  readonly standbyMs?: number;
  /** The copy of the state file to which the run was exported is lost. */
  readonly takeBack?: boolean | undefined;
  /** If it is aborted, the wait for another coordinator ends with its reason as the error. */
  readonly stop?: AbortSignal | undefined;
}

export async function coordinate(
  bound: BoundPipeline,
  paths: RunPaths,
  text: string,
  context: CoordinateContext,
): Promise<Coordinating> {
  return await withDatabase(text, 'use', (engine) => begin(bound, paths, engine, context));
}

async function begin(
  bound: BoundPipeline,
  located: RunPaths,
  engine: OpenEngine,
  context: CoordinateContext,
): Promise<Coordinating> {
  const { clock, onWarning, stop, standbyMs = Number.POSITIVE_INFINITY } = context;
  const began = clock.elapsed();
  const quit = stop ?? new AbortController().signal;
  const patience = patienceWith(engine, { clock, quit, onWarning });
  let isStandby = false;
  /** A database that a standby has used comes back; the first contact fails at once, because the address may be wrong. */
  const patiently = <T>(call: () => Promise<T>): Promise<T> =>
    isStandby ? retryWhileAway(patience, call) : call();
  for (;;) {
    const { run, paths, orderStore } = await patiently(async () => {
      const { run, paths } = await moveUnderLock(bound, located, engine, context);
      const orderStore = await engine.database.run(run.terms.run).acquire(name, termMs);
      return { run, paths, orderStore };
    });
    if (orderStore !== undefined) {
      await clear(orderStore, context);
      const { ledger, snapshot, seq, changed } = await loadLedger(orderStore);
      const state = { ...unread, ledger, header: snapshot.header };
      return {
        paths,
        state,
        session: { engine, run, orderStore, seq, ledger, changed },
        [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
      };
    }
    if (clock.elapsed() - began > standbyMs)
      throw new Refusal(busyProblem(run, engine.address.shown));
    if (!isStandby) onWarning(standbyText(run, engine.address.shown));
    isStandby = true;
    await clock.sleep(1_000, quit);
    if (stop?.aborted) throw stop.reason;
  }
}

const busyProblem = ({ coordinator }: EngineRun, shown: string): Problem =>
  problem(
    `${coordinator?.name ?? 'another process'} coordinates this run in the database ${shown}`,
    'shotlist',
    'wait until that run has ended, or stop it, then run the command again',
  );

const standbyText = ({ coordinator }: EngineRun, shown: string): string =>
  `${coordinator?.name ?? 'another process'} coordinates this run in the database ${shown}: this process takes over when that one is gone`;

/** The lock of the state file is held only while the file is read and marked: other hosts could not see the holder. */
async function moveUnderLock(
  bound: BoundPipeline,
  located: RunPaths,
  { database, address }: OpenEngine,
  { terms, takeBack, ...context }: CoordinateContext,
): Promise<{ readonly run: EngineRun; readonly paths: RunPaths }> {
  await using held = await lockState(located, 'run', context);
  const { paths } = held;
  const loaded = await loadState(paths.state);
  if (!loaded.ok)
    throw new Refusal(stateProblem(loaded.error, paths.state, lineAbout(bound, paths, 'repair')));
  const { header, warnings } = loaded.value;
  const stranger = header && strangerTo(header, paths.state, bound.name, paths.serviceName);
  if (stranger !== undefined) throw new Refusal(stranger);
  warnings.forEach(context.onWarning);
  const now = new Date(context.clock.now()).toISOString();
  const run = await moveIn({
    database,
    address,
    bound,
    paths,
    state: loaded.value,
    options: terms,
    now,
    takeBack,
    onWarning: context.onWarning,
  });
  return { run, paths };
}

/** Orders of an earlier coordinator are dropped; what workers are doing is waited for. */
async function clear(
  orderStore: CoordinatorStore,
  { clock, stop }: CoordinateContext,
): Promise<void> {
  const never = new AbortController().signal;
  for (;;) {
    // A coordinator that was silent for too long would drop the orders of the next one.
    await orderStore.renew(termMs);
    await orderStore.dropQueued();
    if ((await orderStore.active()) === 0) break;
    await orderStore.supervise();
    await clock.sleep(500, stop ?? never);
    if (stop?.aborted) throw stop.reason;
  }
  const why = 'its coordinator and its worker were gone before its answer was recorded';
  await orderStore.doubtIntended(why);
}

/** A coordinator that had to stop, where that is neither a bug nor the fault of its user, refuses. Rethrows any other error. */
export async function asCoordinator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = problemOf(error);
    if (reason === undefined) throw error;
    throw new Refusal(reason);
  }
}

function problemOf(error: unknown): Problem | undefined {
  if (error instanceof TermOver) {
    const hint =
      'this process was silent for too long, and has stopped: the other one goes on with everything that was paid';
    return { ...problem(error.message, 'shotlist', hint), reason: 'system' };
  }
  if (error instanceof DatabaseAway) {
    const hint = 'everything that was paid is recorded there: run again when it is back';
    const message = `the database went away while the record was moved: ${scrubbed(error.message)}`;
    return { ...problem(message, 'shotlist', hint), reason: 'system' };
  }
  return undefined;
}
