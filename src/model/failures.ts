// Standing failures: tasks that failed last time and that nothing has fixed since. A failed job stays in the state file
// when its task continues with other content.
import { type JobView, viewOf, viewsOf } from './job-view.ts';
import type { Ledger } from './record/ledger.ts';
import type { TaskLine } from './record/line.ts';
import { isWithheld, jobFacts } from './state.ts';

export interface StandingFailure {
  readonly tasks: readonly string[];
  readonly why: string;
  readonly code?: string | undefined;
}

const isGood = ({ state }: JobView): boolean =>
  jobFacts[state].atService || jobFacts[state].hasResult;

/** How a task ended without a job, as far as that still stands. The pipeline alone shows a skip, so that counts only after a failure. */
export function standingTask(ledger: Ledger, task: string): TaskLine | undefined {
  const line = ledger.task(task);
  if (line?.ending !== 'skipped') return line?.ending === 'failed' ? line : undefined;
  const hasFailed = ledger.jobsOfTask(task).some((job) => viewOf(job).state === 'failed');
  return hasFailed ? line : undefined;
}

export const standingTasks = (ledger: Ledger): readonly TaskLine[] =>
  ledger.tasks().filter(({ task }) => standingTask(ledger, task) !== undefined);

/** The code of a failure; undefined if it has none. */
export const codeOf = ({ fault }: TaskLine): string | undefined =>
  fault.code === '' ? undefined : fault.code;

/** A task's own line takes precedence. Without one, a failed job stands for its tasks, unless another job serves them well. */
export function standingFailures(
  ledger: Ledger,
  jobs = viewsOf(ledger),
): readonly StandingFailure[] {
  const failed = jobs.filter(isFailed);
  const open = new Set(
    failed.flatMap(({ tasks }) => tasks).filter((task) => !standingTask(ledger, task)),
  );
  if (open.size > 0)
    for (const job of jobs) if (isGood(job)) for (const task of job.tasks) open.delete(task);
  const ofJobs = failed.flatMap(({ tasks, error }): readonly StandingFailure[] => {
    const concerned = tasks.filter((task) => open.has(task));
    if (concerned.length === 0) return [];
    return [{ tasks: concerned, why: error?.message ?? 'unknown', code: error?.code }];
  });
  const ofTasks = standingTasks(ledger)
    .filter(({ ending }) => ending === 'failed')
    .map((line) => ({ tasks: [line.task], why: line.fault.message, code: codeOf(line) }));
  return [...ofJobs, ...ofTasks];
}

/** Not one that only waits for the next run. */
const isFailed = (job: JobView): boolean => job.state === 'failed' && !isWithheld(job);
