// A real Postgres for tests and for the torture: a server of its own, from the programs of Debian's package, with its own
// data folder and port. It ends with the process that started it, also when that process is killed. Imports nothing of
// the test runner, because the torture runs without it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
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
  /** Kills the server and all its processes at once, as a power failure does. */
  crash(): Promise<void>;
  /** Starts the server on the same data after a crash, and waits until it accepts connections. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** The address of a new, empty database on the server, or of a copy of one. */
  newDatabase(copyOf?: string): Promise<string>;
}

/** initdb and postgres refuse to run as root; then Debian's user for them does it. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  if (line === null) throw new Error('root cannot run Postgres, and there is no user postgres');
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

/** `settings`: of postgresql.conf, such as `{ fsync: 'off' }`. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<Postgres> {
  const programs = findPostgres();
  if (programs === undefined)
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
  // Not synced: a test that loses the machine does not go on. The server syncs.
  const initArgs = '-U postgres --locale=C --encoding=UTF8 --auth=trust --no-sync'.split(' ');
  await promisify(execFile)(join(programs, 'initdb'), ['-D', data, ...initArgs], {
    ...user,
    cwd: data,
  });
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'a');
  const all = {
    listen_addresses: '127.0.0.1',
    port: `${port}`,
    unix_socket_directories: sockets,
    shared_buffers: '16MB',
    ...settings,
  };
  const addressOf = (database: string): string =>
    `postgres://postgres@127.0.0.1:${port}/${database}`;
  const url = addressOf('postgres');
  let postmaster: ChildProcess | undefined;
  let databases = 0;

  const start = async (): Promise<void> => {
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(programs, 'postgres'), ['-D', data, ...args], {
      ...user,
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.unref();
    await once(child, 'spawn');
    watch.stdin.write(`${child.pid}\n`);
    postmaster = child;
    for (let isReady = false; !isReady; ) {
      isReady = await accepts(url);
      // Asked last: what accepts connections could be a server that took the port first.
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`Postgres did not start:\n${readFileSync(join(folder, 'log'), 'utf8')}`);
      if (!isReady) await wait(20);
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
    watch.stdin.write('\n');
  };

  await start();
  return {
    url,
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
    async newDatabase(copyOf) {
      databases += 1;
      const name = `test_${databases}`;
      const template = copyOf === undefined ? 'template1' : new URL(copyOf).pathname.slice(1);
      // What is connected keeps a database from being copied.
      if (copyOf !== undefined)
        await query(
          url,
          `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${template}'`,
        );
      await query(url, `create database ${name} template ${template}`);
      return addressOf(name);
    },
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function accepts(url: string): Promise<boolean> {
  try {
    await query(url, 'select 1');
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? `${error.code}` : '';
    if (['ECONNREFUSED', 'ECONNRESET', '57P03'].includes(code)) return false;
    throw error;
  }
}
