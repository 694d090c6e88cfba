// A worker's part of one run: what the pipeline file on this host says, a client with this host's key, and the loop that
// performs orders.
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Cleanup } from '../base/cleanup.ts';
import { Redactor } from '../base/redactor.ts';
import type { Env } from '../base/user-folder.ts';
import { boundaryOf, checkOutput, folderRefusal } from '../files/boundary.ts';
import { RealDisk } from '../files/disk.ts';
import { HashCache } from '../files/hash-cache.ts';
import { toCel } from '../language/expression.ts';
import { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { parsePipeline } from '../language/load/parse.ts';
import { problem, Refusal } from '../language/load/refusal.ts';
import { storeNameOf } from '../language/store.ts';
import { LookSchedule } from '../plan/look-schedule.ts';
import { LookBudget } from '../run/jobs/looks.ts';
import { Outages } from '../run/jobs/outages.ts';
import type { Clock, MediaApi } from '../run/jobs/ports.ts';
import { ProjectIds } from '../run/jobs/project-ids.ts';
import type { RunEvent } from '../run/run-event.ts';
import { type ClientOptions, httpClient } from '../service-api/http-client.ts';
import { requestRates } from '../service-api/request-rate.ts';
import { secretsIn } from '../service-api/secrets.ts';
import { chooseTarget, type TargetOptions } from '../service-api/target.ts';
import { pathsOf } from '../state/run-paths.ts';
import { chooseStore, openStore } from '../stores/open-store.ts';
import { DatabaseAway, type Patience, retryWhileAway, unlessAway } from './away.ts';
import { Batches } from './batches.ts';
import type { Fact } from './database/batch.ts';
import type { EngineDatabase, EngineRun } from './database/database.ts';
import type { WorkerStore } from './database/worker-store.ts';
import { readGuarded } from './order-guard.ts';
import { Promptness } from './promptness.ts';
import { markOf } from './shared-folder.ts';
import { readTerms } from './terms.ts';
import { Worker, type WorkerEnd } from './worker.ts';

// Turns under a request rate that all workers of a run share: the database hands them out, several at a time.

interface SharedPaceOptions extends Patience {
  readonly orderStore: Pick<WorkerStore, 'turns'>;
  readonly clock: Clock;
  readonly perMinute: number | undefined;
  /** If it is aborted, all waits end. */
  readonly stop: AbortSignal;
}

const maxTurns = 500;

/** Waits until a request may be sent. */
export function sharedPace(options: SharedPaceOptions): () => Promise<void> {
  const { orderStore, clock, perMinute, stop } = options;
  if (perMinute === undefined) return async () => undefined;
  const waiting = new Batches<PromiseWithResolvers<number>>(maxTurns, async () => {
    const batch = waiting.take();
    try {
      const turns = await retryWhileAway(options, () => orderStore.turns(batch.length, perMinute));
      for (const [index, one] of batch.entries()) one.resolve(turns[index] ?? 0);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  });
  return async () => {
    if (stop.aborted) return;
    const turn = Promise.withResolvers<number>();
    waiting.add(turn);
    const ms = await turn.promise;
    if (ms > 0) await clock.sleep(ms, stop);
  };
}

export interface ServeOptions extends TargetOptions {
  readonly root: string;
  readonly places: number;
  /** Unique to the process. */
  readonly worker: string;
  readonly allowOutside?: boolean | undefined;
  readonly env: Env;
  readonly clock: Clock;
  /** Aborted: nothing more is begun. */
  readonly leave: AbortSignal;
  /** Aborted: requests that are under way are cut, and the database is not waited for any more. */
  readonly quit: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
  /** The database has gone away, because of `why`; undefined: it is back. */
  readonly onDatabase: (why: string | undefined) => void;
  readonly client?: Partial<ClientOptions> | undefined;
  readonly api?: ((api: MediaApi) => MediaApi) | undefined;
}

export async function serveRun(
  database: EngineDatabase,
  run: EngineRun,
  options: ServeOptions,
): Promise<WorkerEnd> {
  const { bound, terms, address, key, paths, store: choice } = prepareWorker(run, options);
  const { clock, env, worker, places, leave, quit, onEvent } = options;
  await using cleanup = new Cleanup();
  const orderStore = watchedStore(
    database.worker(run.terms.run, { worker, host: hostname(), places }),
    options.onDatabase,
  );
  const opened = choice === undefined ? undefined : await openStore(choice, quit);
  if (opened !== undefined) cleanup.defer(() => opened[Symbol.asyncDispose]());
  const redactor = new Redactor(secretsIn(env));
  const promptness = new Promptness(clock);
  const patience = { clock, quit };
  const { requestsPerMinute, outageMs } = bound.pipeline.limits;
  const { backoffMs, speedFactor } = terms;
  const limit = sharedPace({ ...patience, orderStore, perMinute: requestsPerMinute, stop: quit });
  const rates = requestRates({ clock, stop: quit, pace: limit, backoffMs });
  const pace = (): Promise<void> => rates.creations.turn();
  const client = httpClient({
    base: address,
    key,
    redactor,
    clock,
    stop: quit,
    cut: quit,
    rates,
    mayStart: (name) => promptness.mayStart(name),
    ...options.client,
  });
  cleanup.defer(() => client.close());
  const api = withSlowDown(options.api?.(client) ?? client, orderStore);
  const outages = new Outages({
    api,
    address,
    clock,
    stop: quit,
    backoffMs,
    limitMs: outageMs,
    onEvent(event) {
      onEvent(event);
      loop.tell(event);
    },
  });
  const cache = new HashCache(undefined);
  cleanup.defer(() => cache.close());
  const boundary = boundaryOf(bound, options);
  const disk = new RealDisk({
    folder: bound.folder,
    output: paths.output,
    kept: paths.kept,
    hashes: cache,
    clock,
    boundary,
    store: storeNameOf(bound.pipeline),
    mark: markOf(run.terms.run),
  });
  const projects = new ProjectIds();
  const shared = {
    api: outages.api,
    outages,
    projects,
    disk,
    clock,
    pace,
    backoffMs,
    lookSchedule: new LookSchedule({ speedFactor }),
    looks: new LookBudget(clock, speedFactor),
    store: opened?.store,
  };
  const loop = new Worker({
    ...patience,
    orderStore,
    worker,
    places,
    promptness,
    leave,
    contextFor: ({ id, retry }, attention, stop) => ({
      ...shared,
      attention,
      stop,
      lease: `${id}/${retry}`,
    }),
    read: (value) =>
      readGuarded(value, { folder: bound.folder, boundary, pipeline: bound.pipeline }),
    onLost: (fact) => {
      const message = lostText(fact);
      if (message !== undefined) onEvent({ type: 'warning', message });
    },
  });
  return await loop.run();
}

/** What the database says counts only where this host agrees: its own pipeline file, key, consents and folders. */
function prepareWorker({ terms: run }: EngineRun, options: ServeOptions) {
  const { root, env, allowOutside } = options;
  const terms = readTerms(run.options);
  if (!terms.ok) {
    const hint = 'use the same version of shotlist on every host';
    throw new Refusal(
      problem(`the terms of the run cannot be read: ${terms.error}`, 'shotlist', hint),
    );
  }
  const { profile, digest, output } = terms.value;
  const file = join(root, basename(run.file));
  const parsed = parsePipeline(file, profile);
  if (parsed.digest !== digest)
    throw new Refusal(
      problem(
        `${file} is not the pipeline file that the coordinator runs: its content differs`,
        'shotlist',
        'give every host the same files, then start the worker again',
      ),
    );
  const bound: BoundPipeline = new BoundPipeline(parsed, {
    folder: resolve(root),
    named: [],
    base: nothing,
    otherProfiles: async () => [],
    again: () => bound,
  });
  const target = chooseTarget({ ...options, hosted: true }, bound, env);
  if (target.kind !== 'hosted') throw new Error('bug: a worker has no rehearsals');
  const { address, key } = target;
  if (address !== run.service)
    throw new Refusal(
      problem(
        `this worker uses the service ${address}, and the run uses ${run.service}`,
        'shotlist',
        'nothing was sent: give the address of the run with --service, if you trust it with your key',
      ),
    );
  const place = resolve(root, output);
  const refused = checkOutput(bound, { allowOutside });
  const outside = folderRefusal(bound, place, { allowOutside });
  if (refused !== undefined) throw new Refusal(refused);
  if (outside !== undefined)
    throw new Refusal(
      problem(`the output folder ${place} ${outside.why}`, 'shotlist', outside.hint),
    );
  const paths = pathsOf(bound, target, { output: place });
  const store = chooseStore(bound, { target, env, paths, allowOutside });
  return { bound, terms: terms.value, address, key, paths, store };
}

/** A person who resolves the doubt needs the project. */
function lostText(fact: Fact): string | undefined {
  if (fact.is !== 'event' || fact.event.event !== 'created') return undefined;
  const { project } = fact.event;
  return (
    `the service created project ${project} for ${JSON.stringify(fact.name ?? fact.key)}, and that could not be recorded: ` +
    'if the task is in doubt, resolve it with this project'
  );
}

/** Orders have the values of expressions already. */
const nothing = { inputs: toCel({}), env: {} };

/** When the service asks one worker to slow down, all of them do. */
function withSlowDown(api: MediaApi, orderStore: WorkerStore): MediaApi {
  return {
    ...api,
    async create(tool, body, known) {
      const made = await api.create(tool, body, known);
      if (made.ok || made.error.reason !== 'throttled') return made;
      const { retryAfterMs = 1_000 } = made.error;
      // While the database is away, nobody claims anyway.
      await unlessAway(() => orderStore.slowDown(retryAfterMs));
      return made;
    },
  };
}

// Reports what a worker reads from its order store and writes to it, and changes none of it.

function watchedStore(
  orderStore: WorkerStore,
  onDatabase: ServeOptions['onDatabase'],
): WorkerStore {
  let isAway = false;
  const tell = (why: string | undefined): void => {
    const now = why !== undefined;
    if (now !== isAway) onDatabase(why);
    isAway = now;
  };
  const seen = async <T>(call: Promise<T>): Promise<T> => {
    try {
      const answer = await call;
      tell(undefined);
      return answer;
    } catch (error) {
      if (error instanceof DatabaseAway) tell(error.message);
      throw error;
    }
  };
  return {
    fetch: (most) => seen(orderStore.fetch(most)),
    turns: (count, perMinute) => seen(orderStore.turns(count, perMinute)),
    slowDown: (ms) => seen(orderStore.slowDown(ms)),
    commit: (batch) => seen(orderStore.commit(batch)),
    beat: (leases, busy) => seen(orderStore.beat(leases, busy)),
  };
}
