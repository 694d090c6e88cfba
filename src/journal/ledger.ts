// The ledger: what the journal folds to. Jobs by fingerprint, and the credits: reserved, charged, refunded.
import { err, ok, type Result } from '../base/result.ts';
import type { EventLine, JobLine, RunLine, StateLine, TaskLine } from './line.ts';
import { isJobEvent, stateAfter } from './state.ts';

/** Where jobs are kept: a map, or a database when there are too many for memory. */
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

/** What jobs are sorted by in a state file. */
export const orderOf = (line: JobLine): string => `${line.tasks[0] ?? ''}\u0000${line.job}`;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Credits. `committed` is what a budget is compared with. */
export interface Account {
  readonly charged: number;
  readonly refunded: number;
  /** Set aside for creations that were begun and whose charge is not known yet, doubts included. */
  readonly reserved: number;
}

export const committed = (account: Account): number =>
  account.charged - account.refunded + account.reserved;

const nothing: Account = { charged: 0, refunded: 0, reserved: 0 };

export class Ledger {
  readonly #jobs: JobStore;
  readonly #tasks = new Map<string, TaskLine>();
  readonly #runs: RunLine[] = [];
  readonly #dearest = new Map<string, number>();
  readonly #overrun = new Map<string, number>();
  #reserved = 0;
  #seq = 0;

  constructor(jobs: JobStore = memoryStore()) {
    this.#jobs = jobs;
  }

  job(fingerprint: string): JobLine | undefined {
    return this.#jobs.get(fingerprint);
  }

  jobs(): Iterable<JobLine> {
    return this.#jobs.sorted();
  }

  /** A task without a job of its own: failed before one began, or skipped. */
  task(task: string): TaskLine | undefined {
    return this.#tasks.get(task);
  }

  tasks(): readonly TaskLine[] {
    return [...this.#tasks.values()].sort((a, b) => compare(a.task, b.task));
  }

  runs(): readonly RunLine[] {
    return this.#runs;
  }

  /** The number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /** The run that is going on, or was interrupted. */
  get openRun(): RunLine | undefined {
    const last = this.#runs.at(-1);
    return last?.ended === undefined ? last : undefined;
  }

  /** The account of the run that is going on; reservations of earlier runs count in it, they are open still. */
  get account(): Account {
    const run = this.openRun;
    return {
      ...nothing,
      ...(run && { charged: run.charged, refunded: run.refunded }),
      reserved: this.#reserved,
    };
  }

  /** All runs together. */
  get total(): Account {
    let [charged, refunded] = [0, 0];
    for (const run of this.#runs) {
      charged += run.charged;
      refunded += run.refunded;
    }
    return { charged, refunded, reserved: this.#reserved };
  }

  /** The most that one creation of a step kind was charged, as far as this ledger has seen; undefined: none. */
  dearest(kind: string): number | undefined {
    return this.#dearest.get(kind);
  }

  /** By how much charges of a step kind were above their estimates, at worst; 1: never above. */
  overrun(kind: string): number {
    return this.#overrun.get(kind) ?? 1;
  }

  /** Folds one line in. The text says why it cannot be: the journal is corrupt, or shotlist has a bug. */
  apply(state: StateLine): Result<void, string> {
    switch (state.type) {
      case 'header':
        return ok(undefined);
      case 'run':
        this.#runs.push(state.line);
        return ok(undefined);
      case 'job':
        this.#put(state.line, this.#jobs.get(state.line.job));
        return ok(undefined);
      case 'task':
        this.#tasks.set(state.line.task, state.line);
        return ok(undefined);
      case 'event':
        return this.#applyEvent(state.line);
    }
  }

  #applyEvent(event: EventLine): Result<void, string> {
    if (event.seq !== this.#seq + 1)
      return err(`event ${event.seq} follows event ${this.#seq}: lines are missing or doubled`);
    this.#seq = event.seq;
    if (isJobEvent(event)) {
      const before = this.#jobs.get(event.job);
      const after = stateAfter(before, event);
      if (!after.ok) return after;
      if ('task' in event) this.#tasks.delete(event.task);
      this.#put(after.value, before);
      const paid = before?.state === 'created' ? (before.credits ?? 0) : 0;
      this.#count((after.value.credits ?? 0) - paid, event);
      return ok(undefined);
    }
    switch (event.event) {
      case 'run':
        if (this.openRun === undefined)
          this.#runs.push({ run: event.run, at: event.at, charged: 0, refunded: 0 });
        return ok(undefined);
      case 'ended':
        this.#amend((run) => ({ ...run, ended: event.at }));
        return ok(undefined);
      case 'failed':
      case 'skipped':
        this.#tasks.set(event.task, { task: event.task, state: event.event, why: event.why });
        return ok(undefined);
    }
  }

  #put(line: JobLine, before: JobLine | undefined): void {
    this.#reserved += reserveOf(line) - reserveOf(before);
    if (learnable.includes(line.state)) this.#learn(line);
    this.#jobs.set(line);
  }

  /** Prices change: what was really charged overrules what was estimated for all that is still to come. */
  #learn({ kind, credits = 0, reserve = 0 }: JobLine): void {
    this.#dearest.set(kind, Math.max(this.#dearest.get(kind) ?? 0, credits));
    if (reserve > 0) this.#overrun.set(kind, Math.max(this.overrun(kind), credits / reserve));
  }

  #count(difference: number, event: EventLine): void {
    if (event.event !== 'created' && event.event !== 'settled') return;
    this.#amend((run) => ({
      ...run,
      charged: run.charged + Math.max(0, difference),
      refunded: run.refunded + Math.max(0, -difference),
    }));
  }

  #amend(change: (run: RunLine) => RunLine): void {
    const last = this.#runs.pop();
    if (last !== undefined) this.#runs.push(change(last));
  }
}

/** States in which the service has said what it charged, and did not give it back. */
const learnable: readonly JobLine['state'][] = ['created', 'complete', 'deleted'];

function reserveOf(line: JobLine | undefined): number {
  return line?.state === 'intended' || line?.state === 'doubt' ? (line.reserve ?? 0) : 0;
}
