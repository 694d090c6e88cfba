// Gives the record of a run back to its state file. Until the file is written, the database has the record.

import { removeLeftover } from '../base/leftover.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { shownPath } from '../files/shown-path.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { resultOf } from '../language/load/refusal.ts';
import type { Ledger } from '../model/ledger.ts';
import { lockState, type StateContext } from '../state/lock-state.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { canaryFile } from './canary.ts';
import type { EngineSession } from './coordinate.ts';
import { termMs } from './coordinator.ts';
import { removeLeftovers } from './leftovers.ts';
import { headerFor, writeState } from './move-state.ts';
import { insistently, type Patience } from './patience.ts';
import { TermOver } from './term-over.ts';

export interface Exporting {
  readonly session: EngineSession;
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly ledger: Ledger;
  /** Reads what was recorded meanwhile into the ledger, and returns the number of the last record. */
  readonly catchUp: () => Promise<number>;
  /** How long the database is waited for. */
  readonly patience: Patience;
  readonly context: StateContext;
}

/**
 * The error says why the state file could not be written: then the database keeps the record. Wherever this is stopped, the
 * mark in the state file says where the record is.
 */
export async function exportRun(exporting: Exporting): Promise<Result<void, string>> {
  const { session, bound, paths, ledger, catchUp, patience, context } = exporting;
  const { orderStore, term } = session;
  const header = headerFor(bound, paths);
  const again = <T>(call: () => Promise<T>): Promise<T> => insistently(patience, call);
  for (;;) {
    const seq = await again(catchUp);
    const snapshot = { header, seq, runs: ledger.runs(), tasks: ledger.tasks() };
    await again(() => orderStore.fold(term, snapshot, [...ledger.jobs()]));
    const locked = await resultOf(() => lockState(paths, 'edit', context));
    if (!locked.ok) return err(locked.error.diagnostics[0]?.message ?? paths.state);
    await using _held = locked.value;
    if (await again(() => orderStore.seal(term, seq, termMs))) return await handOver(exporting);
  }
}

/** Nobody records anything any more, and no other coordinator reads the state file. */
async function handOver(exporting: Exporting): Promise<Result<void, string>> {
  const { session, bound, paths, ledger, patience } = exporting;
  const { orderStore, term } = session;
  const { run } = session.run.terms;
  try {
    await writeState(paths, headerFor(bound, paths), ledger);
    await insistently(patience, () => orderStore.handOver(term));
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

async function markAgain({ session, bound, paths, ledger, context }: Exporting): Promise<void> {
  const { engine, run } = session;
  const since = new Date(context.clock.now()).toISOString();
  const away = { engine: engine.address.digest, run: run.terms.run, since };
  await writeState(paths, { ...headerFor(bound, paths), away }, ledger);
}
