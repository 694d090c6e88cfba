// The parts that all pipelines of one `schedule` share.
import pLimit from 'p-limit';
import type { RunOptions } from '../../features/run/options.ts';
import type { GivenInputs } from '../../language/load/inputs.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { Summary } from '../../run/run-event.ts';
import type { ScheduleEvent } from '../../views/schedule-event.ts';

/** The options of every run. */
export type ScheduledRunOptions = Omit<
  RunOptions,
  'due' | 'runId' | 'listen' | 'signal' | 'graceMs' | 'env' | 'clock' | 'onEvent'
>;

interface FinishedRun {
  readonly summary: Summary;
  /** As in the event `started` of the run. */
  readonly state: string;
  readonly output: string;
}

export interface ScheduleContext {
  readonly run: ScheduledRunOptions;
  readonly inputs: GivenInputs;
  readonly profile: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** If it is aborted, the run in progress is drained, and nothing new begins. */
  readonly stop: AbortSignal;
  readonly onEvent: (event: ScheduleEvent) => void;
  /** The operation `run`. */
  readonly start: (pipeline: LoadedPipeline, options: RunOptions) => Promise<FinishedRun>;
  /** Waits for one of the few places for runs, then runs. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** By state file: the pipeline file that uses it. Two files with one state file would run for each other. */
  readonly owners: Map<string, string>;
}

/** How many pipelines run at once in one process; the others wait. */
const runsAtOnce = 4;

export const contextOf = (given: Omit<ScheduleContext, 'inTurn' | 'owners'>): ScheduleContext => {
  const limit = pLimit(runsAtOnce);
  return { ...given, inTurn: (work) => limit(work), owners: new Map() };
};
