// A real Postgres for tests and for the torture: a server of its own, from the binaries of Debian's package, with its own
// data folder and port. It ends with the process that started it, also when that process is killed. Imports nothing of
// the test runner, because the torture runs without it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { childrenOf, isRunning } from './process-tree.ts';
import { findPostgres } from './programs.ts';

export interface Postgres {
  /** The database `postgres` of the server, as its superuser. */
  readonly url: string;
  readonly port: number;
  /** Kills the server and all its processes at once, as a power failure does. */
  crash(): Promise<void>;
  /** Starts the server on the same data after a crash, and waits until it accepts connections. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** The address of a new, empty database on the server. */
  newDatabase(): Promise<string>;
}

export interface PostgresOptions {
  /** Connections need this password (SCRAM-SHA-256); default: none do. */
  readonly password?: string;
  /** The certificate of the server and its key, in PEM: connections may use TLS. Default: none can. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Settings of postgresql.conf, such as `{ max_connections: '300' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** initdb and postgres refuse to run as root; then Debian's user for them does it. */
function serverUser(): User {
  if (process.getuid?.() !== 0) return {};
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (line === null)
    throw new Error(
      'root cannot run Postgres, and there is no user postgres: apt-get install postgresql',
    );
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

/** Below the ports that systems give to outgoing connections: one of those could take the port during a crash. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const probe = createServer();
    const listening = once(probe, 'listening');
    probe.listen(port, '127.0.0.1');
    try {
      await listening;
      probe.close();
      await once(probe, 'close');
      return port;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
}

/**
 * Kills the postmaster whose number it heard last, and removes the folder, when its input ends: that is when the process
 * that started it ends in any way.
 */
const watcher = `
while read -r line; do postmaster=$line; done
if [ -n "$postmaster" ]; then
  kill -QUIT "$postmaster" 2>/dev/null
  while [ -e "$0/data/postmaster.pid" ] && kill -0 "$postmaster" 2>/dev/null; do sleep 0.1; done
fi
rm -rf "$0"`;

/** Runs one or more statements in a connection of its own, and returns the rows of the last one. */
export async function query(
  url: string,
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // An array if there are several statements.
    const results = [await client.query(text)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

let shared: Promise<Omit<Postgres, 'stop'>> | undefined;

/** The server that all test files of this process share. A test that crashes it restarts it. */
export function sharedPostgres(): Promise<Omit<Postgres, 'stop'>> {
  shared ??= startPostgres();
  return shared;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const binaries = findPostgres();
  if (binaries === undefined)
    throw new Error('there is no initdb and postgres: apt-get install postgresql');
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-pg-'));
  const watch = spawn('/bin/sh', ['-c', watcher, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watch.unref();
  if (watch.stdin instanceof Socket) watch.stdin.unref();
  const data = join(folder, 'data');
  const sockets = join(folder, 'socket');
  for (const own of [folder, data, sockets]) {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    if (user.uid !== undefined && user.gid !== undefined) chownSync(own, user.uid, user.gid);
  }
  await initialize(binaries, data, user, options.password);
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'a');
  const settings = {
    listen_addresses: '127.0.0.1',
    port: `${port}`,
    unix_socket_directories: sockets,
    shared_buffers: '16MB',
    fsync: 'on',
    ...(options.tls === undefined ? {} : tlsSettings(options.tls, data, user)),
    ...options.settings,
  };
  const secret = options.password === undefined ? '' : `:${encodeURIComponent(options.password)}`;
  const addressOf = (database: string): string =>
    `postgres://postgres${secret}@127.0.0.1:${port}/${database}`;
  const url = addressOf('postgres');
  let postmaster: ChildProcess | undefined;
  let databases = 0;

  const tell = (line: string): void => void watch.stdin.write(`${line}\n`);

  const start = async (): Promise<void> => {
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(binaries, 'postgres'), ['-D', data, ...args], {
      ...user,
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.unref();
    await once(child, 'spawn');
    tell(`${child.pid}`);
    postmaster = child;
    for (let ready = false; !ready; ) {
      ready = await accepts(url);
      // Asked last: what accepts connections could be a server that took the port first.
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`Postgres did not start:\n${readFileSync(join(folder, 'log'), 'utf8')}`);
      if (!ready) await wait(20);
    }
  };

  const end = async (kill: (pid: number) => void): Promise<void> => {
    const child = postmaster;
    if (child?.pid === undefined) return;
    postmaster = undefined;
    child.ref();
    const exited = once(child, 'exit');
    kill(child.pid);
    await exited;
    tell('');
  };

  await start();
  return {
    url,
    port,
    async crash() {
      let children: readonly number[] = [];
      await end((pid) => {
        // Stopped first, so that it starts no process between the look and the kill.
        process.kill(pid, 'SIGSTOP');
        children = childrenOf(pid);
        for (const one of [pid, ...children]) killIfThere(one);
      });
      while (children.some(isRunning)) await wait(5);
    },
    async restart() {
      if (postmaster !== undefined) throw new Error('Postgres was not crashed');
      await start();
    },
    async stop() {
      await end((pid) => process.kill(pid, 'SIGQUIT'));
      watch.stdin.end();
      watch.ref();
      if (watch.exitCode === null) await once(watch, 'exit');
    },
    async newDatabase() {
      databases += 1;
      const name = `test_${databases}`;
      await query(url, `create database ${name}`);
      return addressOf(name);
    },
  };
}

function tlsSettings(
  { cert, key }: NonNullable<PostgresOptions['tls']>,
  data: string,
  user: User,
): Readonly<Record<string, string>> {
  writeOwned(join(data, 'server.crt'), cert, user);
  writeOwned(join(data, 'server.key'), key, user);
  return { ssl: 'on' };
}

/** A file that only the server reads. */
function writeOwned(file: string, content: string, { uid, gid }: User): void {
  writeFileSync(file, content, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
}

/** Its files are not synced: a test that loses the machine does not go on. The server syncs. */
async function initialize(
  binaries: string,
  data: string,
  user: User,
  password: string | undefined,
): Promise<void> {
  const secret = `${data}.password`;
  const passwordArgs =
    password === undefined ? ['--auth=trust'] : ['--auth=scram-sha-256', `--pwfile=${secret}`];
  if (password !== undefined) writeOwned(secret, password, user);
  const args = [
    '-D',
    data,
    '-U',
    'postgres',
    '--locale=C',
    '--encoding=UTF8',
    '--no-sync',
    ...passwordArgs,
  ];
  await promisify(execFile)(join(binaries, 'initdb'), args, { ...user, cwd: data });
  rmSync(secret, { force: true });
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function accepts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  // A server that ends while it starts breaks the connection; `connect` says so, too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      ['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(`${error.code}`)
    )
      return false;
    throw error;
  }
}
