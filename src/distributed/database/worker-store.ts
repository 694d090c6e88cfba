// A worker's side of a run in the database. What a batch writes is one transaction: the leases at the queue first, then
// the row of the run, then jobs and records, so that batches of several workers cannot wait for each other in a circle.
import {
  type Batch,
  type BatchAnswer,
  commitBatch,
  type Ended,
  type Lease,
  type OrderEnd,
  ownerOf,
  type Parked,
} from './batch.ts';
import { orderId, type Queue, type Queued } from './queue.ts';
import { isTrue, numberOf, type Sql, type Statements, textOf } from './sql.ts';
import { schema } from './tables.ts';

/** Which worker it is, for leases, records and people. */
export interface WorkerIdentity {
  /** Unique to the process. */
  readonly worker: string;
  readonly host: string;
  /** How many orders it performs at once. */
  readonly places: number;
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
  /** Orders that are due; fewer or none if there are not more. */
  fetch(atMost: number): Promise<readonly Delivery[]>;
  commit(batch: Batch): Promise<BatchAnswer>;
  /** Renews leases, and says how the run is. `busy`: how many orders are being performed. */
  beat(leases: readonly Lease[], busy: number): Promise<Beat>;
  /** Takes turns under the request rate of the run. Returns the milliseconds to wait before each of the requests. */
  turns(count: number, perMinute: number): Promise<readonly number[]>;
  /** The service asked to slow down: nobody claims for so long. */
  slowDown(ms: number): Promise<void>;
}

/** The run was exported and another one took its place, while this process was frozen or cut off. */
export class RunGone extends Error {
  readonly code = 'RUN_GONE';

  constructor(run: string) {
    super(`the run ${run} is no longer in the database`);
  }
}

export class DatabaseWorkerStore implements WorkerStore {
  readonly #sql: Sql;
  readonly #queue: Queue;
  readonly #run: string;
  readonly #identity: WorkerIdentity;

  constructor(sql: Sql, queue: Queue, run: string, identity: WorkerIdentity) {
    this.#sql = sql;
    this.#queue = queue;
    this.#run = run;
    this.#identity = identity;
  }

  async fetch(atMost: number): Promise<readonly Delivery[]> {
    const taken = await this.#queue.fetch(atMost);
    return taken.map(({ lease, text }) => {
      const issued: unknown = JSON.parse(text);
      return { lease, issued };
    });
  }

  async commit({ facts, ends, asks }: Batch): Promise<BatchAnswer> {
    if (facts.length + ends.length + asks.length === 0) return { facts: [], ends: [], claims: [] };
    await this.#queue.ready();
    return this.#sql.transaction(async (within) => {
      // All leases at once and in one order, so that no two transactions wait for each other.
      const live = await this.#queue.hold(leasesOf([...asks, ...ends]), within, 3_000);
      // A worker that was silent may have fetched its order again: only one of its leases on the order holds.
      const isLive = ({ lease }: { readonly lease: Lease }) => live.has(ownerOf(lease));
      const finished = await this.#queue.finish(leasesOf(ends.filter(isLive)), within);
      const held = (end: OrderEnd) => isLive(end) && finished.has(end.lease.id);
      const parked = await this.#park(ends.filter(isParked), held, within);
      const written = await commitBatch(within.last, this.#run, this.#identity.worker, undefined, {
        facts,
        ends: ends.filter((end) => !isParked(end)).map((end) => ({ ...end, live: held(end) })),
        asks: asks.map((ask) => ({ ask, live: isLive(ask) })),
      });
      if (written === 'gone' || written === 'over') throw new RunGone(this.#run);
      const ended = [...written.ends];
      return {
        facts: written.facts,
        claims: written.claims,
        ends: ends.map((end) =>
          isParked(end) ? parked.has(ownerOf(end.lease)) : ended.shift() === true,
        ),
      };
    });
  }

  /** The owners whose orders are parked now, or were parked by the same batch before, whose answer was lost. */
  async #park(
    ends: readonly Parked[],
    held: (end: OrderEnd) => boolean,
    within: Statements,
  ): Promise<ReadonlySet<string>> {
    const live = ends.filter(held);
    const lapsed = ends.filter((end) => !held(end));
    await this.#queue.insert(live.map(nextOf), within);
    const before = await this.#queue.has(leasesOf(lapsed).map(idAfter), within);
    const parked = [...live, ...lapsed.filter(({ lease }) => before.has(idAfter(lease)))];
    return new Set(parked.map(({ lease }) => ownerOf(lease)));
  }

  async beat(leases: readonly Lease[], busy: number): Promise<Beat> {
    const held = await this.#sql.transaction((within) => this.#queue.hold(leases, within, 1_000));
    const { worker, host, places } = this.#identity;
    const [row] = await this.#sql.query(
      `with beat as (
         insert into ${schema}.worker as known values ($1, $2, $3, $4, $5, clock_timestamp())
         on conflict (run, worker) do update set busy = $5, places = $4, at = clock_timestamp()
       )
       select stopping, stage from ${schema}.run where run = $1`,
      [this.#run, worker, host, places, busy],
    );
    return {
      lost: leases.filter((lease) => !held.has(ownerOf(lease))),
      stopping: isTrue(row, 'stopping'),
      over: row === undefined || textOf(row, 'stage') === 'exported',
    };
  }

  async turns(count: number, perMinute: number): Promise<readonly number[]> {
    if (count === 0) return [];
    const gap = 60_000 / perMinute;
    const [row] = await this.#sql.query(
      `insert into ${schema}.rate as rate values ($1, clock_timestamp() + $2 * interval '1 ms')
       on conflict (run) do update set next_at = greatest(rate.next_at, clock_timestamp()) + $2 * interval '1 ms'
       returning (extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as until`,
      [this.#run, count * gap],
    );
    const first = numberOf(row, 'until') - count * gap;
    return Array.from({ length: count }, (_, index) => Math.max(0, first + index * gap));
  }

  async slowDown(ms: number): Promise<void> {
    await this.#sql.query(
      `update ${schema}.run
       set throttled_until = greatest(throttled_until, clock_timestamp() + $2 * interval '1 ms') where run = $1`,
      [this.#run, ms],
    );
  }
}

const leasesOf = (all: readonly { readonly lease: Lease }[]): readonly Lease[] =>
  all.map(({ lease }) => lease);

const isParked = (end: Parked | Ended): end is Parked => end.is === 'parked';

const nextOf = ({ lease, next, afterMs }: Parked): Queued => ({
  id: idAfter(lease),
  key: next.order.key,
  issued: next,
  afterMs,
});

/** The id of the order that follows a delivery: the same each time, so that it is parked once. */
const idAfter = (lease: Lease): string => orderId(ownerOf(lease));
