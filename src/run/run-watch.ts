// What a monitor learns about runs. Nothing in a run depends on a monitor.
import type { CreditTotals } from '../model/ledger.ts';
import type { QueueState } from './engine-watch.ts';
import type { RequestWatch } from './request-watch.ts';
import type { RunEvent } from './run-event.ts';
import type { RunView } from './run-view.ts';

/** Hears about all runs of this process. */
export interface RunObserver {
  /** Call when a run begins. */
  begin(run: WatchedRun): RunWatch;
}

export interface WatchedRun {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** The step kind of each step. */
  readonly kinds: ReadonlyMap<string, string>;
  /** The absolute path of the state file. */
  readonly state: string;
  /** What the run has told so far: an event is part of it before anybody hears the event. */
  readonly view: RunView;
}

/** Hears about one run. */
export interface RunWatch extends RequestWatch {
  event(event: RunEvent): void;
  /** The state file is open, and `totals` returns its credits at any time. */
  ledger(totals: () => CreditTotals): void;
  /** The run ended without a summary. */
  refused(reason: RefusalReason): void;
  /** Of a distributed run, every few seconds; undefined: the database is away. */
  queue(state: QueueState | undefined): void;
}

export type RefusalReason = 'input' | 'locked' | 'system' | 'unreachable';
