// Standing failures: tasks that failed last time and that nothing has fixed since. A failed job stays in the state file
// when its task continues with other content.
import type { Ledger } from './ledger.ts';
import type { JobLine } from './line.ts';
import { isWithheld } from './settled.ts';
import { jobFacts } from './state.ts';

export interface StandingFailure {
  readonly tasks: readonly string[];
  readonly why: string;
  readonly code?: string;
}

const isGood = ({ state }: JobLine): boolean =>
  jobFacts[state].atService || jobFacts[state].hasResult;

/**
 * A task's own line takes precedence. Without one, a failed job stands for its tasks, unless another job serves them
 * well. `failed`: the failed jobs of the ledger.
 */
export function standingFailures(
  ledger: Ledger,
  failed = [...ledger.jobs()].filter(isFailed),
): readonly StandingFailure[] {
  const open = new Set(
    failed.flatMap(({ tasks }) => tasks).filter((task) => ledger.task(task) === undefined),
  );
  if (open.size > 0)
    for (const job of ledger.jobs())
      if (isGood(job)) for (const task of job.tasks) open.delete(task);
  const ofJobs = failed.flatMap(({ tasks, error }): readonly StandingFailure[] => {
    const concerned = tasks.filter((task) => open.has(task));
    if (concerned.length === 0) return [];
    const code = error === undefined ? {} : { code: error.code };
    return [{ tasks: concerned, why: error?.message ?? 'unknown', ...code }];
  });
  const ofTasks = ledger
    .tasks()
    .flatMap(({ task, state, why, code }): StandingFailure[] =>
      state === 'failed' ? [{ tasks: [task], why, ...(code === undefined ? {} : { code }) }] : [],
    );
  return [...ofJobs, ...ofTasks];
}

/** Not one that only waits for the next run. */
export const isFailed = (job: JobLine): boolean => job.state === 'failed' && !isWithheld(job);
