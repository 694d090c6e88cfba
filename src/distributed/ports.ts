// The ports of a distributed run: what its coordinator and its workers need from the database that they share.
// The rules behind them: engine.md, "Why nothing is paid twice".
import type { JsonObject } from '../base/json.ts';
import type { Header, JobLine, NewEvent, RunLine, TaskLine } from '../model/line.ts';
import type { JobOrder, JobOutcome } from '../run/jobs/job.ts';
import type { Intent } from '../run/jobs/ports.ts';
import type { QueueFacts } from './queue-facts.ts';

/** One delivery of an order to a worker. The next delivery of the same order is another lease. */
export interface Lease {
  /** The id of the order in the queue. */
  readonly id: string;
  /** How often the order was delivered before. */
  readonly retry: number;
}

/** An order with what its coordinator knew when it wrote it. */
export interface IssuedOrder {
  readonly order: JobOrder;
  /** The term of the coordinator: a later coordinator has a higher one, and orders of earlier terms buy nothing. */
  readonly epoch: number;
  /** The number of the last record that the price in the order takes into account. */
  readonly seen: number;
  /** The age of the project of the order when it was last looked at, in milliseconds, if the order was parked. */
  readonly seenMs?: number;
}

/** A worker asks whether it may send a creation. */
export interface Ask {
  readonly lease: Lease;
  readonly epoch: number;
  readonly seen: number;
  readonly key: string;
  readonly intent: Intent;
  /** The creation was certainly not accepted, and would be sent again under the same name. */
  readonly again: boolean;
}

/**
 * - `go`: the intent is durable, and only the asker may send the creation. Returned once for each name, or again to the
 *   same lease, which asks again because it lost the answer.
 * - `exists`: the attempt was begun under another lease (`same`), or the job is not in a state in which it may begin.
 * - `stale`: another coordinator has taken over, or the lease has lapsed. The worker drops the order.
 * - `repriced`: a charge was higher than its estimate after the order was priced.
 * - `wait`: the service asked everyone to slow down.
 */
export type ClaimAnswer =
  | { readonly is: 'go' }
  | ({ readonly is: 'exists' } & BegunJob)
  | { readonly is: 'stale' }
  | { readonly is: 'repriced' }
  | { readonly is: 'closed'; readonly why: string }
  | { readonly is: 'budget' }
  | { readonly is: 'wait'; readonly ms: number };

/** A job as the database knows it. */
export interface BegunJob {
  /** The attempt has the name that was asked about. */
  readonly same: boolean;
  readonly state: JobLine['state'];
  readonly project?: string;
  readonly credits: number;
  /** ISO 8601: when the job entered its state. */
  readonly at: string;
}

/** Something that happened, for the ledger and for the coordinator. */
export type Fact =
  /** `name`: the attempt that the event is about; an event about another attempt than the current one is refused. */
  | ({ readonly is: 'event'; readonly name?: string; readonly event: NewEvent } & FactHead)
  | ({ readonly is: 'begun' } & FactHead)
  /** A run event of a worker: an outage of the service, as this worker sees it. */
  | ({ readonly is: 'told'; readonly told: JsonObject } & FactHead);

interface FactHead {
  /** Unique in the run: a fact that is written twice counts once. */
  readonly id: string;
  /** The key of the order. */
  readonly key: string;
}

/**
 * - `done`: recorded now.
 * - `known`: it was recorded before, or the ledger already says so.
 * - `refused`: the state of the job does not allow it. It is kept as a record for the coordinator all the same.
 */
export type FactAnswer = 'done' | 'known' | 'refused';

/** The end of an order: its outcome, or the order that follows it later. */
export type OrderEnd =
  | {
      readonly is: 'ended';
      readonly lease: Lease;
      readonly key: string;
      readonly outcome: JobOutcome;
    }
  | {
      readonly is: 'parked';
      readonly lease: Lease;
      readonly next: IssuedOrder;
      readonly afterMs: number;
    };

/** What a worker writes in one transaction: facts first, then ends, then claims. */
export interface Batch {
  readonly facts: readonly Fact[];
  readonly ends: readonly OrderEnd[];
  readonly asks: readonly Ask[];
}

export interface BatchAnswer {
  /** In the order of the batch. */
  readonly facts: readonly FactAnswer[];
  /** False: the lease had lapsed, so the order was delivered again, and this end does not count. */
  readonly ends: readonly boolean[];
  readonly claims: readonly ClaimAnswer[];
}

/** What a worker must know of a run. */
export interface RunTerms {
  /** The id of the run: names its queue and its canary. */
  readonly run: string;
  readonly pipeline: string;
  /** The pipeline file, relative to the root that all hosts see. */
  readonly file: string;
  /** The address of the service. */
  readonly service: string;
  /** Plain data from the coordinator's options: `EngineTerms` of operations/engine. */
  readonly options: JsonObject;
}

/** An order as it comes from the queue: not checked yet. */
export interface Delivery {
  readonly lease: Lease;
  readonly issued: unknown;
}

export interface Beat {
  /** Leases that have lapsed. */
  readonly lost: readonly Lease[];
  /** The run is stopping: end what is in flight soon. */
  readonly stopping: boolean;
  /** The run is over, or no longer in this database. */
  readonly over: boolean;
}

/** A worker's side of one run. Every call rejects while the database is away, and may be repeated. */
export interface WorkerStore {
  /** At most so many orders that are due; fewer or none if there are not more. */
  fetch(most: number): Promise<readonly Delivery[]>;
  commit(batch: Batch): Promise<BatchAnswer>;
  /** Renews leases, and says how the run is. `busy`: how many orders are being performed. */
  beat(leases: readonly Lease[], busy: number): Promise<Beat>;
  /** Takes turns under the request rate of the run. Returns the milliseconds to wait before each of the requests. */
  turns(count: number, perMinute: number): Promise<readonly number[]>;
  /** The service asked to slow down: nobody claims for so long. */
  slowDown(ms: number): Promise<void>;
}

/** A record of the run, in the order of their numbers. */
export type EngineRecord =
  | (RecordHead & {
      readonly is: 'event';
      readonly key: string;
      readonly event: NewEvent;
      readonly at: string;
    })
  | (RecordHead & {
      /** An event that the state of its job does not allow. */
      readonly is: 'refused';
      readonly key: string;
      readonly event: NewEvent;
      readonly at: string;
    })
  | (RecordHead & { readonly is: 'begun'; readonly key: string })
  | (RecordHead & { readonly is: 'told'; readonly key: string; readonly told: JsonObject })
  | (RecordHead & { readonly is: 'ended'; readonly key: string; readonly outcome: unknown });

interface RecordHead {
  readonly seq: number;
  /** Who wrote it: a worker, or a coordinator with its term. */
  readonly by: string;
}

/** The state of a run as it was folded last. */
export interface Snapshot {
  readonly header: Header;
  readonly runs: readonly RunLine[];
  readonly tasks: readonly TaskLine[];
  /** The records after this number are not in the lines. */
  readonly seq: number;
}

/** The term of a coordinator. */
export interface Term {
  readonly epoch: number;
}

/** The coordinator's side of one run. Every call rejects while the database is away. */
export interface CoordinatorStore {
  /** Begins a new term if no other coordinator has one; undefined if another has. `leaseMs`: how long without `renew`. */
  acquire(coordinator: string, leaseMs: number): Promise<Term | undefined>;
  /** False: another coordinator has taken over, and this one must stop. */
  renew(term: Term, leaseMs: number): Promise<boolean>;
  /** Gives the term back. */
  release(term: Term): Promise<void>;
  /** Removes the orders that nobody performs. */
  dropQueued(): Promise<void>;
  /** Takes all orders that nobody performs, so that the caller can end them; returns the keys. */
  takeQueued(): Promise<readonly string[]>;
  /** The number of orders that workers perform now. */
  active(): Promise<number>;
  /** Lets the leases of silent workers lapse. Returns the keys of orders that were delivered too often and are given up. */
  supervise(): Promise<readonly string[]>;
  issue(orders: readonly IssuedOrder[]): Promise<void>;
  /** Rejects with `TermOver` if another coordinator has taken over. */
  record(term: Term, facts: readonly Fact[]): Promise<readonly FactAnswer[]>;
  /** Turns every attempt that was begun in this database, and has no answer, into a doubt. */
  doubtIntended(term: Term, why: string): Promise<void>;
  records(after: number, most: number): Promise<readonly EngineRecord[]>;
  /** Credits that may be charged and reserved in all; undefined: no limit. */
  cap(credits: number | undefined): Promise<void>;
  /** Nothing more is bought; undefined: buying goes on. Has no effect after the term. */
  close(term: Term, why: string | undefined): Promise<void>;
  /** Asks the workers to end what they perform. Has no effect after the term. */
  stop(term: Term): Promise<void>;
  snapshot(): Promise<Snapshot>;
  /** The job lines of the snapshot, in groups. */
  jobs(): AsyncIterable<readonly JobLine[]>;
  /** Replaces the lines of the jobs that have changed, and removes the records up to the number. */
  fold(term: Term, snapshot: Snapshot, changed: readonly JobLine[]): Promise<void>;
  /**
   * From now on, nobody records anything: the lines of the snapshot become the state file. False, and nothing has changed:
   * there are records after the number. Renews the term; rejects with `TermOver` if it is over.
   */
  seal(term: Term, seq: number, leaseMs: number): Promise<boolean>;
  /** The state file is the record. Rejects with `TermOver` if another coordinator has taken over. */
  handOver(term: Term): Promise<void>;
  facts(): Promise<QueueFacts>;
}
