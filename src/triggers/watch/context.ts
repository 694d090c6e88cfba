// The parts that a watch shares.

import type { RunOptions } from '../../features/run/options.ts';
import type { FolderWatch, FolderWatchOptions } from '../../files/folder-watch.ts';
import type { GivenInputs } from '../../language/load/inputs.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { Summary } from '../../run/run-event.ts';
import type { WatchEvent } from '../../views/watch-event.ts';

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
  readonly profile: string | undefined;
  readonly settleMs: number;
  readonly pollMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The clock of the watch. */
  readonly clock: Clock;
  /** If it is aborted, the run in progress is drained, and nothing new begins. */
  readonly stop: AbortSignal;
  readonly onEvent: (event: WatchEvent) => void;
  readonly watchFolders: (options: FolderWatchOptions) => FolderWatch;
  /** The operation `run`. */
  readonly start: (pipeline: LoadedPipeline, options: RunOptions) => Promise<FinishedRun>;
}

interface FinishedRun {
  readonly pipeline: string;
  readonly summary: Summary;
  /** As in the event `started` of the run. */
  readonly state: string;
  readonly output: string;
}
