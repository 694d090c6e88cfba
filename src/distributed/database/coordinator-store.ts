// A run in the database, as anybody may read it, and as its coordinator writes to it. The term of a coordinator is a row
// with the database's clock: its number is checked in every transaction that writes for it.

import type { JsonObject } from '../../base/json.ts';
import {
  type JobLine,
  lineText,
  type NewEvent,
  parseLine,
  type RunLine,
  readValue,
  type StateLine,
  type TaskLine,
} from '../../model/line.ts';
import { type Header, parseLine as parseRecordLine } from '../../model/record/line.ts';
import { commitBatch, type Fact, type FactAnswer, type IssuedOrder, withoutTime } from './batch.ts';
import { orderId, type Queue } from './queue.ts';
import {
  groupsOf,
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

/** The state of a run as it was folded last. */
export interface Snapshot {
  readonly header: Header;
  readonly runs: readonly RunLine[];
  readonly tasks: readonly TaskLine[];
  /** The records after this number are not in the lines. */
  readonly seq: number;
}

const maxLines = 1000;

/** Folded records are kept for so long, so that a fact whose answer was lost is not recorded twice. */
const keptFor = "interval '15 minutes'";

/** A run, for whoever looks at it. Every call rejects while the database is away. */
export class RunStore {
  protected readonly sql: Sql;
  protected readonly queue: Queue;
  protected readonly run: string;

  constructor(sql: Sql, queue: Queue, run: string) {
    this.sql = sql;
    this.queue = queue;
    this.run = run;
  }

  /**
   * Begins a new term if no other coordinator has one; undefined if another has. Waits for a fold of the former coordinator.
   * The same coordinator may ask again, if it lost the answer. `leaseMs`: how long without `renew`.
   */
  async acquire(coordinator: string, leaseMs: number): Promise<CoordinatorStore | undefined> {
    return this.sql.transaction(async (within) => {
      await within.query(`select from ${schema}.run where run = $1 for update`, [this.run]);
      const [row] = await within.query(
        `update ${schema}.run set epoch = epoch + 1, coordinator = $2, stopping = false, closed = null,
           coordinator_until = clock_timestamp() + $3 * interval '1 ms'
         where run = $1 and stage = 'open'
           and (coordinator_until is null or coordinator_until < clock_timestamp() or coordinator = $2)
         returning epoch`,
        [this.run, coordinator, leaseMs],
      );
      if (row === undefined) return undefined;
      await within.query(
        `delete from ${schema}.worker where run = $1 and at < clock_timestamp() - interval '1 hour'`,
        [this.run],
      );
      return this.inTerm(numberOf(row, 'epoch'));
    });
  }

  inTerm(epoch: number): CoordinatorStore {
    return new CoordinatorStore(this.sql, this.queue, this.run, epoch);
  }

  async records(after: number, atMost: number): Promise<readonly EngineRecord[]> {
    const rows = await this.sql.query(
      `select seq, is_, key, by_, body, ${schema}.iso(at) as at from ${schema}.record
       where run = $1 and seq > $2 order by seq limit $3`,
      [this.run, after, atMost],
    );
    return rows.map(recordOf);
  }

  async snapshot(): Promise<Snapshot> {
    const [row] = await this.sql.query(
      `select header, runs, tasks, seq from ${schema}.snapshot where run = $1`,
      [this.run],
    );
    if (row === undefined) throw new Error(`the run ${this.run} is not in the database`);
    return {
      header: headerIn(textOf(row, 'header')),
      runs: linesIn(textOf(row, 'runs')).map((text) => lineOf('run', 'runs', text).line),
      tasks: linesIn(textOf(row, 'tasks')).map((text) => lineOf('task', 'tasks', text).line),
      seq: numberOf(row, 'seq'),
    };
  }

  /** The job lines of the snapshot, in groups. */
  async *jobs(): AsyncIterable<readonly JobLine[]> {
    let after = '';
    for (;;) {
      const rows = await this.sql.query(
        `select job, line from ${schema}.line where run = $1 and job > $2 order by job limit ${maxLines}`,
        [this.run, after],
      );
      if (rows.length === 0) return;
      yield rows.map((row) => lineOf('job', 'line', textOf(row, 'line')).line);
      after = textOf(rows.at(-1), 'job');
    }
  }

  async facts(): Promise<QueueFacts> {
    const { due, parked, active } = await this.queue.counts();
    const workers = await this.sql.query(
      `select worker, host, places, busy, (extract(epoch from clock_timestamp() - at) * 1000)::float8 as silent
       from ${schema}.worker where run = $1 order by worker`,
      [this.run],
    );
    const [run] = await this.sql.query(`select seq from ${schema}.run where run = $1`, [this.run]);
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
}

/** A run, for its coordinator during one term. */
export class CoordinatorStore extends RunStore {
  /** The number of the term: a later one is higher. */
  readonly epoch: number;
  /** Signs the records of the coordinator. */
  readonly writer: string;

  constructor(sql: Sql, queue: Queue, run: string, epoch: number) {
    super(sql, queue, run);
    this.epoch = epoch;
    this.writer = `coordinator ${epoch}`;
  }

  /** Rejects with `TermOver` if another coordinator has taken over, and this one must stop. */
  async renew(leaseMs: number): Promise<void> {
    const rows = await this.sql.query(
      `update ${schema}.run set coordinator_until = clock_timestamp() + $3 * interval '1 ms'
       where run = $1 and epoch = $2 returning epoch`,
      [this.run, this.epoch, leaseMs],
    );
    if (rows.length === 0) throw new TermOver(this.run, this.epoch);
  }

  /** Gives the term back. */
  async release(): Promise<void> {
    await this.#change('coordinator_until = null where run = $1 and epoch = $2', this.epoch);
  }

  /** Removes the orders that nobody performs. */
  async dropQueued(): Promise<void> {
    await this.queue.dropQueued();
  }

  /** Takes all orders that nobody performs, so that the caller can end them; returns the keys. */
  async takeQueued(): Promise<readonly string[]> {
    return this.queue.takeQueued();
  }

  /** The number of orders that workers perform now. */
  async active(): Promise<number> {
    return (await this.queue.counts()).active;
  }

  /** Lets the leases of silent workers lapse. Returns the keys of orders that were delivered too often and are given up. */
  async supervise(): Promise<readonly string[]> {
    return this.queue.supervise();
  }

  async issue(orders: readonly IssuedOrder[]): Promise<void> {
    await this.queue.ready();
    for (const group of groupsOf(orders))
      await this.sql.transaction((within) =>
        this.queue.insert(
          group.map((issued) => ({
            key: issued.order.key,
            issued,
            id: orderId(`${this.run}/${issued.order.key}`),
          })),
          within,
        ),
      );
  }

  /** Rejects with `TermOver` if another coordinator has taken over. */
  async record(facts: readonly Fact[]): Promise<readonly FactAnswer[]> {
    if (facts.length === 0) return [];
    return this.sql.transaction((within) => this.#record(facts, within.last));
  }

  /** Turns every attempt that was begun in this database, and has no answer, into a doubt. */
  async doubtIntended(why: string): Promise<void> {
    await this.sql.transaction(async (within) => {
      await within.query(`select from ${schema}.run where run = $1 for no key update`, [this.run]);
      const rows = await within.query(
        `select job, name from ${schema}.job where run = $1 and state = 'intended' and owner is not null`,
        [this.run],
      );
      const facts = rows.map((row): Fact => {
        const job = textOf(row, 'job');
        const name = textOf(row, 'name');
        const event = { event: 'doubt', job, why, silent: true } as const;
        return { is: 'event', id: `doubt ${name}`, key: job, name, event };
      });
      // Its ledger has to read them, as it reads what workers record.
      const by = `${this.writer}, in the database`;
      for (const group of groupsOf(facts)) await this.#record(group, within, by);
    });
  }

  /** Credits that may be charged and reserved in all; undefined: no limit. */
  async cap(credits: number | undefined): Promise<void> {
    await this.#change('cap = $2 where run = $1', credits ?? null);
  }

  /** Nothing more is bought; undefined: buying goes on. Has no effect after the term. */
  async close(why: string | undefined): Promise<void> {
    await this.#change('closed = $2 where run = $1 and epoch = $3', why ?? null, this.epoch);
  }

  /** Asks the workers to end what they perform. Has no effect after the term. */
  async stop(): Promise<void> {
    await this.#change('stopping = true where run = $1 and epoch = $2', this.epoch);
  }

  /**
   * Replaces the lines of the jobs that have changed, and removes the records up to the number. The key share of the run
   * holds off a coordinator that takes over until the fold is there, but no worker. Rejects with `TermOver`.
   */
  async fold(snapshot: Snapshot, changed: readonly JobLine[]): Promise<void> {
    await this.sql.transaction(async (within) => {
      const current = await within.query(
        `select epoch from ${schema}.run where run = $1 and epoch = $2 for key share`,
        [this.run, this.epoch],
      );
      if (current.length === 0) throw new TermOver(this.run, this.epoch);
      await writeSnapshot(within, this.run, snapshot);
      await writeLines(within, this.run, changed);
      await within.query(
        `delete from ${schema}.record where run = $1 and seq <= $2 and at < clock_timestamp() - ${keptFor}`,
        [this.run, snapshot.seq],
      );
    });
  }

  /**
   * From now on, nobody records anything: the lines of the snapshot become the state file. False, and nothing has changed:
   * there are records after the number. Renews the term; rejects with `TermOver` if it is over.
   */
  async seal(seq: number, leaseMs: number): Promise<boolean> {
    const [row] = await this.sql.query(
      `update ${schema}.run set coordinator_until = clock_timestamp() + $3 * interval '1 ms',
         stage = case when seq = $4 then 'importing' else stage end
       where run = $1 and epoch = $2 returning seq`,
      [this.run, this.epoch, leaseMs, seq],
    );
    if (row === undefined) throw new TermOver(this.run, this.epoch);
    return numberOf(row, 'seq') === seq;
  }

  /** The state file is the record. Rejects with `TermOver` if another coordinator has taken over. */
  async handOver(): Promise<void> {
    const rows = await this.sql.query(
      `update ${schema}.run set stage = 'exported' where run = $1 and epoch = $2 returning epoch`,
      [this.run, this.epoch],
    );
    if (rows.length === 0) throw new TermOver(this.run, this.epoch);
  }

  async #record(
    facts: readonly Fact[],
    within: Statements,
    by = this.writer,
  ): Promise<readonly FactAnswer[]> {
    const written = await commitBatch(within, this.run, by, this.epoch, { facts });
    if (written === 'gone' || written === 'over') throw new TermOver(this.run, this.epoch);
    return written.facts;
  }

  async #change(what: string, ...values: readonly unknown[]): Promise<void> {
    await this.sql.query(`update ${schema}.run set ${what}`, [this.run, ...values]);
  }
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
  const parsed = readValue({ ...objectOf(body), at: time });
  if (!parsed.ok) throw new Error(`a record in the database is damaged: ${parsed.error}`);
  if (parsed.value.type !== 'event') throw unexpected('body', body);
  return withoutTime(parsed.value.line);
}

// The lines of a run as they were folded last. They are apart from what money needs, so that reading and writing them
// never waits for workers.

export async function writeSnapshot(
  sql: Statements,
  run: string,
  { header, runs, tasks, seq }: Snapshot,
): Promise<void> {
  await sql.query(
    `insert into ${schema}.snapshot values ($1, $2, $3, $4, $5)
     on conflict (run) do update set header = $2, runs = $3, tasks = $4, seq = $5`,
    [run, lineText(header), textIn(runs), textIn(tasks), seq],
  );
}

export async function writeLines(
  sql: Statements,
  run: string,
  lines: readonly JobLine[],
): Promise<void> {
  for (const part of groupsOf(lines))
    await sql.query(
      `insert into ${schema}.line select $1, * from unnest($2::text[], $3::text[])
       on conflict (run, job) do update set line = excluded.line`,
      [run, part.map(({ job }) => job), part.map(lineText)],
    );
}

const textIn = (lines: readonly object[]): string => lines.map(lineText).join('\n');
const linesIn = (text: string): readonly string[] => (text === '' ? [] : text.split('\n'));

type LineOf<T extends StateLine['type']> = Extract<StateLine, { readonly type: T }>;

function lineOf<T extends StateLine['type']>(type: T, column: string, text: string): LineOf<T> {
  const line = parseLine(text);
  if (!line.ok) throw new Error(`a line in the database is damaged: ${line.error}`);
  if (!isOf(type, line.value)) throw unexpected(column, text);
  return line.value;
}

const isOf = <T extends StateLine['type']>(type: T, line: StateLine): line is LineOf<T> =>
  line.type === type;

function headerIn(text: string): Header {
  const read = parseRecordLine(text);
  if (!read.ok || !('shotlist' in read.value)) throw unexpected('header', text);
  return read.value;
}
