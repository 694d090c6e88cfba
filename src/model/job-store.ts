// Where the ledger keeps its jobs.
import { isObject } from '../base/json.ts';
import type { JobLine } from './line.ts';
import { RowReader } from './rows.ts';
import { type JobEvent, stateAfter } from './state.ts';

/** The storage of jobs: a map, or bytes if there are too many for that. */
export interface JobStore {
  /** Has the templates of the state file that fills the store. */
  readonly rows: RowReader;
  get(job: string): JobLine | undefined;
  /** `text`: the line of the state file from which `jobIn` can read this job again, if there is one. */
  set(line: JobLine, text?: string): void;
  /** All jobs, by the name of their first task, then by fingerprint. */
  sorted(): Iterable<JobLine>;
}

export function memoryStore(): JobStore {
  const jobs = new Map<string, JobLine>();
  /** Until a job changes. */
  let order: readonly JobLine[] | undefined;
  return {
    rows: new RowReader(),
    get: (job) => jobs.get(job),
    set(line) {
      order = undefined;
      jobs.set(line.job, line);
    },
    sorted() {
      order ??= [...jobs.values()].sort((a, b) => (comesBefore(a, b) ? -1 : 1));
      return order;
    },
  };
}

/** The order of jobs in a state file. */
export function comesBefore(one: JobLine, other: JobLine): boolean {
  const [task = ''] = one.tasks;
  const [otherTask = ''] = other.tasks;
  return task === otherTask ? one.job < other.job : task < otherTask;
}

/** Reads a job that one valid line tells by itself: its own line, a row, or the only event about it. */
export function jobIn(text: string, rows: RowReader): JobLine {
  const row = rows.read(text);
  if (row?.ok === true && row.value.is === 'job' && isJob(row.value.value)) return row.value.value;
  const value: unknown = row === undefined ? JSON.parse(text) : undefined;
  if (isJob(value)) return value;
  const job = isJobEvent(value) ? stateAfter(undefined, value) : undefined;
  if (job?.ok === true) return job.value;
  throw new Error(`bug: no job: ${text}`);
}

const isJobEvent = (value: unknown): value is JobEvent => isObject(value) && 'event' in value;

const isJob = (value: unknown): value is JobLine =>
  isObject(value) && 'job' in value && !('event' in value);
