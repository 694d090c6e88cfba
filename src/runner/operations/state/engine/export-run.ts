// Gives the record of a run back to its state file. Until the file is written, the database has the record.
import { err, ok, type Result } from '../../../../contract/base/result.ts';
import { isSystemProblem, systemReason } from '../../../../contract/files/system-error.ts';
import type { Ledger } from '../../../journal/ledger.ts';
import type { RunPaths } from '../../files/run-paths.ts';
import { shownPath } from '../../files/shown-path.ts';
import type { BoundPipeline } from '../../pipeline/bound-pipeline.ts';
import { lockState, type StateContext } from '../lock-state.ts';
import type { EngineSession } from './coordinate.ts';
import { removeLeftovers } from './leftovers.ts';
import { headerFor, writeState } from './move-state.ts';

export interface Exporting {
  readonly session: EngineSession;
  readonly bound: BoundPipeline;
  readonly paths: RunPaths;
  readonly ledger: Ledger;
  /** The number of the last record in the ledger. */
  readonly seq: number;
  readonly context: StateContext;
}

/** The error says why the state file could not be written: then the database keeps the record. */
export async function exportRun({
  session,
  bound,
  paths,
  ledger,
  seq,
  context,
}: Exporting): Promise<Result<void, string>> {
  const { desk, term } = session;
  const { database } = session.engine;
  const { run } = session.run.terms;
  const header = headerFor(bound, paths);
  const snapshot = { header, seq, runs: ledger.runs(), tasks: ledger.tasks() };
  await desk.fold(term, snapshot, [...ledger.jobs()]);
  const locked = await lockState(paths, 'edit', context);
  if (!locked.ok) return err(locked.error.diagnostics[0]?.message ?? paths.state);
  await using _held = locked.value;
  try {
    await database.setStage(run, 'importing');
    await writeState(paths, header, ledger);
    await database.setStage(run, 'exported');
    removeLeftovers(run, bound.folder, paths.output, ledger);
    return ok(undefined);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err(`${shownPath(paths.state)} ${systemReason(error)}`);
  }
}
