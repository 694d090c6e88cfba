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
  return {
    get: (job) => jobs.get(job),
    set: (line) => void jobs.set(line.job, line),
    sorted: () => [...jobs.values()].sort((a, b) => compare(orderOf(a), orderOf(b))),
  };
}

/** The sort key of jobs in a state file. */
export const orderOf = (line: JobLine): string => `${line.tasks[0] ?? ''}\u0000${line.job}`;

/** Of two different texts. */
const compare = (a: string, b: string): number => (a < b ? -1 : 1);
