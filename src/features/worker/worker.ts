// `worker`: moves the bytes of the runs of a pipeline that other machines coordinate. It needs no API key, and never gets one.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Cleanup } from '../../base/cleanup.ts';
import { Redactor } from '../../base/redactor.ts';
import type { Env } from '../../base/user-folder.ts';
import { realClock } from '../../core/clock.ts';
import type { Clock } from '../../core/ports.ts';
import { DatabaseAway, retryWhileAway } from '../../distributed/connection.ts';
import { EngineDatabase, type EngineRun, reachable } from '../../distributed/database.ts';
import { workerSecret } from '../../distributed/errand.ts';
import { type Ground, isShared, wordOf } from '../../distributed/hand.ts';
import { Worker } from '../../distributed/worker.ts';
import { boundaryOf, checkOutput, type OutsideOptions } from '../../files/boundary.ts';
import { RealDisk } from '../../files/disk.ts';
import { HashCache } from '../../files/hash-cache.ts';
import { type BoundPipeline, boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { Refusal } from '../../language/load/refusal.ts';
import { secretsIn } from '../../service-api/secrets.ts';
import { realNetwork, StorageAddresses } from '../../service-api/storage-address.ts';
import { type StorageClient, storageClient } from '../../service-api/storage-client.ts';
import { pathsOf } from '../../state/run-paths.ts';
import { checkStore, chooseStore, openStore } from '../../stores/open-store.ts';
import { addressOf } from '../engine-address.ts';

export interface WorkerOptions extends OutsideOptions {
  /** `--engine`: the address of the database, without a password. */
  readonly engine: string;
  /** `--places`: how many files are moved at once; default 16. */
  readonly places?: number | undefined;
  /** `--once`: end with the first run. */
  readonly once?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Env;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** If it is aborted, nothing more is begun, and what is begun is completed. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: (event: WorkerEvent) => void;
}

export type WorkerEvent =
  | { readonly type: 'waiting'; readonly pipeline: string; readonly database: string }
  | {
      readonly type: 'serving';
      readonly run: string;
      readonly service: string;
      readonly worker: string;
    }
  /** Whether its output folder is the one of the run. If it is not, or not yet, results can only go to the store. */
  | { readonly type: 'folder'; readonly isShared: boolean }
  /** What is wrong here; null: nothing any more. */
  | { readonly type: 'note'; readonly note: string | null }
  | { readonly type: 'served'; readonly run: string };

const lookMs = 1_000;

/**
 * Works until `signal` is aborted, or, with `once`, until a run is over. Returns the number of runs.
 *
 * @example
 * ```ts
 * import { loadPipeline, worker } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const runs = await worker(pipeline, {
 *   engine: 'postgres://shotlist@db.example/shotlist',
 *   once: true,
 *   onEvent: (event) => console.log(event.type),
 * });
 * console.log(runs, 'runs');
 * ```
 */
export async function worker(loaded: LoadedPipeline, options: WorkerOptions): Promise<number> {
  const { env = process.env, clock = realClock, places = 16, onEvent = () => undefined } = options;
  const leave = options.signal ?? new AbortController().signal;
  const bound = boundPipeline(loaded);
  const secret = workerSecret(env);
  const address = await addressOf(options.engine);
  await using cleanup = new Cleanup();
  const ground = await openGround(bound, options, { env, clock, secret }, cleanup);
  const database = await EngineDatabase.open(address, 2);
  cleanup.defer(() => database.close());
  const name = `${hostname()}:${process.pid}:${randomBytes(3).toString('hex')}`;
  const patiently = <T>(call: () => Promise<T>): Promise<T> =>
    retryWhileAway({ clock, quit: leave }, call);
  const find = () => openRun(database, bound.name, ground.output);
  let runs = 0;
  let isTold = false;
  const serve = async (): Promise<void> => {
    // A database that cannot be reached at first is a mistake in the address, for most.
    for (let run = await find(); !leave.aborted; run = await patiently(find)) {
      if (run === undefined) {
        const { shown } = address;
        if (!isTold) onEvent({ type: 'waiting', pipeline: bound.name, database: shown });
        isTold = true;
        await clock.sleep(lookMs, leave);
        continue;
      }
      isTold = false;
      const self = { name, host: hostname(), places, clock, secret, leave };
      const onNote = (note: string | undefined) => onEvent({ type: 'note', note: note ?? null });
      const onFolder = (isOurs: boolean) => onEvent({ type: 'folder', isShared: isOurs });
      const parts = { ...ground, ...self, sql: database.sql, run, onNote, onFolder };
      const one = await patiently(() => Worker.open(parts));
      const { service, run: id } = run;
      onEvent({ type: 'serving', run: id, service, worker: name });
      await one.run();
      runs += 1;
      onEvent({ type: 'served', run: id });
      if (options.once === true) return;
    }
  };
  await reachable(address, async () => {
    try {
      await serve();
    } catch (error) {
      // What was begun is done again.
      if (!(error instanceof DatabaseAway) || !leave.aborted) throw error;
    }
  });
  return runs;
}

interface Process {
  readonly env: Env;
  readonly clock: Clock;
  readonly secret: string;
}

/** The folder, the store and the client of storage, as a run here would have them, but for the key. */
async function openGround(
  bound: BoundPipeline,
  options: WorkerOptions,
  { env, clock, secret }: Process,
  cleanup: Cleanup,
): Promise<Ground> {
  const refused = checkOutput(bound, options);
  if (refused !== undefined) throw new Refusal(refused);
  const target = { kind: 'hosted', address: '', key: '' } as const;
  const paths = pathsOf(bound, target, options);
  const choice = chooseStore(bound, { target, env, paths, ...options });
  const opened = choice && (await openStore(choice, new AbortController().signal));
  if (opened !== undefined) {
    cleanup.defer(() => opened[Symbol.asyncDispose]());
    await checkStore(opened.store);
  }
  const { output, kept } = paths;
  const { folder } = bound;
  const boundary = boundaryOf(bound, options);
  const hashes = new HashCache(undefined);
  cleanup.defer(() => hashes.close());
  const store = opened?.store;
  const disk = new RealDisk({ folder, output, kept, boundary, hashes, clock, store: store?.id });
  await disk.sweep();
  const redactor = new Redactor([...secretsIn(env), secret]);
  const clients = new Map<string, StorageClient>();
  const apiOf = (base: string): StorageClient => {
    const addresses = new StorageAddresses({ base, network: realNetwork, loopbackOnly: false });
    const client = clients.get(base) ?? storageClient(addresses, { redactor });
    clients.set(base, client);
    return client;
  };
  cleanup.defer(() => Promise.all([...clients.values()].map((client) => client.close())));
  return { disk, output, store, apiOf };
}

/** The run whose folder this is; else one that goes on. */
async function openRun(
  database: EngineDatabase,
  pipeline: string,
  output: string,
): Promise<EngineRun | undefined> {
  if (!(await database.hasTables())) return undefined;
  const runs = (await database.runs(pipeline)).filter(({ coordinator }) => coordinator !== null);
  return runs.find((run) => isShared(output, wordOf(run))) ?? runs.find(({ isHeld }) => isHeld);
}
