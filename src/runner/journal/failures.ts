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
 * well.
 */
export function standingFailures(ledger: Ledger): readonly StandingFailure[] {
  const well = new Set<string>();
  const failed: JobLine[] = [];
  for (const job of ledger.jobs()) {
    if (job.state === 'failed' && !isWithheld(job)) failed.push(job);
    if (isGood(job)) for (const task of job.tasks) well.add(task);
  }
  const ofJobs = failed.flatMap(({ tasks, error }): readonly StandingFailure[] => {
    const concerned = tasks.filter((task) => !well.has(task) && ledger.task(task) === undefined);
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
