// A run with hands: its folder, the storage of a service, a database, and workers as processes of their own.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { makeFolder } from '../../src/base/folder.ts';
import { realClock } from '../../src/core/clock.ts';
import { LocalHands } from '../../src/core/hands.ts';
import type { Spot } from '../../src/core/ports.ts';
import type { EngineDatabase, Term } from '../../src/distributed/database.ts';
import { wordFile, wordOf } from '../../src/distributed/hand.ts';
import { RemoteHands, type RemoteHandsParts } from '../../src/distributed/remote-hands.ts';
import type { WorkerEvent } from '../../src/features/worker/worker.ts';
import { Boundary } from '../../src/files/boundary.ts';
import { RealDisk } from '../../src/files/disk.ts';
import { HashCache } from '../../src/files/hash-cache.ts';
import { storeName } from '../../src/language/store.ts';
import { realNetwork, StorageAddresses } from '../../src/service-api/storage-address.ts';
import { storageClient } from '../../src/service-api/storage-client.ts';
import { FolderStore } from '../../src/stores/folder.ts';
import { Rig } from '../rig.ts';
import { acquired, openEngine } from './engine.ts';

export const secret = 'a secret of at least 32 characters';

const pipeline = (store: string | undefined): string => `pipeline: p
output: out
${store === undefined ? '' : `outputs: { store: ${JSON.stringify(store)} }\n`}\
steps:
  make: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: a hat } } }
  save: { uses: download, with: { of: make, to: a.png } }
`;

export interface Storage {
  readonly address: string;
  /** What is there, by path; null: it never answers; a number: a status. */
  readonly files: Map<string, Buffer | number | null>;
  /** What was sent there. */
  readonly sent: Map<string, Buffer>;
  /** The paths that were asked for. */
  readonly asked: string[];
  /** Answers who waits for a path. */
  release(path: string, content: Buffer): void;
}

export async function storage(): Promise<Storage> {
  const files = new Map<string, Buffer | number | null>();
  const sent = new Map<string, Buffer>();
  const asked: string[] = [];
  const waiting: { readonly path: string; readonly response: ServerResponse }[] = [];
  const answer = (response: ServerResponse, content: Buffer | number): void => {
    response.statusCode = typeof content === 'number' ? content : 200;
    response.setHeader('content-type', 'image/png');
    response.end(typeof content === 'number' ? '' : content);
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (request.method === 'PUT') {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      sent.set(path, Buffer.concat(pieces));
      return void response.end();
    }
    const file = files.get(path) ?? (files.has(path) ? null : 404);
    if (file === null) return void waiting.push({ path, response });
    answer(response, file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const release: Storage['release'] = (path, content) => {
    files.set(path, content);
    for (const one of waiting) if (one.path === path) answer(one.response, content);
  };
  return { address: `http://127.0.0.1:${port}`, files, sent, asked, release };
}

export interface Site {
  readonly rig: Rig;
  readonly database: EngineDatabase;
  readonly term: Term;
  readonly storage: Storage;
  readonly hands: RemoteHands;
  /** What the coordinator said. */
  readonly notes: string[];
  /** What the record says about the place that the next results go to. */
  readonly replaces: string[];
}

export const spotOf = (to: string): Spot => ({
  to,
  index: 0,
  count: 1,
  isKept: false,
  work: digestOf({ to }),
});

export interface SiteOptions extends Partial<RemoteHandsParts> {
  /** `outputs.store`: a folder. */
  readonly store?: string;
}

export async function site({ store, ...options }: SiteOptions = {}): Promise<Site> {
  const rig = new Rig(pipeline(store));
  const database = await openEngine();
  const term = await acquired(database);
  const there = await storage();
  const notes: string[] = [];
  const replaces: string[] = [];
  const output = rig.path('out');
  makeFolder(output);
  writeFileSync(join(output, wordFile), wordOf(term));
  const boundary = new Boundary({ repository: rig.folder, allowOutside: false, named: [] });
  const disk = new RealDisk({
    folder: rig.folder,
    output,
    kept: rig.path('.shotlist/kept'),
    boundary,
    hashes: new HashCache(undefined),
    clock: realClock,
    store: store && storeName(store),
  });
  const addresses = new StorageAddresses({
    base: there.address,
    network: realNetwork,
    loopbackOnly: false,
  });
  const cut = new AbortController().signal;
  const stored =
    store === undefined ? undefined : new FolderStore({ id: storeName(store), folder: store, cut });
  const hands = new RemoteHands({
    sql: database.sql,
    term: { ...term, word: wordOf(term) },
    secret,
    service: there.address,
    local: new LocalHands({ api: storageClient(addresses, {}), disk, store: stored }),
    disk,
    needsFiles: false,
    replaces: () => replaces,
    clock: realClock,
    signal: cut,
    cut,
    onNote: (note) => notes.push(note),
    ...options,
  });
  onTestFinished(() => hands.close());
  return { rig, database, term, storage: there, hands, notes, replaces };
}

export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly events: WorkerEvent[];
  /** Resolves with the first event of this type. */
  /** Asks it to stop; resolves with its exit code. */
  stop(): Promise<number | null>;
  event<Type extends WorkerEvent['type']>(
    type: Type,
  ): Promise<Extract<WorkerEvent, { type: Type }>>;
}

/** A worker in a folder; default: the folder of the run. */
export function startWorker(
  { rig, database }: Site,
  {
    from = rig,
    args = [],
    env = {},
  }: { from?: Rig; args?: readonly string[]; env?: Record<string, string> } = {},
): WorkerProcess {
  const child = from.start(
    ['worker', 'pipeline.yaml', '--engine', database.address.url, '--json', ...args],
    { SHOTLIST_WORKER_SECRET: secret, ...env },
  );
  child.stderr?.pipe(process.stderr);
  const events: WorkerEvent[] = [];
  const waiting = new Set<(event: WorkerEvent) => void>();
  if (child.stdout === null) throw new Error('it has no output');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as WorkerEvent;
    events.push(event);
    for (const tell of waiting) tell(event);
  });
  const event: WorkerProcess['event'] = (type) =>
    new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error(`it ended: ${JSON.stringify(events)}`)));
      const tell = (one: WorkerEvent): void => {
        if (one.type === type) resolve(one as Extract<WorkerEvent, { type: typeof type }>);
      };
      events.forEach(tell);
      waiting.add(tell);
    });
  const stop = async (): Promise<number | null> => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    return child.exitCode;
  };
  return { child, events, event, stop };
}
