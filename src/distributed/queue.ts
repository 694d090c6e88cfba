// The errands of a run that wait for a hand: pg-boss, behind few calls. Own SQL reads its table where no call of it does, and
// never writes there.
import type { PgBoss } from 'pg-boss';
import { isObject } from '../base/json.ts';
import { bossDb, bossOver, type Sql, type Statements } from './connection.ts';
import { queueSchema } from './database.ts';

/** `files`: for hands that see the output folder of the run. `any`: for those that do not, too. */
export const queueKinds = ['files', 'any'] as const;
export type QueueKind = (typeof queueKinds)[number];

export type Queues = Readonly<Record<QueueKind, Queue>>;

/** An errand that so many hands took and did not end is done by the coordinator. */
const retryLimit = 3;
/** pg-boss takes no less. */
const heartbeatSeconds = 10;

/** Of one hand on one errand. */
export interface Lease {
  readonly id: string;
  readonly retryCount: number;
}

export interface Taken extends Lease {
  readonly text: string;
}

export class Queue {
  readonly #boss: PgBoss;
  readonly #sql: Sql;
  readonly #name: string;

  private constructor(boss: PgBoss, sql: Sql, name: string) {
    this.#boss = boss;
    this.#sql = sql;
    this.#name = name;
  }

  /** The queues of a run. */
  static async open(sql: Sql, run: string): Promise<Queues> {
    const boss = await bossOver(sql, queueSchema);
    const open = async (kind: QueueKind): Promise<Queue> => {
      const name = `${kind}-${run}`;
      await boss.createQueue(name, { retryLimit, heartbeatSeconds });
      // pg-boss reads what it knows of a queue once: within a transaction, it would wait for a second connection.
      await boss.findJobs(name, { id: run });
      return new Queue(boss, sql, name);
    };
    return { files: await open('files'), any: await open('any') };
  }

  /** An errand that is there already is not queued twice. */
  async insert(errands: readonly { readonly id: string; readonly text: string }[]): Promise<void> {
    const jobs = errands.map(({ id, text }) => ({ id, data: { text } }));
    if (jobs.length > 0) await this.#boss.insert(this.#name, jobs, { returnId: false });
  }

  async fetch(atMost: number): Promise<readonly Taken[]> {
    const jobs = await this.#boss.fetch<unknown>(this.#name, { batchSize: atMost });
    return jobs.map(({ id, retryCount, data }) => {
      const text = isObject(data) ? data['text'] : undefined;
      return { id, retryCount, text: typeof text === 'string' ? text : '' };
    });
  }

  async renew(leases: readonly Lease[]): Promise<void> {
    if (leases.length > 0) await this.#boss.touch(this.#name, leases.map(leaseOf));
  }

  async finish(leases: readonly Lease[], within: Statements): Promise<void> {
    const db = bossDb(within);
    if (leases.length > 0) await this.#boss.deleteJob(this.#name, leases.map(leaseOf), { db });
  }

  /** For another hand. */
  async giveBack(leases: readonly Lease[]): Promise<void> {
    if (leases.length > 0) await this.#boss.fail(this.#name, leases.map(leaseOf));
  }

  /** Gives back what silent hands hold. */
  async lapse(): Promise<void> {
    const lapsed = await this.#sql.query<{ id: string; retryCount: number }>(
      `select id::text, retry_count as "retryCount" from ${queueSchema}.job where name = $1 and state = 'active'
         and heartbeat_on < clock_timestamp() - heartbeat_seconds * interval '1 s'`,
      [this.#name],
    );
    await this.giveBack(lapsed);
  }

  /** Those of the errands that a hand does, or still may do. */
  async has(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#sql.query<{ id: string }>(
      `select id::text from ${queueSchema}.job
       where name = $1 and id = any ($2::uuid[]) and state in ('created', 'retry', 'active')`,
      [this.#name, ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** No hand begins what waits. */
  async dropWaiting(): Promise<void> {
    await this.#boss.deleteQueuedJobs(this.#name);
  }

  async drop(): Promise<void> {
    await this.#boss.deleteAllJobs(this.#name);
  }
}

const leaseOf = ({ id, retryCount }: Lease): Lease => ({ id, retryCount });
