// Runs jobs in a limited number of slots; the other jobs wait in a queue. A job keeps its slot until its time has passed,
// even if its work is done earlier.
import type { ServiceClock } from '../clock.ts';
import { reportInternalError } from '../errors.ts';
import type { JobTiming } from './timing.ts';

export interface ScheduledJob extends JobTiming {
  readonly id: string;
  /** Absent for jobs that no plan limits. */
  readonly owner?: JobOwner;
  /** The job never ends. It frees its slot, so that no other job waits for it. */
  readonly hangs?: boolean;
  /** Called when the job gets a slot: its state becomes `rendering`. */
  begin(): Promise<unknown>;
  /** Renders. Returns a function that records the outcome, which is called when the job's time has passed. */
  work(): Promise<() => Promise<unknown>>;
  /** False if nobody waits for the job any more: then it ends before its time has passed. */
  isWanted(): boolean;
  /** Records that `begin`, `work` or the recording has thrown, on a full disk or by a bug. Called until it succeeds. */
  onFailure(): Promise<unknown>;
}

const retryMs = 1_000;

export function openScheduler(clock: ServiceClock, slots: number) {
  const queue = new JobQueue<ScheduledJob>();
  let busy = 0;
  let closed = false;
  /** Cancels the waits of jobs that are not in the queue yet. */
  const arrivals = new Set<() => void>();
  /** By job whose work is done and whose time has not passed: a function that ends its wait. */
  const pauses = new Map<string, (isOver: boolean) => void>();
  const running = new Set<Promise<void>>();

  function enqueue(job: ScheduledJob): void {
    queue.add(job);
    pump();
  }

  function pump(): void {
    while (!closed && busy < slots) {
      const job = queue.take();
      if (job === undefined) return;
      busy += 1;
      const operation = perform(job).finally(() => running.delete(operation));
      running.add(operation);
    }
  }

  async function perform(job: ScheduledJob): Promise<void> {
    try {
      const begun = clock.now();
      if (job.hangs === true) return void (await job.begin());
      const [settle] = await Promise.all([job.work(), job.begin()]);
      const left = job.isWanted() ? begun + job.workMs - clock.now() : 0;
      if (left <= 0 || (await pause(job.id, left))) await settle();
    } catch (reason) {
      await giveUp(job, reason);
    } finally {
      busy -= 1;
      queue.end(job);
      pump();
    }
  }

  /** Returns false if the scheduler was closed before the time had passed. */
  function pause(id: string, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      if (closed) return resolve(false);
      const end = (isOver: boolean): void => {
        cancel();
        pauses.delete(id);
        resolve(isOver);
      };
      const cancel = clock.after(ms, () => end(true));
      pauses.set(id, end);
    });
  }

  /** Recording the failure fails too on a full disk. It is tried again, because somebody waits for the job. */
  async function giveUp(job: ScheduledJob, reason: unknown): Promise<void> {
    reportInternalError(`job ${job.id}`, reason);
    for (let isFirst = true; ; isFirst = false) {
      try {
        await job.onFailure();
        return;
      } catch (problem) {
        if (isFirst) reportInternalError('recording a failed job', problem);
      }
      if (!(await pause(job.id, retryMs))) return;
    }
  }

  return {
    submit(job: ScheduledJob): void {
      if (job.waitMs <= 0) return enqueue(job);
      if (closed) return;
      const cancel = clock.after(job.waitMs, () => {
        arrivals.delete(cancel);
        enqueue(job);
      });
      arrivals.add(cancel);
    },
    /** Ends the wait of a job that nobody needs any more, and frees its slot. */
    release: (id: string): void => pauses.get(id)?.(true),
    /** Begins no more jobs, and waits for the running ones. */
    async close(): Promise<void> {
      closed = true;
      for (const cancel of arrivals) cancel();
      for (const end of pauses.values()) end(false);
      await Promise.all(running);
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
