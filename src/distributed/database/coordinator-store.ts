// The coordinator's side of a run in the database. A term is a row with the database's clock: its number is checked in
// every transaction that writes for it.

import type { JsonObject } from '../../base/json.ts';
import { type JobLine, type NewEvent, readValue } from '../../model/line.ts';
import {
  commitBatch,
  type Fact,
  type FactAnswer,
  type IssuedOrder,
  withoutNumber,
} from './batch.ts';
import { orderId, type Queue } from './queue.ts';
import { foldInto, lineGroups, type Snapshot, snapshotOf } from './snapshot.ts';
import {
  numberOf,
  objectOf,
  type Row,
  type Sql,
  type Statements,
  textOf,
  unexpected,
} from './sql.ts';
import { schema } from './tables.ts';
import type { WorkerIdentity } from './worker-store.ts';

/** The term of a coordinator. A later one has a higher epoch. */
export interface Term {
  readonly epoch: number;
}

/** How a coordinator signs its records. */
export const writerOf = ({ epoch }: Term): string => `coordinator ${epoch}`;

/** How it signs what it finds out in the database itself: its ledger has to read that, as it reads what workers record. */
const finderOf = (term: Term): string => `${writerOf(term)}, in the database`;

/** Another coordinator has taken over the run: nothing was written. */
export class TermOver extends Error {
  readonly code = 'TERM_OVER';

  constructor(run: string, epoch: number) {
    super(`another coordinator has taken over the run ${run} (this one had term ${epoch})`);
  }
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

/** Facts of a worker for people who watch. */
export interface WorkerFacts extends WorkerIdentity {
  readonly busy: number;
  /** Milliseconds since its last beat. */
  readonly silentMs: number;
}

export interface QueueFacts {
  /** Orders that are due. */
  readonly queued: number;
  /** Orders that wait for their time: parked projects. */
  readonly parked: number;
  readonly active: number;
  readonly workers: readonly WorkerFacts[];
  /** The number of the last record. */
  readonly last: number;
}

const maxPerStatement = 1000;

/** Every call rejects while the database is away. */
export class CoordinatorStore {
  readonly #sql: Sql;
  readonly #queue: Queue;
  readonly #run: string;

  constructor(sql: Sql, queue: Queue, run: string) {
    this.#sql = sql;
    this.#queue = queue;
    this.#run = run;
  }

  /**
   * Begins a new term if no other coordinator has one; undefined if another has. Waits for a fold of the former coordinator.
   * The same coordinator may ask again, if it lost the answer. `leaseMs`: how long without `renew`.
   */
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

  /** False: another coordinator has taken over, and this one must stop. */
  async renew({ epoch }: Term, leaseMs: number): Promise<boolean> {
    const rows = await this.#sql.query(
      `update ${schema}.run set coordinator_until = clock_timestamp() + $3 * interval '1 ms'
       where run = $1 and epoch = $2 returning epoch`,
      [this.#run, epoch, leaseMs],
    );
    return rows.length === 1;
  }

  /** Gives the term back. */
  async release({ epoch }: Term): Promise<void> {
    await this.#change('coordinator_until = null where run = $1 and epoch = $2', epoch);
  }

  /** Removes the orders that nobody performs. */
  async dropQueued(): Promise<void> {
    await this.#queue.dropQueued();
  }

  /** Takes all orders that nobody performs, so that the caller can end them; returns the keys. */
  async takeQueued(): Promise<readonly string[]> {
    return this.#queue.takeQueued();
  }

  /** The number of orders that workers perform now. */
  async active(): Promise<number> {
    return (await this.#queue.counts()).active;
  }

  /** Lets the leases of silent workers lapse. Returns the keys of orders that were delivered too often and are given up. */
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

  /** Rejects with `TermOver` if another coordinator has taken over. */
  async record(term: Term, facts: readonly Fact[]): Promise<readonly FactAnswer[]> {
    if (facts.length === 0) return [];
    return this.#sql.transaction((within) => this.#record(term, facts, within.last));
  }

  /** Turns every attempt that was begun in this database, and has no answer, into a doubt. */
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

  /** Credits that may be charged and reserved in all; undefined: no limit. */
  async cap(credits: number | undefined): Promise<void> {
    await this.#change('cap = $2 where run = $1', credits ?? null);
  }

  /** Nothing more is bought; undefined: buying goes on. Has no effect after the term. */
  async close({ epoch }: Term, why: string | undefined): Promise<void> {
    await this.#change('closed = $2 where run = $1 and epoch = $3', why ?? null, epoch);
  }

  /** Asks the workers to end what they perform. Has no effect after the term. */
  async stop({ epoch }: Term): Promise<void> {
    await this.#change('stopping = true where run = $1 and epoch = $2', epoch);
  }

  async snapshot(): Promise<Snapshot> {
    return snapshotOf(this.#sql, this.#run);
  }

  /** The job lines of the snapshot, in groups. */
  jobs(): AsyncIterable<readonly JobLine[]> {
    return lineGroups(this.#sql, this.#run);
  }

  /** Replaces the lines of the jobs that have changed, and removes the records up to the number. */
  async fold({ epoch }: Term, snapshot: Snapshot, changed: readonly JobLine[]): Promise<void> {
    const done = await this.#sql.transaction((within) =>
      foldInto(within, this.#run, epoch, snapshot, changed),
    );
    if (!done) throw new TermOver(this.#run, epoch);
  }

  /**
   * From now on, nobody records anything: the lines of the snapshot become the state file. False, and nothing has changed:
   * there are records after the number. Renews the term; rejects with `TermOver` if it is over.
   */
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

  /** The state file is the record. Rejects with `TermOver` if another coordinator has taken over. */
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
  for (let start = 0; start < all.length; start += maxPerStatement)
    yield all.slice(start, start + maxPerStatement);
}

function recordOf(row: Row): EngineRecord {
  const head = { seq: numberOf(row, 'seq'), by: textOf(row, 'by_'), key: textOf(row, 'key') };
  const is = textOf(row, 'is_');
  switch (is) {
    case 'event':
    case 'refused': {
      const at = textOf(row, 'at');
      return { ...head, is, at, event: eventOf(textOf(row, 'body'), at) };
    }
    case 'begun':
      return { ...head, is };
    case 'told':
      return { ...head, is, told: objectOf(textOf(row, 'body')) };
    case 'ended': {
      const outcome: unknown = JSON.parse(textOf(row, 'body'));
      return { ...head, is, outcome };
    }
    default:
      throw unexpected('is_', is);
  }
}

/** Checked like a line of a state file. */
function eventOf(body: string, time: string): NewEvent {
  const parsed = readValue({ ...objectOf(body), seq: 1, at: time });
  if (!parsed.ok) throw new Error(`a record in the database is damaged: ${parsed.error}`);
  if (parsed.value.type !== 'event') throw unexpected('body', body);
  return withoutNumber(parsed.value.line);
}
