// What a monitor learns about distributed runs: from their coordinators, and from workers.
import type { RequestWatch } from './request-watch.ts';

/** The run as its coordinator sees it. */
export interface QueueState {
  /** The number of the coordinator's term. */
  readonly term: number;
  /** Orders that are due. */
  readonly queued: number;
  /** Orders that wait for their time: parked projects. */
  readonly parked: number;
  /** Orders at workers. */
  readonly active: number;
  /** Records that the coordinator has not heard yet. */
  readonly behind: number;
  readonly workers: readonly WorkerState[];
}

export interface WorkerState {
  /** Unique to the process. */
  readonly worker: string;
  readonly places: number;
  readonly busy: number;
  /** Milliseconds since its last beat. */
  readonly silentMs: number;
}

/** A worker that was silent for longer is gone, in milliseconds: it beats every few seconds. */
export const longestSilenceMs = 20_000;

/** Hears about the workers of this process. */
export interface WorkerObserver {
  /** Call when a worker begins to work on a run. */
  beginWorker(worker: WatchedWorker): WorkerWatch;
}

export interface WatchedWorker {
  /** The name of the pipeline. */
  readonly pipeline: string;
  /** How many orders the worker performs at once. */
  readonly places: number;
}

/** Hears about the part of one worker in one run. */
export interface WorkerWatch extends RequestWatch {
  /** The database has heard of the worker, which performs `busy` orders. */
  beat(busy: number): void;
  /** An order ended; `outcome` has few different values. */
  ended(outcome: string): void;
  /** The database is away, or back. */
  away(isAway: boolean): void;
  /** The worker works on the run no longer. */
  over(): void;
}
