// The parts that a watch shares.
import type { FolderWatch, FolderWatchOptions } from '../../adapters/files/folder-watch.ts';
import type { WatchEvent } from '../../report/watch-event.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { GivenInputs } from '../pipeline/inputs.ts';
import type { RunInternals, RunOptions } from '../run/options.ts';

/** The options of every run. `budget` covers all runs of the watch together. */
export type WatchedRunOptions = Omit<
  RunOptions,
  | 'runId'
  | 'retryFailed'
  | 'items'
  | 'payAgain'
  | 'listen'
  | 'signal'
  | 'graceMs'
  | 'env'
  | 'clock'
  | 'onEvent'
> & {
  /** Only files whose keys match this glob. */
  readonly items?: { readonly only?: string | undefined } | undefined;
};

export interface WatchContext {
  readonly file: string;
  readonly run: WatchedRunOptions;
  readonly inputs: GivenInputs;
  readonly settleMs: number;
  readonly pollMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** If it is aborted, the run in progress is drained, and nothing new begins. */
  readonly stop: AbortSignal;
  readonly onEvent: (event: WatchEvent) => void;
  readonly internals: WatchInternals;
}

/** For tests. */
export interface WatchInternals {
  readonly run?: RunInternals;
  /** The clock of the runs, if it is another one. */
  readonly runClock?: Clock;
  readonly watchFolders?: (options: FolderWatchOptions) => FolderWatch;
}
