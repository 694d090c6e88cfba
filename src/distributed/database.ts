// The database of runs with an engine: its tables, who coordinates a run, and the rows of its record.
import { err, ok, type Result } from '../base/result.ts';
import { scrubbed } from '../base/scrub.ts';
import { systemCode } from '../base/system-error.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import type { OtherRecord } from '../state/load-record.ts';
import { bossOver, connect, DatabaseAway, DatabaseRefused, type Sql } from './connection.ts';

export const queueSchema = 'shotlist_queue';

const tablesVersion = 1;

/**
 * `marked` counts the away marks that coordinators have written into state files: a database with a smaller count than a mark
 * says is older than the mark. `attempts` is how many a line has.
 */
const tables = `
create schema shotlist;
create table shotlist.version (version int not null);
insert into shotlist.version values (${tablesVersion});
create table shotlist.run (run uuid primary key, pipeline text not null, service text not null, word text not null,
  epoch bigint not null, marked bigint not null, coordinator text, until timestamptz, unique (pipeline, service));
create table shotlist.job (run uuid, key text collate "C", line text not null, attempts int not null,
  primary key (run, key)) with (fillfactor = 50);
create table shotlist.result (run uuid, id bigint generated always as identity, body text not null, primary key (run, id));
create table shotlist.worker (run uuid, worker text, host text not null, places int not null, busy int not null,
  files boolean not null, note text, at timestamptz not null, primary key (run, worker));`;

/** The address of a database. */
export interface EngineAddress {
  readonly url: string;
  /** For people: without the role. */
  readonly shown: string;
}

/** The error is the end of a sentence. A password in the address would be visible in the list of processes. */
export function engineAddress(text: string): Result<EngineAddress, string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const name = decodeURIComponent(url?.pathname.slice(1) ?? '');
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || name === '')
    return err('write the address of a database, such as postgres://shotlist@db.example/shotlist');
  if (url.password !== '' || url.searchParams.has('password'))
    return err(
      'other users of this machine could read the password in the address: set PGPASSWORD instead, or use a password file (PGPASSFILE)',
    );
  const host = url.host === '' ? (url.searchParams.get('host') ?? 'localhost') : url.host;
  return ok({ url: text, shown: scrubbed(`${host}/${name}`) });
}

/** A run of a pipeline at a service. Its rows stay when it has ended. */
export interface EngineRun {
  readonly run: string;
  readonly service: string;
  /** A word by which a folder shows that it is the folder of the run. */
  readonly word: string;
  readonly epoch: number;
  /** Who coordinates it, or did so until its term lapsed; null if the last coordinator has left. */
  readonly coordinator: string | null;
  /** The term has not lapsed. */
  readonly isHeld: boolean;
}

/** The right to write the record of a run: until `renew` or `write` says that it is over. */
export interface Term extends Pick<EngineRun, 'run' | 'word' | 'epoch'> {
  /** How many away marks have been written. */
  readonly marked: number;
  /** How many attempts the rows have. */
  readonly attempts: number;
}

/** A line of the record, under a name of its own. */
export interface RecordRow {
  readonly key: string;
  readonly line: string;
  readonly attempts: number;
}

/** By the clock of the database. The coordinator renews it each four seconds. */
const term = "clock_timestamp() + interval '15 seconds'";
const pageRows = 5_000;

/** What a call throws: `Sql`. Each call can be repeated when its answer was lost. */
export class EngineDatabase {
  readonly sql: Sql;
  readonly address: EngineAddress;

  constructor(sql: Sql, address: EngineAddress) {
    this.sql = sql;
    this.address = address;
  }

  /** Connects with the first call. Throws a refusal if the packages are not installed. */
  static async open(address: EngineAddress, connections = 6): Promise<EngineDatabase> {
    return new EngineDatabase(await connect(address.url, connections), address);
  }

  /** Makes the tables if there are none. Throws a refusal if the database cannot be used, or may lose what it has confirmed. */
  async prepare(): Promise<void> {
    await reachable(this.address, async () => {
      const [found] = await this.sql.query<Condition>(condition);
      if (found?.unsafe != null) throw new Refusal(this.#unsafe(found.unsafe));
      try {
        await this.#makeTables();
      } catch (error) {
        if (!isForbidden(error) || found === undefined) throw error;
        throw new Refusal(this.#mayNotMake(found.role));
      }
      const [row] = await this.sql.query<{ version: number }>('table shotlist.version');
      if (row?.version !== tablesVersion)
        throw new Refusal(
          problem(
            `the tables in the database ${this.address.shown} are of another version of shotlist`,
            'shotlist',
            'use the same version of shotlist on all hosts',
          ),
        );
    });
  }

  /** The library of the queue makes or upgrades its own, which two processes must not do at once. */
  async #makeTables(): Promise<void> {
    const boss = await bossOver(this.sql, queueSchema);
    await this.sql.transaction(async (within) => {
      await within.query(
        "set local idle_in_transaction_session_timeout = 0; select pg_advisory_xact_lock(hashtext('shotlist'))",
      );
      const [found] = await within.query<Condition>(condition);
      if (found?.exists !== true) await within.query(tables);
      await boss.start();
      await boss.stop({ close: false, graceful: false });
    });
  }

  #unsafe(setting: string): Problem {
    const message = `the database ${this.address.shown} may lose what it has confirmed in a crash: ${setting} is off`;
    return problem(message, 'shotlist', 'what is lost could be paid for twice: switch it on');
  }

  /** Each hint is short enough to be shown whole. */
  #mayNotMake(role: string): Problem {
    const message = `the role ${role} may not make the tables of shotlist in the database ${this.address.shown}`;
    const sql = tables.trim().replaceAll(/\n */g, ' ');
    const granted = ['shotlist', queueSchema].map(
      (schema) =>
        `grant usage on schema ${schema} to ${role}; grant select, insert, update, delete on all tables in schema ${schema} to ${role};`,
    );
    const diagnostics = [
      problem(message, 'shotlist', `let the owner of the database run: ${sql}`),
      problem(
        'nor those of its queue, nor use any of them',
        'shotlist',
        `then npx pg-boss create --schema ${queueSchema}, and: ${granted.join(' ')}`,
      ),
    ].flatMap((one) => one.diagnostics);
    return { reason: 'input', diagnostics };
  }

  /** For a worker, which makes none. */
  async hasTables(): Promise<boolean> {
    const [found] = await this.sql.query<{ all: boolean }>(
      `select count(*) = 2 as all from pg_tables where schemaname in ('shotlist', '${queueSchema}') and tablename = 'version'`,
    );
    return found?.all === true;
  }

  /** The runs of a pipeline, each at another service. */
  runs(pipeline: string): Promise<readonly EngineRun[]> {
    return this.sql.query(
      `select run::text, service, word, epoch::float8, coordinator,
         coalesce(until > clock_timestamp(), false) as "isHeld"
       from shotlist.run where pipeline = $1 order by service`,
      [pipeline],
    );
  }

  /** `who`: names this process and no other. Undefined if another coordinator holds the run. */
  async acquire(pipeline: string, service: string, who: string): Promise<Term | undefined> {
    const [held] = await this.sql.query<Omit<Term, 'attempts'>>(
      `insert into shotlist.run as run (run, pipeline, service, word, epoch, marked, coordinator, until)
       values (gen_random_uuid(), $1, $2, gen_random_uuid()::text, 1, 0, $3, ${term})
       on conflict (pipeline, service) do update
       set epoch = run.epoch + 1, coordinator = excluded.coordinator, until = excluded.until
       where run.until is null or run.until < clock_timestamp() or run.coordinator = excluded.coordinator
       returning run::text, word, epoch::float8, marked::float8`,
      [pipeline, service, who],
    );
    if (held === undefined) return undefined;
    const [sum] = await this.sql.query<{ attempts: number }>(
      'select coalesce(sum(attempts), 0)::float8 as attempts from shotlist.job where run = $1',
      [held.run],
    );
    return { ...held, attempts: sum?.attempts ?? 0 };
  }

  /** False if the term is over. */
  renew(held: Term): Promise<boolean> {
    return this.#update(held, `until = ${term}`);
  }

  /** Another coordinator need not wait. */
  async release(held: Term): Promise<void> {
    await this.#update(held, 'until = null, coordinator = null');
  }

  /** An away mark with this number is about to be written. False if the term is over. */
  mark(held: Term, marked: number): Promise<boolean> {
    return this.#update(held, 'marked = $3', marked);
  }

  async #update({ run, epoch }: Term, set: string, ...values: readonly number[]): Promise<boolean> {
    const updated = await this.sql.query(
      `update shotlist.run set ${set} where run = $1 and epoch = $2 returning 1`,
      [run, epoch, ...values],
    );
    return updated.length > 0;
  }

  /** On disk when it resolves, with the time when the server was started. Undefined if the term is over: nothing was written. */
  async write({ run, epoch }: Term, rows: readonly RecordRow[]): Promise<string | undefined> {
    const [put] = await this.sql.query<{ count: number; started: string }>(
      `with mine as (select 1 from shotlist.run where run = $1 and epoch = $2 for share), put as (
         insert into shotlist.job (run, key, line, attempts)
         select $1, j.* from mine, unnest($3::text[], $4::text[], $5::int[]) j
         on conflict (run, key) do update set line = excluded.line, attempts = excluded.attempts
         returning 1)
       select count(*)::int, pg_postmaster_start_time()::text as started from put`,
      [
        run,
        epoch,
        rows.map(({ key }) => key),
        rows.map(({ line }) => line),
        rows.map(({ attempts }) => attempts),
      ],
    );
    return put?.count === rows.length ? put.started : undefined;
  }

  /** All rows of a record, in the order of their keys. */
  async *rows(run: string): AsyncGenerator<readonly RecordRow[]> {
    let last = '';
    for (;;) {
      const page = await this.sql.query<RecordRow>(
        `select key, line, attempts from shotlist.job where run = $1 and key > $2
         order by key limit ${pageRows}`,
        [run, last],
      );
      if (page.length > 0) yield page;
      if (page.length < pageRows) return;
      last = page.at(-1)?.key ?? '';
    }
  }

  /** The record of a run, for whoever joins it. */
  record(run: string): OtherRecord {
    const rows = this.rows(run);
    const lines = async function* () {
      for await (const page of rows) yield page.map(({ line }) => line);
    };
    return { name: `the database ${this.address.shown}`, lines: lines() };
  }

  close(): Promise<void> {
    return this.sql.close();
  }
}

interface Condition {
  /** A setting that is off; null: none. */
  readonly unsafe: string | null;
  readonly role: string;
  readonly exists: boolean;
}

// Not to_regclass: within a transaction, it does not see what another one has made since.
const condition = `
  select quote_ident(current_user) as role,
    (select min(name) from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off') as unsafe,
    exists (select from pg_tables where schemaname = 'shotlist' and tablename = 'version')`;

/** The server says that the role lacks a right. */
const isForbidden = (error: unknown): boolean =>
  error instanceof DatabaseRefused && systemCode(error.cause) === '42501';

/** Before a run begins, a database that cannot be used is a refusal, and nobody waits for it. */
export async function reachable<T>({ shown }: EngineAddress, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseRefused)
      throw new Refusal(
        problem(`the database ${shown} refused: ${error.message}`, 'shotlist', error.hint),
      );
    if (!(error instanceof DatabaseAway)) throw error;
    const hint = 'nothing was sent; check the address, the network and the server';
    const message = `the database ${shown} cannot be used: ${error.message}`;
    throw new Refusal({ ...problem(message, 'shotlist', hint), reason: 'unreachable' });
  }
}
