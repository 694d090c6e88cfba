// Connects to Postgres. The packages for it are optional, and loaded only here.
import { userInfo } from 'node:os';
import type { Pool, PoolClient } from 'pg';
import type { PgBoss } from 'pg-boss';
import { systemCode } from '../../base/system-error.ts';
import { DatabaseAway } from '../away.ts';
import { bossDb, queueSchema } from './queue.ts';
import type { Row, Sql, Statements, Transaction } from './sql.ts';

/** The line that installs what an engine needs. */
export const installLine = 'npm install pg-boss@12.35.0 pg@8';

/** The packages of the engine are not installed. */
export class EngineMissing extends Error {
  readonly code = 'ENGINE_MISSING';

  constructor(name: string, cause: unknown) {
    super(`an engine needs the package ${name}, which is not installed: run ${installLine}`, {
      cause,
    });
  }
}

export interface ConnectionOptions {
  /** What the server calls the connections: shotlist, and which process. */
  readonly application: string;
  /** The most connections at once. */
  readonly connections: number;
}

/** Connects when the first statement comes. The address of the database says how TLS is used (`sslmode`). */
export async function connect(
  url: string,
  { application, connections }: ConnectionOptions,
): Promise<Sql> {
  const { Pool: PoolOf, defaults } = await loaded('pg', () => import('pg'));
  // As psql does, also where the environment does not say who runs this.
  defaults.user ??= userInfo().username;
  const pool = new PoolOf({
    connectionString: url,
    application_name: application,
    max: connections,
    connectionTimeoutMillis: 10_000,
    // A host that freezes or vanishes within a transaction holds the row of the run.
    idle_in_transaction_session_timeout: 5000,
    statement_timeout: 60_000,
    query_timeout: 70_000,
    // Orders come and go faster than statistics follow. A bitmap scan for the next orders would look at all that were ended
    // since the last vacuum, each time; an index scan marks them once.
    options: '-c enable_bitmapscan=off',
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
  });
  // The pool has dropped the idle connection, and the next statement gets another one, or fails.
  pool.on('error', dropped);
  return sqlOver(pool);
}

/**
 * The queue's library over the same connections. It is not started, so it has no timers.
 * @internal The published types name no library of a database.
 */
export async function bossOver(sql: Sql): Promise<PgBoss> {
  const { PgBoss: Boss } = await loaded('pg-boss', () => import('pg-boss'));
  return new Boss({
    db: bossDb(sql),
    schema: queueSchema,
    supervise: false,
    schedule: false,
    migrate: true,
    createSchema: true,
  });
}

async function loaded<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (systemCode(error) === 'ERR_MODULE_NOT_FOUND') throw new EngineMissing(name, error);
    throw error;
  }
}

function dropped(): void {}

function sqlOver(pool: Pool): Sql {
  return {
    query: (text, values) => despiteDeadlocks(() => run(pool, text, values)),
    transaction: (work) => despiteDeadlocks(() => once(pool, work)),
    close: () => pool.end(),
  };
}

/** The server has rolled back all that was done, so it can be done again. */
async function despiteDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await orAway(work);
    } catch (error) {
      if (systemCode(error) !== deadlock || attempt === maxAttempts) throw error;
    }
  }
}

/** The server goes away, starts or recovers, is out of connections, or the connection to it was cut. */
async function orAway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isAway(error)) throw new DatabaseAway(messageOf(error), { cause: error });
    throw asRefused(error) ?? error;
  }
}

/** A name with several addresses fails with an error of its own, which has no message. */
const messageOf = (error: Error): string => error.message || (systemCode(error) ?? error.name);

function isAway(error: Error): boolean {
  const code = systemCode(error);
  if (code === undefined)
    return /terminated|timeout|Connection ended|not queryable/i.test(error.message);
  return awayCodes.has(code) || code.startsWith('08') || /^E[A-Z]+$/.test(code);
}

/** Shutdown, crash and start of the server; a transaction that was idle for too long; too many connections. */
const awayCodes: ReadonlySet<string> = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '25P03', '53300', '57014'],
]);

/** The server has rolled the transaction back, because two waited for each other. */
const deadlock = '40P01';
const maxAttempts = 5;

async function once<T>(pool: Pool, work: (within: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A client that is checked out has no listener of the pool, and an error without a listener ends the process.
  client.on('error', dropped);
  let broken = false;
  let committed = false;
  const last: Statements = {
    async query(text, values) {
      const rows = await run(client, `${withLiterals(client, text, values)}; commit`, undefined);
      committed = true;
      return rows;
    },
  };
  try {
    await client.query('begin; set local synchronous_commit = on');
    const result = await work({ query: (text, values) => run(client, text, values), last });
    if (!committed) await client.query('commit');
    return result;
  } catch (error) {
    broken = !(committed || (await rolledBack(client)));
    throw error;
  } finally {
    client.off('error', dropped);
    client.release(broken);
  }
}

/** Several statements in one message cannot have values apart from their text. */
function withLiterals(client: PoolClient, text: string, values: readonly unknown[] = []): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1];
    if (value === null) return 'null';
    if (typeof value === 'number') return `${value}`;
    if (typeof value === 'string') return client.escapeLiteral(value);
    throw new Error(`bug: a value that has no literal: ${typeof value}`);
  });
}

/** False: the connection cannot be used again. */
async function rolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

async function run(
  on: Pool | PoolClient,
  text: string,
  values: readonly unknown[] | undefined,
): Promise<readonly Row[]> {
  if (values !== undefined && values.length > 0)
    return (await on.query<Row>(text, [...values])).rows;
  const result: unknown = await on.query(text);
  return Array.isArray(result) ? result.flatMap(rowsOf) : rowsOf(result);
}

function rowsOf(result: unknown): readonly Row[] {
  if (typeof result !== 'object' || result === null || !('rows' in result)) return [];
  return Array.isArray(result.rows) ? result.rows : [];
}

// The database answers, and does not let this process in, or not do what it asks for: a matter for a person.

/** `hint`: what a person can do. */
export class DatabaseRefused extends Error {
  /** Of the server or of the connection, where there is one. */
  readonly code: string;
  readonly hint: string;

  constructor(message: string, hint: string, cause: unknown) {
    super(message, { cause });
    this.code = systemCode(cause) ?? 'DATABASE_REFUSED';
    this.hint = hint;
  }
}

/** Undefined for an error of another kind. */
function asRefused(error: Error): DatabaseRefused | undefined {
  const hint = hintFor(error);
  return hint === undefined ? undefined : new DatabaseRefused(error.message, hint, error);
}

const role = 'the address must name a role that may use the database';
const encrypt = 'the server wants TLS: add ?sslmode=verify-full to the address';
const password = 'set PGPASSWORD, or use a password file (PGPASSFILE)';

function hintFor(error: Error): string | undefined {
  const code = systemCode(error);
  if (code === '28000' && error.message.endsWith('no encryption')) return encrypt;
  if (code !== undefined)
    return hints.get(code) ?? (isOfCertificate(code) ? ofCertificate : undefined);
  if (error.message.includes('does not support SSL'))
    return 'switch TLS on at the server, or use another sslmode in the address';
  return error.message.startsWith('SASL') ? password : undefined;
}

const noTables = 'make them: shotlist engine migrate --engine <address>';

const hints: ReadonlyMap<string, string> = new Map([
  ['28000', role],
  ['28P01', `check the role in the address and its password: ${password}`],
  ['3D000', 'make the database first: createdb'],
  // The tables, or their schema, were dropped meanwhile.
  ['3F000', noTables],
  ['42P01', noTables],
  ['42501', 'grant the role what it needs: docs/engine.md, "Roles with least rights"'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'write the host into the address as the certificate names it'],
]);

const isOfCertificate = (code: string): boolean => /CERT|VERIFY_LEAF|^ERR_TLS_/.test(code);
const ofCertificate =
  'the certificate of the server was not accepted: name its authority with sslrootcert=<file> in the address';
