// `export`: brings the record of a distributed run back to the state file.

import { option, shotlistLine } from '../../base/shell.ts';
import { patienceWith, unlessAway } from '../../distributed/away.ts';
import { asCoordinator, coordinate } from '../../distributed/coordinate.ts';
import { termMs } from '../../distributed/coordinator.ts';
import type { EngineRecord } from '../../distributed/database/coordinator-store.ts';
import { foldRecord } from '../../distributed/load-ledger.ts';
import { exportRun } from '../../distributed/move-state.ts';
import { termsOf } from '../../distributed/terms.ts';
import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { problem, Refusal, stateProblem } from '../../language/load/refusal.ts';
import { realClock } from '../../run/clock.ts';
import { type Loaded, loadState } from '../../state/load-state.ts';
import { locateState } from '../../state/locate-state.ts';
import { openReceipts } from '../open-receipts.ts';
import type { ReadOptions } from '../open-state.ts';
import { catchUp } from '../order-claims.ts';
import { refuse } from '../refuse.ts';

export interface ExportOptions extends ReadOptions {
  /** `--engine`: the address of the database. */
  readonly engine: string;
  /** `--take-back`: the copy of the state file to which the run was exported is lost: write it again from the database. */
  readonly takeBack?: boolean | undefined;
  /** If it is aborted, the wait for busy workers ends with its reason as the error. */
  readonly signal?: AbortSignal | undefined;
}

/** A coordinator that died keeps its term for so long; one that lives is not waited for. */
const standbyMs = termMs + 3_000;

export interface Exported {
  /** The state file. */
  readonly state: string;
  readonly jobs: number;
}

/**
 * Waits until no worker is busy with the run, writes the state file, and gives the record back to it. Nothing is bought, and a
 * later run continues from there, with or without a database.
 */
export async function exportState(
  loaded: LoadedPipeline,
  options: ExportOptions,
): Promise<Exported> {
  return await asCoordinator(() => exportHere(loaded, options));
}

async function exportHere(loaded: LoadedPipeline, options: ExportOptions): Promise<Exported> {
  const { clock = realClock, onWarning = () => undefined, signal, engine } = options;
  const { env = process.env } = options;
  const bound = boundPipeline(loaded);
  const found = locateState(bound, options);
  const located = found.paths;
  const { header, away } = await loadHere(located.state);
  const isHere = away === undefined && options.takeBack !== true;
  if (header === undefined || isHere)
    refuse(
      `${located.state} has its own record: nothing is in a database`,
      'there is nothing to export',
    );
  const given = { ...located, serviceName: header.service };
  const { takeBack } = options;
  const context = { clock, onWarning, stop: signal, standbyMs, takeBack };
  const terms = termsOf(bound, given, { speedFactor: 1, backoffMs: 1000 });
  await using coordinated = await coordinate(bound, given, engine, { ...context, terms });
  const { session, state, paths } = coordinated;
  const { ledger } = state;
  const { orderStore } = session;
  const quit = signal ?? new AbortController().signal;
  const patience = patienceWith(session.engine, { clock, quit, onWarning });
  const changed = new Set(session.changed);
  const fold = (record: EngineRecord): void => foldRecord(ledger, record, changed);
  const { seq } = session;
  const exported = await exportRun({ session, bound, paths, seq, fold, patience, context });
  const { run } = session.run.terms;
  const service = given.serviceName;
  const own = { bound, paths, service, env, clock, onWarning, ledger, writes: true };
  const receipts = openReceipts({ ...own, engineRun: run });
  catchUp(receipts, ledger, { run, changed });
  receipts.close();
  // The term lapses by itself.
  await unlessAway(() => orderStore.release());
  if (!exported.ok) throw new Refusal({ ...problem(exported.error), reason: 'system' });
  return { state: paths.state, jobs: ledger.size };
}

/** A damaged file is a problem. */
async function loadHere(state: string): Promise<Loaded> {
  const loaded = await loadState(state);
  if (loaded.ok) return loaded.value;
  throw new Refusal(stateProblem(loaded.error, state, repairLine(state)));
}

const repairLine = (state: string): string =>
  shotlistLine('repair', [{ placeholder: '<pipeline file>' }], option('--state', state));
