// Edits a state file outside of a run, as the user or the service says: with the same lock, through the same journal,
// and compacted at the end.
import { Redactor } from '../../../contract/base/redactor.ts';
import { err, type Result } from '../../../contract/base/result.ts';
import { isSystemProblem, systemReason } from '../../../contract/files/system-error.ts';
import { Cleanup } from '../../adapters/cleanup.ts';
import { realClock } from '../../adapters/clock.ts';
import { type Content, StateFileChanged } from '../../adapters/state/file-version.ts';
import { openJournal } from '../../adapters/state/journal-file.ts';
import type { Header } from '../../journal/line.ts';
import { RunGone } from '../../run/engine/run-gone.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { JournalWriter } from '../../run/journal/journal-writer.ts';
import { type BoundPipeline, boundPipeline } from '../pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from '../pipeline/loaded-pipeline.ts';
import { type Problem, problem, uncompacted } from '../pipeline/problem.ts';
import { bookFor, type ReceiptBook } from '../receipts/receipt-book.ts';
import { noteRecord } from '../receipts/record-check.ts';
import { secretsIn } from '../service/secrets.ts';
import { type ConnectedService, connectOwner } from './connect-owner.ts';
import { engineEdit, RecordChanged } from './engine/engine-edit.ts';
import type { OpenEngineRun } from './engine/engine-state.ts';
import { reachable } from './engine/open-database.ts';
import { type LocatedState, type LocateOptions, locateState } from './locate-state.ts';
import { headerOf, type OpenState, openState } from './open-state.ts';
import { changedProblem } from './unsaved-state.ts';

export interface EditOptions extends LocateOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with the address of the hosted service before anything is sent there. */
  readonly onConnect?: (address: string) => void;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

export interface StateEdit {
  readonly located: LocatedState;
  readonly journal: JournalWriter;
  readonly receipts: ReceiptBook;
  readonly header: Header;
  /** The state file as it was read; undefined if the record is in a database. */
  readonly content: Content | undefined;
  readonly clock: Clock;
  /** The record is in a database, where workers may be performing what is only intended. */
  readonly shared: boolean;
  /** Connects to the service that the state file belongs to. Most edits need no service. */
  connect(): Promise<Result<ConnectedService, Problem>>;
}

/** Runs `work` on the state. When this returns, everything that `work` appended is on disk. */
export async function editState<T>(
  loaded: LoadedPipeline,
  options: EditOptions,
  work: (edit: StateEdit) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const bound = boundPipeline(loaded);
  const located = locateState(bound, options);
  if (!located.ok) return located;
  const { state } = located.value.paths;
  try {
    return await edit(bound, located.value, options, work);
  } catch (error) {
    if (error instanceof StateFileChanged) return err(changedProblem(error));
    if (!isSystemProblem(error)) throw error;
    return err({ ...problem(`${state} ${systemReason(error)}`), reason: 'system' });
  }
}

async function edit<T>(
  bound: BoundPipeline,
  located: LocatedState,
  options: EditOptions,
  work: (edit: StateEdit) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const { clock = realClock, env = process.env, onWarning = () => undefined } = options;
  const { paths } = located;
  const opened = await openState(bound, paths, 'edit', { clock, onWarning, env });
  if (!opened.ok) return opened;
  await using open = opened.value;
  const found = headerOf(open, bound);
  if (!found.ok) return found;
  const header = found.value;
  options.onState?.(header.service);
  await using cleanup = new Cleanup();
  const { engine } = open;
  if (engine !== undefined)
    return await editEngine(bound, options, { located, open, engine, header }, work);
  const file = await openJournal(paths.state, header, open.state);
  cleanup.defer(() => file.close());
  const { ledger } = open.state;
  const redactor = new Redactor(secretsIn(env));
  const receipts = bookFor(header, { bound, paths, env, clock, onWarning });
  cleanup.defer(() => receipts.close());
  const journal = new JournalWriter(ledger, file, clock, { redactor, receipts });
  const worked = await work({
    ...{ located, journal, receipts, header, clock, content: open.state.content },
    shared: false,
    connect: () => connectOwner(header, { options, bound, redactor, clock, cleanup }),
  });
  if (!journal.wrote) return worked;
  const compacted = await file.compact(ledger);
  if (compacted.ok) noteRecord(receipts, open.check, ledger, compacted.value, clock.now());
  else onWarning(uncompacted(compacted.error));
  return worked;
}

interface EngineOpened {
  readonly located: LocatedState;
  readonly open: OpenState;
  readonly engine: OpenEngineRun;
  readonly header: Header;
}

/** The record is in a database, and stays there. */
async function editEngine<T>(
  bound: BoundPipeline,
  options: EditOptions,
  { located, open, engine, header }: EngineOpened,
  work: (edit: StateEdit) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const { clock = realClock, env = process.env, onWarning = () => undefined } = options;
  await using cleanup = new Cleanup();
  const { ledger } = open.state;
  const redactor = new Redactor(secretsIn(env));
  const file = engineEdit(engine, ledger, clock);
  const { paths } = located;
  const receipts = bookFor(header, { bound, paths, env, clock, onWarning });
  cleanup.defer(() => receipts.close());
  const journal = new JournalWriter(ledger, file, clock, { redactor, receipts });
  try {
    const worked = await reachable(engine.engine.address.shown, async () => {
      const done = await work({
        ...{ located, journal, receipts, header, clock, content: undefined, shared: true },
        connect: () => connectOwner(header, { options, bound, redactor, clock, cleanup }),
      });
      await file.flush();
      return done;
    });
    return worked.ok ? worked.value : worked;
  } catch (error) {
    if (error instanceof RunGone) return err(problem(error.message, 'shotlist', movedBack));
    if (!(error instanceof RecordChanged)) throw error;
    const hint = 'nothing was changed: look at the status, then decide again';
    return err(problem(`${error.message}: a worker has recorded more meanwhile`, 'shotlist', hint));
  }
}

const movedBack =
  'nothing was changed: its record went back to the state file meanwhile; run the command again without --engine';
