// Opens the database of an engine, and refuses one that could forget what it has promised.
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { digestOfBytes } from '../base/digest.ts';
import { scrubbed } from '../base/scrub.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { shownPath } from '../files/shown-path.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import { DatabaseAway, type Patience, retryWhileAway } from './away.ts';
import { DatabaseRefused, EngineMissing } from './database/connection.ts';
import { type EngineCondition, type EngineDatabase, openEngine } from './database/database.ts';

/** The address of a Postgres database. A password in it would be visible in the list of processes. */
export interface EngineAddress {
  readonly url: string;
  /** For people. */
  readonly shown: string;
  /** Names the database in a state file: the first 16 digits of the SHA-256 of its host, port and name. */
  readonly digest: string;
}

const example = 'such as postgres://shotlist@db.example:5432/shotlist';

export function engineAddress(text: string): EngineAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Refusal(
      refused(`--engine ${text.slice(0, 200)} is not the address of a Postgres database`),
    );
  if (url.password !== '' || url.searchParams.has('password')) {
    const hint =
      'other users of this machine can read it in the list of processes: set PGPASSWORD, or use a password file (PGPASSFILE)';
    throw new Refusal(problem('--engine: the address has a password in it', 'shotlist', hint));
  }
  const name = decodeURIComponent(url.pathname.slice(1));
  if (name === '') throw new Refusal(refused('--engine: the address names no database'));
  const host = url.hostname === '' ? (url.searchParams.get('host') ?? 'localhost') : url.hostname;
  const place = `${host}:${url.port === '' ? '5432' : url.port}/${name}`;
  return {
    url: text,
    shown: scrubbed(place),
    digest: digestOfBytes(place).slice(0, 16),
  };
}

const refused = (message: string): Problem =>
  problem(scrubbed(message), 'shotlist', `write an address ${example}`);

export interface OpenEngine extends AsyncDisposable {
  readonly database: EngineDatabase;
  readonly address: EngineAddress;
  readonly condition: EngineCondition;
}

/** What a command is about to do: `use` needs the tables, and a database that keeps its promises. */
export type EngineUse = 'use' | 'look' | 'manage';

export async function openDatabase(text: string, use: EngineUse): Promise<OpenEngine> {
  return await open(text, use, (call) => call());
}

/** The same for a process that uses the database: waits for one that cannot be reached yet. */
export async function awaitDatabase(text: string, patience: Patience): Promise<OpenEngine> {
  return await open(text, 'use', (call) => retryWhileAway(patience, call));
}

async function open(
  text: string,
  use: EngineUse,
  repeated: <T>(call: () => Promise<T>) => Promise<T>,
): Promise<OpenEngine> {
  const address = engineAddress(text);
  const { url, shown } = address;
  const unreadable = await unreadableFile(url);
  if (unreadable !== undefined) throw new Refusal(unreadable);
  const { database, condition } = await reachable(shown, async () => {
    const database = await openEngine(url, {
      application: `shotlist on ${hostname()}`,
      connections: 6,
    });
    try {
      return { database, condition: await repeated(() => database.condition()) };
    } catch (error) {
      await database.close();
      throw error;
    }
  });
  const wrong = use === 'manage' ? undefined : problemOf(condition, shown, use);
  if (wrong !== undefined) {
    await database.close();
    throw new Refusal(wrong);
  }
  return {
    database,
    condition,
    address,
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** Told apart from a database that is away, because nobody waits for a file. */
async function unreadableFile(url: string): Promise<Problem | undefined> {
  const { searchParams } = new URL(url);
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name);
    if (file === null) continue;
    try {
      await readFile(file);
    } catch (error) {
      if (!isSystemProblem(error)) throw error;
      const message = `--engine: ${name}: ${shownPath(file)} ${systemReason(error)}`;
      return problem(message, 'shotlist', 'name a file in PEM format that this user can read');
    }
  }
  return undefined;
}

/** Does what needs the database, and leaves it open for the result; without a result, closes it. */
export async function withDatabase<T>(
  text: string,
  use: EngineUse,
  work: (engine: OpenEngine) => Promise<T>,
): Promise<T> {
  const engine = await openDatabase(text, use);
  try {
    return await reachable(engine.address.shown, () => work(engine));
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
}

/** A database that cannot be reached is a problem, not a bug. */
export async function reachable<T>(shown: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EngineMissing)
      throw new Refusal(problem(error.message, 'shotlist', 'then run the command again'));
    if (error instanceof DatabaseRefused)
      throw new Refusal(
        problem(
          `the database ${shown} refused: ${scrubbed(error.message)}`,
          'shotlist',
          error.hint,
        ),
      );
    if (!(error instanceof DatabaseAway)) throw error;
    const hint = 'nothing was sent; check the address, the network and the server';
    const message = `the database ${shown} cannot be used: ${scrubbed(error.message)}`;
    throw new Refusal({ ...problem(message, 'shotlist', hint), reason: 'unreachable' });
  }
}

function problemOf(
  { tables, wanted, unsafe, changedFrom }: EngineCondition,
  shown: string,
  use: EngineUse,
): Problem | undefined {
  if (tables === undefined || tables < wanted) {
    const what = tables === undefined ? 'has no tables of shotlist' : 'has older tables';
    const hint = 'make them: shotlist engine migrate --engine <address>';
    return problem(`the database ${shown} ${what}`, 'shotlist', hint);
  }
  if (tables > wanted)
    return problem(
      `the tables in the database ${shown} are of a newer shotlist`,
      'shotlist',
      'upgrade shotlist on this host',
    );
  if (use === 'look') return undefined;
  const [unsafeSetting] = unsafe;
  if (unsafeSetting !== undefined)
    return problem(
      `the database ${shown} may lose what it has confirmed: ${unsafeSetting}`,
      'shotlist',
      'a lost record could be paid twice: change the setting, and restart the server',
    );
  if (changedFrom !== undefined)
    return problem(
      `the database ${shown} was restored or failed over since its runs were last open, so it may have lost records`,
      'shotlist',
      'compare its runs with the hub of the service (shotlist audit --engine), then: shotlist engine accept --engine <address>',
    );
  return undefined;
}
