// Runs jobs in a limited number of slots; the other jobs wait in a queue. A job keeps its slot until its time has passed,
// even if its work is done earlier.
import type { ServiceClock } from '../base/clock.ts';
import { reportInternalError } from '../base/internal-error.ts';
import type { JobTiming } from './timing.ts';

export interface ScheduledJob extends JobTiming {
  readonly id: string;
  /** Absent for jobs that no plan limits. */
  readonly owner?: JobOwner;
  /** The job never ends. It frees its slot, so that no other job waits for it. */
  readonly hangs?: boolean;
  /** Called when the job gets a slot: its state becomes `rendering`. */
  begin(): Promise<void>;
  /** Renders. Returns a function that records the outcome, which is called when the job's time has passed. */
  work(): Promise<() => Promise<void>>;
  /** False if nobody waits for the job any more: then it ends before its time has passed. */
  isWanted(): boolean;
  /** Called if `begin`, `work` or the recording throws, which is a bug. */
  onFailure(reason: unknown): Promise<void>;
}

export interface Scheduler {
  submit(job: ScheduledJob): void;
  /** Ends the wait of a job that nobody needs any more, and frees its slot. */
  release(id: string): void;
  /** Begins no more jobs, and waits for the running ones. */
  close(): Promise<void>;
}

export function openScheduler(clock: ServiceClock, slots: number): Scheduler {
  const queue = new JobQueue<ScheduledJob>();
  let busy = 0;
  let closed = false;
  const timers = new Set<() => void>();
  /** By job whose work is done and whose time has not passed: a function that ends it now. */
  const waitingForTime = new Map<string, () => void>();
  const running = new Set<Promise<void>>();

  /** Returns a function that ends the wait now. */
  function later(ms: number, then: () => void): () => void {
    if (closed) return () => {};
    const wake = (): void => {
      timers.delete(cancel);
      then();
    };
    const cancel = clock.after(ms, wake);
    timers.add(cancel);
    return () => {
      cancel();
      wake();
    };
  }

  function track(operation: Promise<void>): void {
    running.add(operation);
    void operation.finally(() => running.delete(operation));
  }

  function pump(): void {
    while (!closed && busy < slots) {
      const job = queue.take();
      if (job === undefined) return;
      track(perform(job));
    }
  }

  /** Call when a job needs its slot no more. */
  function leave(job: ScheduledJob): void {
    busy -= 1;
    queue.end(job);
    pump();
  }

  async function perform(job: ScheduledJob): Promise<void> {
    busy += 1;
    let waits = false;
    try {
      const begun = clock.now();
      if (job.hangs === true) return await job.begin();
      const [settle] = await Promise.all([job.work(), job.begin()]);
      const left = job.isWanted() ? begun + job.workMs - clock.now() : 0;
      if (left <= 0) return await settle();
      waits = true;
      const end = later(left, () => {
        waitingForTime.delete(job.id);
        track(finish(job, settle));
      });
      waitingForTime.set(job.id, end);
    } catch (reason) {
      await giveUp(job, reason);
    } finally {
      if (!waits) leave(job);
    }
  }

  /** Recording the failure may fail too, for example on a full disk. The service then continues without the job. */
  async function giveUp(job: ScheduledJob, reason: unknown): Promise<void> {
    try {
      await job.onFailure(reason);
    } catch (problem) {
      reportInternalError('recording a failed job', problem);
    }
  }

  /** Records the outcome of a job whose time has passed, and frees its slot. */
  async function finish(job: ScheduledJob, settle: () => Promise<void>): Promise<void> {
    try {
      await settle();
    } catch (reason) {
      await giveUp(job, reason);
    } finally {
      leave(job);
    }
  }

  return {
    submit: (job) => {
      const enqueue = (): void => {
        queue.add(job);
        pump();
      };
      if (job.waitMs > 0) later(job.waitMs, enqueue);
      else enqueue();
    },
    release: (id) => waitingForTime.get(id)?.(),
    close: async () => {
      closed = true;
      for (const cancel of timers) cancel();
      // A running job may still record its outcome, which adds a promise to the set.
      while (running.size > 0) await Promise.all(running);
    },
  };
}

// The queue of jobs: first come, first served, except that no account gets more places at once than its plan has.

/** Who a job belongs to. */
interface JobOwner {
  readonly account: string;
  /** The number of the account's jobs that may run at once; undefined: no limit. */
  readonly most: number | undefined;
}

interface Queued<Job> {
  readonly job: Job;
  /** Counts the jobs of all accounts. */
  readonly number: number;
}

interface Line<Job> {
  readonly waiting: Queued<Job>[];
  running: number;
}

export class JobQueue<Job extends { readonly owner?: JobOwner }> {
  readonly #lines = new Map<string, Line<Job>>();
  #count = 0;

  add(job: Job): void {
    this.#count += 1;
    this.#lineOf(job).waiting.push({ job, number: this.#count });
  }

  /** Takes the first job whose account has room; undefined if there is none. Call `end` when it is over. */
  take(): Job | undefined {
    const numberOf = ({ waiting: [head] }: Line<Job>): number => head?.number ?? 0;
    const [line] = [...this.#lines.values()]
      .filter(({ waiting: [head], running }) => {
        const most = head?.job.owner?.most ?? Number.POSITIVE_INFINITY;
        return head !== undefined && running < most;
      })
      .sort((a, b) => numberOf(a) - numberOf(b));
    if (line === undefined) return undefined;
    line.running += 1;
    return line.waiting.shift()?.job;
  }

  end(job: Job): void {
    this.#lineOf(job).running -= 1;
  }

  #lineOf({ owner }: Job): Line<Job> {
    const account = owner?.account ?? '';
    const known = this.#lines.get(account);
    if (known !== undefined) return known;
    const made: Line<Job> = { waiting: [], running: 0 };
    this.#lines.set(account, made);
    return made;
  }
}
