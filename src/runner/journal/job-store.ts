// Where the ledger keeps its jobs.
import type { JobLine } from './line.ts';

/** The storage of jobs: a map, or a database if there are too many for memory. */
export interface JobStore {
  get(job: string): JobLine | undefined;
  set(line: JobLine): void;
  /** All jobs, by the name of their first task, then by fingerprint. */
  sorted(): Iterable<JobLine>;
}

export function memoryStore(): JobStore {
  const jobs = new Map<string, JobLine>();
  /** Until a job changes. */
  let order: readonly JobLine[] | undefined;
  return {
    get: (job) => jobs.get(job),
    set(line) {
      order = undefined;
      jobs.set(line.job, line);
    },
    sorted() {
      order ??= [...jobs.values()]
        .map((line) => ({ place: orderOf(line), line }))
        .sort((a, b) => (a.place < b.place ? -1 : 1))
        .map(({ line }) => line);
      return order;
    },
  };
}

/** The sort key of jobs in a state file. */
export const orderOf = (line: JobLine): string => `${line.tasks[0] ?? ''}\u0000${line.job}`;
