// How a job is performed: as events, each held until it is recorded, then an outcome; and the context of that: its ports, and how
// long to wait.

import type { Clock, Disk, JobApi, OutputStore } from '../../core/ports.ts';
import type { NewEvent } from '../../model/line.ts';
import type { LookSchedule } from '../../plan/look-schedule.ts';
import type { Remembered } from '../../plan/remembered.ts';
import type { JobOutcome } from './job.ts';
import type { LastLooks, LookBudget } from './looks.ts';
import type { Outages } from './outages.ts';
import type { ProjectIds } from './project-ids.ts';
import type { WebhookInbox } from './webhook-inbox.ts';

export interface JobContext {
  /** Free calls wait while the service is down. */
  readonly api: JobApi;
  readonly outages: Pick<
    Outages,
    | 'waitedMs'
    | 'holdCreations'
    | 'readyToCreate'
    | 'maySend'
    | 'hearOfCreation'
    | 'toldByEvent'
    | 'release'
  >;
  /** Of all creations that this process and the record know. */
  readonly projects: ProjectIds;
  readonly disk: Disk;
  /** Where saved files are kept besides; undefined if the pipeline names no store. */
  readonly store?: OutputStore | undefined;
  readonly clock: Clock;
  /** False if another process may be working on the same record now: then nothing is bought. Absent: it always is true. */
  readonly isAlone?: (() => boolean) | undefined;
  /** Waits for the next turn under the request rate. Free calls take their turns by themselves. */
  readonly pace: () => Promise<void>;
  /** Aborted when the run is to stop: waits end, but requests that cost credits are completed. */
  readonly stop: AbortSignal;
  /** The first pause before a request is sent again, in milliseconds. */
  readonly backoffMs: number;
  /** When projects are looked at. */
  readonly lookSchedule: LookSchedule;
  /** How many looks are made. */
  readonly looks: LookBudget;
  /** How a project that renders is waited for; absent: until the project is over. */
  readonly attention?: Attention | undefined;
  /** What other records of this machine say of a request. */
  readonly remembered?: Pick<Remembered, 'settled' | 'lastKnown' | 'isOurs' | 'flush'> | undefined;
  /** The service's events; undefined if the run does not receive events and only polls. */
  readonly inbox?: WebhookInbox | undefined;
}

export type Attention =
  /** Waits until the project is over, or `leave` is aborted. */
  | { readonly kind: 'wait'; readonly leave: AbortSignal; readonly looks: LastLooks }
  /** One look at most, if one is useful now. */
  | { readonly kind: 'look'; readonly leave: AbortSignal; readonly looks: LastLooks };

/** `durable`: the job may not continue before this event is synced to disk. */
export interface Recorded {
  readonly event: NewEvent;
  readonly durable: boolean;
}

/** The creation was certainly not accepted and is about to be sent again: asks whether the budget still covers it. */
export interface Asking {
  readonly ask: 'send';
}

export type Performance = AsyncGenerator<Recorded | Asking, JobOutcome, void>;
