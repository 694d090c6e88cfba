// The queue of a run: pg-boss, behind what a coordinator and a worker need of it. An order is stored as text inside of its
// job, because a jsonb column changes the order of fields, and takes no NUL and no half of a surrogate pair.
//
// Own SQL reads pg-boss's table where no call of it does: which leases have lapsed (its `supervise` counts the whole
// queue each time, and looks once a minute), which leases hold, and how many orders are due, parked and active. It never
// writes there.
import { createHash } from 'node:crypto';
import type { Db, PgBoss } from 'pg-boss';
import { isObject } from '../../base/json.ts';
import { type IssuedOrder, type Lease, ownerOf } from './batch.ts';
import { isTrue, numberOf, type Sql, type Statements, textOf } from './sql.ts';

export const queueSchema = 'shotlist_queue';

/** An order that killed so many workers is given up. */
const maxDeliveries = 20;
const noId = '00000000-0000-0000-0000-000000000000';
/** pg-boss takes less than a day. */
const expirySeconds = 23 * 3600;
const retentionSeconds = 365 * 24 * 3600;
const noIds: ReadonlySet<string> = new Set();

export interface Taken {
  readonly lease: Lease;
  readonly key: string;
  readonly text: string;
}

export interface Queued {
  readonly key: string;
  readonly issued: IssuedOrder;
  readonly afterMs?: number;
  /** A UUID; a second order with the same id is not queued. */
  readonly id: string;
}

export interface QueueCounts {
  readonly due: number;
  readonly parked: number;
  readonly active: number;
}

const attemptOf = ({ id, retry }: Lease): { readonly id: string; readonly retryCount: number } => ({
  id,
  retryCount: retry,
});

/** @internal */
export const bossDb = (sql: Statements): Db => ({
  executeSql: async (text, values) => ({ rows: [...(await sql.query(text, values))] }),
});

export class Queue {
  readonly #boss: PgBoss;
  readonly #sql: Sql;
  readonly #name: string;
  /** The given-up orders that the last call of `supervise` returned. */
  #reported: readonly string[] = [];
  /** The keys of taken orders that no call of `takeQueued` has returned yet. */
  readonly #keys: string[] = [];
  #isReady = false;

  /** @internal */
  constructor(boss: PgBoss, sql: Sql, run: string) {
    this.#boss = boss;
    this.#sql = sql;
    this.#name = `run-${run}`;
  }

  get #lost(): string {
    return `${this.#name}-lost`;
  }

  /**
   * pg-boss reads what it knows of a queue once, outside of the transaction that it is called in: do that before a
   * transaction begins, which would wait for a second connection.
   */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    await this.#boss.findJobs(this.#name, { id: noId });
    this.#isReady = true;
  }

  async create(): Promise<void> {
    await this.#boss.createQueue(this.#lost, { retentionSeconds });
    await this.#boss.createQueue(this.#name, {
      retryLimit: maxDeliveries,
      retryDelay: 1,
      heartbeatSeconds: 10,
      expireInSeconds: expirySeconds,
      retentionSeconds,
      deadLetter: this.#lost,
    });
  }

  /** Orders are written again when they are fetched, renewed and ended; room in their page saves writing to indexes. */
  static async tune(sql: Statements): Promise<void> {
    await sql.query(
      `alter table ${queueSchema}.job_common set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05,
         autovacuum_vacuum_threshold = 1000)`,
    );
  }

  async remove(): Promise<void> {
    await this.#boss.deleteQueue(this.#name);
    await this.#boss.deleteQueue(this.#lost);
  }

  async insert(orders: readonly Queued[], within: Statements): Promise<void> {
    if (orders.length === 0) return;
    await this.#boss.insert(
      this.#name,
      orders.map(({ key, issued, afterMs, id }) => ({
        data: { key, text: JSON.stringify(issued) },
        id,
        ...(afterMs === undefined ? {} : { startAfter: afterMs / 1000 }),
      })),
      { db: bossDb(within), returnId: false },
    );
  }

  async fetch(atMost: number): Promise<readonly Taken[]> {
    return this.#taken(await this.#boss.fetch<unknown>(this.#name, { batchSize: atMost }));
  }

  /**
   * The leases that hold (`ownerOf`), which nobody can let lapse before the transaction ends. Only those are renewed that
   * need it: a renewal writes the order and its indexes again. `freshMs`: for so long after a renewal they do not.
   */
  async hold(
    leases: readonly Lease[],
    within: Statements,
    freshMs: number,
  ): Promise<ReadonlySet<string>> {
    if (leases.length === 0) return noIds;
    const held = await within.query(
      `select job.id::text, job.retry_count, job.heartbeat_on < clock_timestamp() - $4 * interval '1 ms' as old
       from (select * from unnest($2::uuid[], $3::integer[]) as lease(id, retry) order by id) lease
       cross join lateral (
         select id, retry_count, heartbeat_on from ${queueSchema}.job
         where name = $1 and id = lease.id and state = 'active' and retry_count = lease.retry offset 0 for update
       ) job`,
      [this.#name, leases.map(({ id }) => id), leases.map(({ retry }) => retry), freshMs],
    );
    const old = held.filter((row) => isTrue(row, 'old'));
    if (old.length > 0)
      await this.#boss.touch(
        this.#name,
        old.map((row) => ({ id: textOf(row, 'id'), retryCount: numberOf(row, 'retry_count') })),
        { db: bossDb(within) },
      );
    return new Set(
      held.map((row) => ownerOf({ id: textOf(row, 'id'), retry: numberOf(row, 'retry_count') })),
    );
  }

  /** Removes orders that are done. The ids of the leases that held. */
  async finish(leases: readonly Lease[], within: Statements): Promise<ReadonlySet<string>> {
    if (leases.length === 0) return noIds;
    const answer = await this.#boss.deleteJob(this.#name, leases.map(attemptOf), {
      db: bossDb(within),
    });
    return settledIn(answer);
  }

  async has(ids: readonly string[], within: Statements): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return noIds;
    const rows = await within.query(
      `select id::text from ${queueSchema}.job where name = $1 and id = any ($2::uuid[])`,
      [this.#name, ids],
    );
    return new Set(rows.map((row) => textOf(row, 'id')));
  }

  async dropQueued(): Promise<void> {
    await this.#boss.deleteQueuedJobs(this.#name);
  }

  /**
   * Takes leases on the orders first and removes them afterwards, so that a lost answer loses no key: the lease lapses,
   * or the next call returns the key.
   */
  async takeQueued(): Promise<readonly string[]> {
    for (;;) {
      const taken = this.#taken(
        await this.#boss.fetch<unknown>(this.#name, { batchSize: 1000, ignoreStartAfter: true }),
      );
      if (taken.length === 0) return this.#keys.splice(0);
      for (const { key } of taken) this.#keys.push(key);
      await this.finish(
        taken.map(({ lease }) => lease),
        this.#sql,
      );
    }
  }

  /** Lets leases lapse; returns the keys of given-up orders, each until the next call succeeds. */
  async supervise(): Promise<readonly string[]> {
    await this.ready();
    await this.#sql.transaction(async (within) => {
      const lapsed = await within.query(
        `select id::text, retry_count from ${queueSchema}.job
         where name = $1 and state = 'active' and heartbeat_on + heartbeat_seconds * interval '1 s' < clock_timestamp()
         order by id for update skip locked`,
        [this.#name],
      );
      if (lapsed.length === 0) return;
      await this.#boss.fail(
        this.#name,
        lapsed.map((row) => ({ id: textOf(row, 'id'), retryCount: numberOf(row, 'retry_count') })),
        { message: 'the worker is silent' },
        { db: bossDb(within) },
      );
    });
    if (this.#reported.length > 0) await this.#boss.deleteJob(this.#lost, [...this.#reported]);
    const lost = await this.#boss.findJobs<unknown>(this.#lost);
    this.#reported = lost.map(({ id }) => id);
    return lost.map(({ data }) => partsOf(data).key);
  }

  async counts(): Promise<QueueCounts> {
    const [row] = await this.#sql.query(
      `select count(*) filter (where state < 'active' and start_after <= now()) as due,
         count(*) filter (where state < 'active' and start_after > now()) as parked,
         count(*) filter (where state = 'active') as active
       from ${queueSchema}.job where name = $1`,
      [this.#name],
    );
    return {
      due: numberOf(row, 'due'),
      parked: numberOf(row, 'parked'),
      active: numberOf(row, 'active'),
    };
  }

  #taken(
    jobs: readonly { readonly id: string; readonly retryCount: number; readonly data: unknown }[],
  ): readonly Taken[] {
    return jobs.map(({ id, retryCount, data }) => ({
      lease: { id, retry: retryCount },
      ...partsOf(data),
    }));
  }
}

function partsOf(data: unknown): { readonly key: string; readonly text: string } {
  const { key, text } = isObject(data) ? data : {};
  if (typeof key === 'string' && typeof text === 'string') return { key, text };
  throw new Error('the queue has an order that this version of shotlist did not write');
}

/** The types of pg-boss leave out what its answer has: the ids that it touched. */
function settledIn(answer: object): ReadonlySet<string> {
  if (!('settled' in answer) || !Array.isArray(answer.settled))
    throw new Error('pg-boss does not say which leases held: is it version 12.35.0?');
  return new Set(answer.settled.map(String));
}

/** A UUID that the same words always give, so that an order whose insertion lost its answer is not queued twice. */
export function orderId(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  return [
    ...[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)],
    hex.slice(20, 32),
  ].join('-');
}
