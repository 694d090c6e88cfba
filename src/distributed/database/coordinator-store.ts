// The coordinator's side of a run in the database. A term is a row with the database's clock: its number is checked in
// every transaction that writes for it.

import type { JobLine } from '../../model/line.ts';
import type {
  CoordinatorStore,
  EngineRecord,
  Fact,
  FactAnswer,
  IssuedOrder,
  Snapshot,
  Term,
} from '../ports.ts';
import type { QueueFacts } from '../queue-facts.ts';
import { TermOver } from '../term-over.ts';
import { finderOf, writerOf } from '../writer.ts';
import { commitBatch } from './batch.ts';
import { numberOf, textOf } from './columns.ts';
import { orderId } from './order-id.ts';
import type { Queue } from './queue.ts';
import { recordOf } from './records.ts';
import { foldInto, lineGroups, snapshotOf } from './snapshot.ts';
import type { Sql, Statements } from './sql.ts';
import { schema } from './tables.ts';

/** Orders and facts in one statement. */
const most = 1000;

export class DatabaseCoordinatorStore implements CoordinatorStore {
  readonly #sql: Sql;
  readonly #queue: Queue;
  readonly #run: string;

  constructor(sql: Sql, queue: Queue, run: string) {
    this.#sql = sql;
    this.#queue = queue;
    this.#run = run;
  }

  /** Waits for a fold of the former coordinator. The same coordinator may ask again, if it lost the answer. */
  async acquire(coordinator: string, leaseMs: number): Promise<Term | undefined> {
    return this.#sql.transaction(async (within) => {
      await within.query(`select from ${schema}.run where run = $1 for update`, [this.#run]);
      const [row] = await within.query(
        `update ${schema}.run set epoch = epoch + 1, coordinator = $2, stopping = false, closed = null,
           coordinator_until = clock_timestamp() + $3 * interval '1 ms'
         where run = $1 and stage = 'open'
           and (coordinator_until is null or coordinator_until < clock_timestamp() or coordinator = $2)
         returning epoch`,
        [this.#run, coordinator, leaseMs],
      );
      if (row === undefined) return undefined;
      await within.query(
        `delete from ${schema}.worker where run = $1 and at < clock_timestamp() - interval '1 hour'`,
        [this.#run],
      );
      return { epoch: numberOf(row, 'epoch') };
    });
  }

  async renew({ epoch }: Term, leaseMs: number): Promise<boolean> {
    const rows = await this.#sql.query(
      `update ${schema}.run set coordinator_until = clock_timestamp() + $3 * interval '1 ms'
       where run = $1 and epoch = $2 returning epoch`,
      [this.#run, epoch, leaseMs],
    );
    return rows.length === 1;
  }

  async release({ epoch }: Term): Promise<void> {
    await this.#change('coordinator_until = null where run = $1 and epoch = $2', epoch);
  }

  async dropQueued(): Promise<void> {
    await this.#queue.dropQueued();
  }

  async takeQueued(): Promise<readonly string[]> {
    return this.#queue.takeQueued();
  }

  async active(): Promise<number> {
    return (await this.#queue.counts()).active;
  }

  async supervise(): Promise<readonly string[]> {
    return this.#queue.supervise();
  }

  async issue(orders: readonly IssuedOrder[]): Promise<void> {
    await this.#queue.ready();
    for (const group of groupsOf(orders))
      await this.#sql.transaction((within) =>
        this.#queue.insert(
          group.map((issued) => ({
            ...{ key: issued.order.key, issued },
            id: orderId(`${this.#run}/${issued.order.key}`),
          })),
          within,
        ),
      );
  }

  async record(term: Term, facts: readonly Fact[]): Promise<readonly FactAnswer[]> {
    if (facts.length === 0) return [];
    return this.#sql.transaction((within) => this.#record(term, facts, within.last));
  }

  async doubtIntended(term: Term, why: string): Promise<void> {
    await this.#sql.transaction(async (within) => {
      await within.query(`select from ${schema}.run where run = $1 for no key update`, [this.#run]);
      const rows = await within.query(
        `select job, name from ${schema}.job where run = $1 and state = 'intended' and owner is not null`,
        [this.#run],
      );
      const facts = rows.map((row): Fact => {
        const job = textOf(row, 'job');
        const name = textOf(row, 'name');
        const event = { event: 'doubt', job, why, silent: true } as const;
        return { is: 'event', id: `doubt ${name}`, key: job, name, event };
      });
      for (const group of groupsOf(facts)) await this.#record(term, group, within, finderOf(term));
    });
  }

  async records(after: number, atMost: number): Promise<readonly EngineRecord[]> {
    const rows = await this.#sql.query(
      `select seq, is_, key, by_, body, ${schema}.iso(at) as at from ${schema}.record
       where run = $1 and seq > $2 order by seq limit $3`,
      [this.#run, after, atMost],
    );
    return rows.map(recordOf);
  }

  async cap(credits: number | undefined): Promise<void> {
    await this.#change('cap = $2 where run = $1', credits ?? null);
  }

  async close({ epoch }: Term, why: string | undefined): Promise<void> {
    await this.#change('closed = $2 where run = $1 and epoch = $3', why ?? null, epoch);
  }

  async stop({ epoch }: Term): Promise<void> {
    await this.#change('stopping = true where run = $1 and epoch = $2', epoch);
  }

  async snapshot(): Promise<Snapshot> {
    return snapshotOf(this.#sql, this.#run);
  }

  jobs(): AsyncIterable<readonly JobLine[]> {
    return lineGroups(this.#sql, this.#run);
  }

  async fold({ epoch }: Term, snapshot: Snapshot, changed: readonly JobLine[]): Promise<void> {
    const done = await this.#sql.transaction((within) =>
      foldInto(within, this.#run, epoch, snapshot, changed),
    );
    if (!done) throw new TermOver(this.#run, epoch);
  }

  async seal({ epoch }: Term, seq: number, leaseMs: number): Promise<boolean> {
    const [row] = await this.#sql.query(
      `update ${schema}.run set coordinator_until = clock_timestamp() + $3 * interval '1 ms',
         stage = case when seq = $4 then 'importing' else stage end
       where run = $1 and epoch = $2 returning seq`,
      [this.#run, epoch, leaseMs, seq],
    );
    if (row === undefined) throw new TermOver(this.#run, epoch);
    return numberOf(row, 'seq') === seq;
  }

  async handOver({ epoch }: Term): Promise<void> {
    const rows = await this.#sql.query(
      `update ${schema}.run set stage = 'exported' where run = $1 and epoch = $2 returning epoch`,
      [this.#run, epoch],
    );
    if (rows.length === 0) throw new TermOver(this.#run, epoch);
  }

  async facts(): Promise<QueueFacts> {
    const { due, parked, active } = await this.#queue.counts();
    const workers = await this.#sql.query(
      `select worker, host, places, busy, (extract(epoch from clock_timestamp() - at) * 1000)::float8 as silent
       from ${schema}.worker where run = $1 order by worker`,
      [this.#run],
    );
    const [run] = await this.#sql.query(`select seq from ${schema}.run where run = $1`, [
      this.#run,
    ]);
    return {
      last: run === undefined ? 0 : numberOf(run, 'seq'),
      queued: due,
      parked,
      active,
      workers: workers.map((row) => ({
        worker: textOf(row, 'worker'),
        host: textOf(row, 'host'),
        places: numberOf(row, 'places'),
        busy: numberOf(row, 'busy'),
        silentMs: Math.max(0, numberOf(row, 'silent')),
      })),
    };
  }

  async #record(
    { epoch }: Term,
    facts: readonly Fact[],
    within: Statements,
    by = writerOf({ epoch }),
  ): Promise<readonly FactAnswer[]> {
    const written = await commitBatch(within, this.#run, by, epoch, { facts });
    if (written === 'gone' || written === 'over') throw new TermOver(this.#run, epoch);
    return written.facts;
  }

  async #change(what: string, ...values: readonly unknown[]): Promise<void> {
    await this.#sql.query(`update ${schema}.run set ${what}`, [this.#run, ...values]);
  }
}

function* groupsOf<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let start = 0; start < all.length; start += most) yield all.slice(start, start + most);
}
