// The socket on which a run says how far it is: whoever connects gets one line of JSON, and nothing is read from it. The
// lock names it. Only this user can reach it, and a run goes on without one.
import { once } from 'node:events';
import { chmodSync, lstatSync } from 'node:fs';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { removeLeftover } from '../../base/leftover.ts';
import { systemCode } from '../../base/system-error.ts';
import { isLiveFacts, type LiveFacts } from '../../views/live/live-facts.ts';

export interface RunSocket {
  readonly path: string;
  close(): Promise<void>;
}

const socketName = 'run.sock';
const folderPrefix = 'shotlist-';
const folderName = /^shotlist-[\w-]{6}$/;

/** Systems allow 104 or 108, and cut off what is longer. */
const maxPathBytes = 100;
/** For a connection and its answer, in milliseconds. */
const patienceMs = 1000;
const maxReaders = 8;
const maxAnswerChars = 1 << 20;

/** Windows has no users in this sense, and so no socket. */
const ownId = process.getuid?.();

/** Undefined if no socket can be made here. */
export async function openRunSocket(
  answer: () => LiveFacts,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<RunSocket | undefined> {
  if (ownId === undefined) return undefined;
  for (const base of [env['XDG_RUNTIME_DIR'], tmpdir()]) {
    if (base === undefined || !isAbsolute(base)) continue;
    const longest = join(base, `${folderPrefix}XXXXXX`, socketName);
    if (Buffer.byteLength(longest) > maxPathBytes) continue;
    const socket = await openIn(base, answer);
    if (socket !== undefined) return socket;
  }
  return undefined;
}

async function openIn(base: string, answer: () => LiveFacts): Promise<RunSocket | undefined> {
  let path: string | undefined;
  try {
    path = join(await mkdtemp(join(base, folderPrefix)), socketName);
    const readers = new Set<Socket>();
    const server = createServer((reader) => serve(reader, readers, answer));
    await listen(server, path);
    return { path, close: () => close(server, readers) };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    if (path !== undefined) await removeSocket(path);
    return undefined;
  }
}

async function listen(server: Server, path: string): Promise<void> {
  server.maxConnections = maxReaders;
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o600);
  server.unref();
  // A reader that cannot be accepted reads the state file instead.
  server.on('error', () => undefined);
}

function serve(reader: Socket, readers: Set<Socket>, answer: () => LiveFacts): void {
  readers.add(reader);
  const patience = setTimeout(() => reader.destroy(), patienceMs);
  patience.unref();
  reader.unref();
  reader.on('close', () => {
    clearTimeout(patience);
    readers.delete(reader);
  });
  // The reader has gone away, which does not concern the run.
  reader.on('error', () => undefined);
  reader.resume();
  try {
    reader.end(`${JSON.stringify(answer())}\n`);
  } catch {
    // Whoever asks must not be able to end a run, not even by a bug: the reader reads the state file instead.
    reader.destroy();
  }
}

async function close(server: Server, readers: Set<Socket>): Promise<void> {
  const path = server.address();
  const closed = once(server, 'close');
  server.close();
  for (const reader of readers) reader.destroy();
  await closed;
  if (typeof path === 'string') await removeSocket(path);
}

/** Removes what a run left behind, and nothing that is not a socket of a run. */
export async function removeSocket(path: string): Promise<void> {
  try {
    if (!isOwnFolder(path)) return;
    if (isOwnSocket(path)) await removeLeftover(path);
    await rmdir(dirname(path));
  } catch (error) {
    // A socket that cannot be removed does no harm.
    if (systemCode(error) === undefined) throw error;
  }
}

/** A lock may come from anybody, and may name any path. */
function isOwnFolder(path: string): boolean {
  const folder = dirname(path);
  if (!isAbsolute(path) || basename(path) !== socketName || !folderName.test(basename(folder)))
    return false;
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === ownId && (stats.mode & 0o077) === 0;
}

function isOwnSocket(path: string): boolean {
  if (!isOwnFolder(path)) return false;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSocket() === true && stats.uid === ownId;
}

/** Asks the run behind a socket of this user. Undefined if nobody answers in time, or in another form. */
export async function askRun(path: string, waitMs = patienceMs): Promise<LiveFacts | undefined> {
  try {
    if (!isOwnSocket(path)) return undefined;
    const facts: unknown = JSON.parse(await readAll(path, waitMs));
    return isLiveFacts(facts) ? facts : undefined;
  } catch (error) {
    const isExpected = error instanceof SyntaxError || error instanceof NoAnswer;
    if (isExpected || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

class NoAnswer extends Error {}

async function readAll(path: string, waitMs: number): Promise<string> {
  const socket = createConnection(path);
  const patience = setTimeout(() => socket.destroy(new NoAnswer('it took too long')), waitMs);
  try {
    let text = '';
    socket.setEncoding('utf8');
    for await (const piece of socket) {
      text += piece;
      if (text.length > maxAnswerChars) throw new NoAnswer('it does not end');
    }
    return text;
  } finally {
    clearTimeout(patience);
    socket.destroy();
  }
}
