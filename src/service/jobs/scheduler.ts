// Where jobs wait, are worked on, and take their time. There are only so many slots, and a job holds one until its
// time has passed: when more come than can be worked on, a queue forms.
import type { ServiceClock } from '../base/clock.ts';
import { reportInternalError } from '../base/internal-error.ts';
import type { JobTiming } from './timing.ts';

export interface ScheduledJob extends JobTiming {
  readonly id: string;
  /** It never ends, and gives its slot back: nothing else is to wait for it. */
  readonly hangs?: boolean;
  /** Called when a slot is free: the job's state becomes `rendering`. */
  begin(): Promise<void>;
  /** The rendering. What it answers records the outcome; it is called when the job's time has passed. */
  work(): Promise<() => Promise<void>>;
  /** False once nobody waits for it: then its time need not pass. */
  isWanted(): boolean;
  /** Called instead when `begin` or `work` threw, which is a bug. */
  broke(reason: unknown): Promise<void>;
}

export interface Scheduler {
  submit(job: ScheduledJob): void;
  /** This job is not wanted any more: it waits no longer, and gives its slot back. */
  release(id: string): void;
  /** Begins nothing new and waits for what is being worked on. */
  close(): Promise<void>;
}

export function openScheduler(clock: ServiceClock, slots: number): Scheduler {
  let queue: ScheduledJob[] = [];
  let taken = 0;
  let busy = 0;
  let closed = false;
  const timers = new Set<() => void>();
  /** Jobs whose work is done and whose time is not over: what ends them at once. */
  const idling = new Map<string, () => void>();
  const underWay = new Set<Promise<void>>();

  /** Answers what ends the wait at once. */
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
    underWay.add(operation);
    void operation.finally(() => underWay.delete(operation));
  }

  function pump(): void {
    while (!closed && busy < slots && taken < queue.length) {
      const job = queue[taken++];
      if (job !== undefined) track(perform(job));
    }
    // Taking from the front of a long array costs its whole length; so it is cut off now and then.
    if (taken > 1024 && taken * 2 > queue.length) {
      queue = queue.slice(taken);
      taken = 0;
    }
  }

  async function perform(job: ScheduledJob): Promise<void> {
    busy += 1;
    try {
      const begun = clock.now();
      if (job.hangs === true) return await job.begin();
      const [settle] = await Promise.all([job.work(), job.begin()]);
      const left = job.isWanted() ? begun + job.workMs - clock.now() : 0;
      if (left <= 0) return await settle();
      busy += 1;
      const end = later(left, () => {
        idling.delete(job.id);
        track(finish(job, settle));
      });
      idling.set(job.id, end);
    } catch (reason) {
      await giveUp(job, reason);
    } finally {
      busy -= 1;
      pump();
    }
  }

  /** Even what is to be done about trouble may fail, for example on a full disk: the service goes on without the job. */
  async function giveUp(job: ScheduledJob, reason: unknown): Promise<void> {
    try {
      await job.broke(reason);
    } catch (trouble) {
      reportInternalError('a job that broke', trouble);
    }
  }

  /** Ends a job whose time has passed, and gives its slot back. */
  async function finish(job: ScheduledJob, settle: () => Promise<void>): Promise<void> {
    try {
      await settle();
    } catch (reason) {
      await giveUp(job, reason);
    } finally {
      busy -= 1;
      pump();
    }
  }

  return {
    submit: (job) => {
      const enqueue = (): void => {
        queue.push(job);
        pump();
      };
      if (job.waitMs > 0) later(job.waitMs, enqueue);
      else enqueue();
    },
    release: (id) => idling.get(id)?.(),
    close: async () => {
      closed = true;
      for (const cancel of timers) cancel();
      // What is worked on may still record its outcome, which is then tracked in its turn.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
