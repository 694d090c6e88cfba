// Runs the real command in a process of its own, or in one that other commands of the test file run in as well.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { CommandLine } from './command-host.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The end of a process, with all that it printed. */
export async function ended(child: ChildProcess): Promise<Ended> {
  const output = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const [code]: readonly (number | null)[] = await once(child, 'close');
  const [stdout, stderr] = await output;
  return { code: code ?? null, stdout, stderr };
}

/** The environment of the tests, without the developer's own key and service, and without annotations for a CI that runs the tests. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const {
    SHOTLIST_API_KEY: _key,
    SHOTLIST_API_KEY_FILE: _file,
    SHOTLIST_BASE_URL: _address,
    GITHUB_ACTIONS: _actions,
    ...environment
  } = process.env;
  return environment;
}

const hostFile = fileURLToPath(new URL('command-host.ts', import.meta.url));

/** Processes that wait for a command; they end with the process that started them. */
const idle = new Set<ChildProcess>();

function startHost(): ChildProcess {
  const { NODE_OPTIONS: _, HOST_IMPORT: loaded, ...env } = process.env;
  // What notes the sources that commands execute (mutation/reach-host.ts).
  const execArgv = loaded === undefined ? [] : ['--import', loaded];
  const host = fork(hostFile, { env, execArgv, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  return host.once('exit', () => void idle.delete(host));
}

/** Ends as soon as the command would have ended in a process of its own. */
export async function runCommand(line: Omit<CommandLine, 'end'>): Promise<Ended> {
  const [host = startHost()] = idle;
  idle.delete(host);
  let done = false;
  onTestFinished(() => {
    if (!done) host.kill('SIGKILL');
  });
  const end = `\0${randomUUID()}`;
  const output = Promise.all([textOf(host.stdout, end), textOf(host.stderr, end)]);
  const given = new AbortController();
  const { signal } = given;
  const ways = [once(host, 'message', { signal }), once(host, 'exit', { signal })];
  host.send({ ...line, end } satisfies CommandLine);
  try {
    const [code]: readonly (number | null)[] = await Promise.race(ways);
    const [stdout, stderr] = await output;
    done = true;
    if (host.exitCode === null && host.signalCode === null) idle.add(host);
    return { code: code ?? null, stdout, stderr };
  } finally {
    given.abort();
    await Promise.allSettled(ways);
  }
}

/** What a stream says until its end, or until it has said `end`. */
function textOf(stream: Readable | null, end?: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  if (stream === null) return Promise.resolve('');
  let text = '';
  const finish = (): void => {
    stream.off('data', hear).off('close', finish);
    resolve(text);
  };
  const hear = (chunk: string): void => {
    text += chunk;
    if (end === undefined || !text.endsWith(end)) return;
    text = text.slice(0, -end.length);
    finish();
  };
  stream.setEncoding('utf8').on('data', hear).on('close', finish);
  return promise;
}
