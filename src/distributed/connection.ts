// Connects to Postgres. The packages for it are optional, and loaded only here.
import { hostname, userInfo } from 'node:os';
import type { Pool, PoolClient } from 'pg';
import type { PgBoss } from 'pg-boss';
import { scrubbed } from '../base/scrub.ts';
import { systemCode } from '../base/system-error.ts';
import type { Clock } from '../core/ports.ts';
import { backoffAfter } from '../core/retry.ts';
import { problem, Refusal } from '../language/load/refusal.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface Statements {
  /** Several statements without values return the rows of all. 64-bit numbers are texts. */
  query<R extends object = Row>(text: string, values?: readonly unknown[]): Promise<readonly R[]>;
}

/** Throws `DatabaseAway` and `DatabaseRefused`. */
export interface Sql extends Statements {
  transaction<T>(work: (within: Statements) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * The database cannot be reached, or went away in the middle of a call. Whether that call took effect is not known, so every
 * call must be repeatable.
 */
export class DatabaseAway extends Error {
  readonly code = 'DATABASE_AWAY';
}

/** The database answers, and does not do what it is asked for: a matter for a person, who can do what `hint` says. */
export class DatabaseRefused extends Error {
  readonly code = 'DATABASE_REFUSED';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

/**
 * Connects with the first statement. The address says how TLS is used (`sslmode`). `connections`: the most at once. Throws a
 * refusal if pg is not installed.
 */
export async function connect(url: string, connections: number): Promise<Sql> {
  const { Pool: PoolOf, defaults } = await installed('pg', () => import('pg'));
  // As psql does, also where the environment does not say who runs this.
  defaults.user ??= userInfo().username;
  const pool = new PoolOf({
    connectionString: url,
    application_name: `shotlist on ${hostname()}`,
    max: connections,
    connectionTimeoutMillis: 10_000,
    // A host that freezes or vanishes within a transaction holds the row of the run.
    idle_in_transaction_session_timeout: 5_000,
    statement_timeout: 60_000,
    query_timeout: 70_000,
    // Without statistics, a bitmap scan would read and sort all that is left for each page of rows.
    options: '-c enable_bitmapscan=off',
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // The pool has dropped the idle connection, and the next statement gets another one, or fails.
  pool.on('error', ignored);
  return {
    query: (text, values) => translated(() => run(pool, text, values)),
    transaction: (work) => translated(() => transaction(pool, work)),
    close: () => pool.end(),
  };
}

/**
 * The library of the queue over the same connections. It is not started, so it has no timers.
 * @internal The published types name no library of a database.
 */
export async function bossOver(sql: Sql, schema: string): Promise<PgBoss> {
  const { PgBoss: Boss } = await installed('pg-boss', () => import('pg-boss'));
  return new Boss({ db: bossDb(sql), schema, supervise: false, schedule: false });
}

/** For a call of the library within a transaction. */
export const bossDb = (
  sql: Statements,
): { executeSql(text: string, values?: unknown[]): Promise<{ rows: Row[] }> } => ({
  executeSql: async (text, values) => ({ rows: [...(await sql.query(text, values))] }),
});

async function installed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `--engine needs the package ${name}, which is not installed`;
    throw new Refusal(problem(message, 'shotlist', 'run npm install pg-boss@12.35.0 pg@8'));
  }
}

function ignored(): void {}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A name with several addresses fails with an error that has no message.
    const message = scrubbed(error.message || (systemCode(error) ?? error.name));
    if (isAway(error)) throw new DatabaseAway(message, { cause: error });
    const hint = hintFor(error);
    throw hint === undefined ? error : new DatabaseRefused(message, hint, error);
  }
}

function isAway(error: Error): boolean {
  const code = systemCode(error);
  return code === undefined
    ? /terminated|timeout|Connection ended|not queryable/i.test(error.message)
    : awayCodes.test(code);
}

/**
 * Of the network, and of the server: it starts, stops, was replaced by one that is read-only, lacks disk, memory or connections;
 * a timeout; a deadlock, which it has rolled back.
 */
const awayCodes = /^(E[A-Z]+|08...|53...|57P0[1235]|57014|25P03|25006|40P01)$/;

async function transaction<T>(pool: Pool, work: (within: Statements) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A client that is checked out has no listener of the pool, and an error without a listener ends the process.
  client.on('error', ignored);
  let isBroken = true;
  try {
    await client.query('begin');
    const result = await work({ query: (text, values) => run(client, text, values) });
    await client.query('commit');
    isBroken = false;
    return result;
  } finally {
    client.off('error', ignored);
    // A broken connection is closed, and the server rolls back.
    client.release(isBroken);
  }
}

async function run<R extends object>(
  on: Pool | PoolClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly R[]> {
  if (values.length > 0) return (await on.query<R>(text, [...values])).rows;
  // A list if there are several statements.
  return [await on.query<R>(text)].flat().flatMap(({ rows }) => rows);
}

const hintFor = (error: Error): string | undefined =>
  hints.find(([about]) => about.test(`${systemCode(error) ?? ''} ${error.message}`))?.[1];

const password = 'set PGPASSWORD, or use a password file (PGPASSFILE)';
const noTables = 'start the run again: it makes its tables';

/** By the code and the message of an error. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/^28000.*no encryption$/, 'the server requires TLS: add ?sslmode=verify-full to the address'],
  [/^28000/, 'the address must name a role that may use the database'],
  [/^28P01|^ SASL/, `check the role in the address and its password: ${password}`],
  [/^3D000/, 'make the database first: createdb'],
  [/^(3F000|42P01)/, noTables],
  [/^42501/, 'grant the role what it needs'],
  [/does not support SSL/, 'turn TLS on at the server, or change sslmode in the address'],
  [/^ERR_TLS_CERT_ALTNAME/, 'use the host name that the certificate has'],
  [/^\S*CERT|^UNABLE_TO_VERIFY/, 'name the authority of the server with sslrootcert=<file>'],
];

const firstPauseMs = 100;
const maxPauseMs = 3_000;

/** Repeats a call while the database is away. If `quit` is aborted, the last error is thrown. */
export async function retryWhileAway<T>(
  { clock, quit, onAway }: Patience,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof DatabaseAway) || quit.aborted) throw error;
      onAway?.(error);
      const pause = Math.min(maxPauseMs, backoffAfter(tries, firstPauseMs, clock.chance()));
      await clock.sleep(pause, quit);
    }
  }
}

export interface Patience {
  readonly clock: Pick<Clock, 'sleep' | 'chance'>;
  readonly quit: AbortSignal;
  /** Called before each pause. */
  readonly onAway?: ((error: DatabaseAway) => void) | undefined;
}
