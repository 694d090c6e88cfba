// Opens a state file: checks that it is shotlist's own, that no other process works on it, and that it belongs to this
// pipeline.

import { statSync } from 'node:fs';
import { Cleanup } from '../base/cleanup.ts';
import type { JsonObject } from '../base/json.ts';
import { shellWord, shotlistLine } from '../base/shell.ts';
import type { Env } from '../base/user-folder.ts';
import { type CoordinateContext, coordinate, unread } from '../distributed/coordinate.ts';
import type { EngineSession } from '../distributed/coordinator.ts';
import type { RunStore } from '../distributed/database/coordinator-store.ts';
import type { EngineRun } from '../distributed/database/database.ts';
import { loadLedgerOnDisk } from '../distributed/load-ledger.ts';
import { awayProblem } from '../distributed/move-state.ts';
import { type OpenEngine, withDatabase } from '../distributed/open-database.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { Refusal, stateProblem } from '../language/load/refusal.ts';
import { memoryStore } from '../model/job-store.ts';
import type { Header } from '../model/line.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { diskStore } from '../state/job-store.ts';
import { type Holder, holderOf } from '../state/live.ts';
import { type Loaded, loadState } from '../state/load-state.ts';
import { type LocateOptions, lineAbout } from '../state/locate-state.ts';
import { isHeld, type Lock } from '../state/lock.ts';
import { type Access, lockState, type StateContext, strangerTo } from '../state/lock-state.ts';
import type { StateRecord } from '../state/record-in-place.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { unsavedProblem } from '../state/unsaved-state.ts';
import type { RunInternals } from './internals.ts';
import { checkRecord, type RecordCheck, unchecked } from './record-check.ts';
import { refuse, refuseIf } from './refuse.ts';

/** For a command about an existing state file. */
export interface ReadOptions extends LocateOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with warnings for the user. */
  readonly onWarning?: (message: string) => void;
}

interface OpenContext extends StateContext {
  readonly service?: string;
  /** For a distributed run: what its workers must know. */
  readonly terms?: JsonObject;
  /** If it is aborted, a wait for another coordinator ends with its reason as the error. */
  readonly stop?: AbortSignal | undefined;
  /** Says where the receipts and git are. Undefined: the file is not compared with them. */
  readonly env: Env | undefined;
  readonly internals?: RunInternals | undefined;
}

export interface OpenState extends AsyncDisposable {
  /** As given; without `hashes` if a plan cannot keep any. */
  readonly paths: RunPaths;
  readonly state: Loaded;
  /** With `read` only: the process that is using the file. */
  readonly running: Holder | undefined;
  /** Undefined where nothing is locked. */
  readonly lock?: Pick<Lock, 'isStill'> | undefined;
  /** What git's HEAD and the receipts know that the file lacks. */
  readonly check: RecordCheck;
  /** The run in a database that has the record. */
  readonly engine?: OpenEngineRun | undefined;
}

export async function openState(
  bound: BoundPipeline,
  paths: RunPaths,
  access: Access,
  { service, terms = {}, stop, env, internals, ...context }: OpenContext,
): Promise<OpenState> {
  if (paths.engine !== undefined)
    return await openEngineState(bound, paths, paths.engine, access, { ...context, terms, stop });
  if (internals?.record !== undefined) return await openRecord(bound, paths, internals.record);
  await using cleanup = new Cleanup();
  const locked = await lockState(paths, access, context);
  cleanup.defer(() => locked[Symbol.asyncDispose]());
  // Asked before the file is read: if the run ends meanwhile, nothing in the file looks unfinished.
  const running = access === 'read' ? holderOf(paths) : undefined;
  const unsaved = unsavedProblem(paths.state);
  if (access !== 'read') refuseIf(unsaved);
  for (const { message } of unsaved?.diagnostics ?? []) context.onWarning(message);
  const disk = access === 'read' && isModest(paths.state) ? undefined : diskStore();
  cleanup.defer(() => disk?.close());
  const loaded = await loadState(paths.state, disk ?? memoryStore());
  if (!loaded.ok)
    throw new Refusal(stateProblem(loaded.error, paths.state, lineAbout(bound, paths, 'repair')));
  const { header, warnings } = loaded.value;
  refuseIf(header && strangerTo(header, paths.state, bound.name, service));
  if (header?.away !== undefined) {
    const away = awayProblem(paths.state, header.away);
    if (access === 'run' || access === 'edit') refuseIf(away);
    for (const { message } of away.diagnostics) context.onWarning(message);
  }
  // A run that is writing may be in the middle of its last line.
  if (running === undefined) warnings.forEach(context.onWarning);
  const { clock, onWarning } = context;
  // A plan or a run asks the receipts itself, and says what is wrong with them.
  const asks = access === 'plan' || access === 'run';
  const isQuiet = env === undefined || header?.away !== undefined || running !== undefined;
  const check = isQuiet
    ? unchecked
    : await checkRecord(
        {
          bound,
          paths,
          state: loaded.value,
          env,
          now: () => clock.now(),
          onWarning: asks ? () => undefined : onWarning,
        },
        lineAbout(bound, paths, 'repair'),
        async () => access === 'plan' && isHeld(paths.lock),
      );
  check.notices.forEach(onWarning);
  const opened = cleanup.move();
  return {
    paths: locked.paths,
    lock: locked.lock,
    state: loaded.value,
    running,
    check,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function openRecord(
  bound: BoundPipeline,
  paths: RunPaths,
  record: StateRecord,
): Promise<OpenState> {
  const loaded = await loadState(paths.state, memoryStore(), record.text());
  if (!loaded.ok)
    throw new Refusal(stateProblem(loaded.error, paths.state, lineAbout(bound, paths, 'repair')));
  return {
    paths: { ...paths, hashes: undefined },
    state: loaded.value,
    running: undefined,
    check: unchecked,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** In bytes: 100,000 items have about 40 MB. */
const modestBytes = 1 << 26;

/** A command that only reads goes through all jobs several times: in memory, that takes a third of the time. */
const isModest = (file: string): boolean =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= modestBytes;

/** For commands that need a state file. */
export function headerOf({ state, paths }: OpenState, bound: BoundPipeline): Header {
  if (state.header !== undefined) return state.header;
  const hint = `${lineAbout(bound, paths, 'run')} creates it`;
  refuse(`there is no state file yet: ${paths.state}`, hint, bound.file);
}

// Opens the state of a pipeline whose record is in a database: to look at it, to correct it, or to coordinate its run.

/** A run in a database. `session`: this process coordinates it. */
export interface OpenEngineRun {
  readonly engine: OpenEngine;
  readonly run: EngineRun;
  readonly orderStore: RunStore;
  readonly session?: EngineSession;
}

async function openEngineState(
  bound: BoundPipeline,
  paths: RunPaths,
  text: string,
  access: Access,
  context: StateContext & Pick<CoordinateContext, 'terms' | 'stop'>,
): Promise<OpenState> {
  if (access === 'run') {
    const { session, ...opened } = await coordinate(bound, paths, text, context);
    const { engine, run, orderStore } = session;
    const found = { engine, run, orderStore, session };
    return { ...opened, running: undefined, check: unchecked, engine: found };
  }
  return await withDatabase(text, 'look', (engine) => look(bound, paths, engine, access, context));
}

async function look(
  bound: BoundPipeline,
  given: RunPaths,
  engine: OpenEngine,
  access: Access,
  context: StateContext,
): Promise<OpenState> {
  const run = await findRun(bound, given, engine);
  const { paths } = await lockState(given, 'plan', context);
  if (access === 'edit' && run.stage !== 'open')
    refuse(
      `the record of this pipeline is in ${paths.state}, not in the database ${engine.address.shown}`,
      'nothing was changed: omit --engine',
    );
  const orderStore = engine.database.run(run.terms.run);
  const { ledger, snapshot, close } = await loadLedgerOnDisk(orderStore);
  const state = { ...unread, ledger, header: snapshot.header };
  return {
    paths,
    state,
    running: undefined,
    check: unchecked,
    engine: { engine, run, orderStore },
    async [Symbol.asyncDispose]() {
      close();
      await engine[Symbol.asyncDispose]();
    },
  };
}

/** The run of the pipeline at the service of its state file, or the only one. */
async function findRun(
  bound: BoundPipeline,
  paths: RunPaths,
  { database, address }: OpenEngine,
): Promise<EngineRun> {
  const all = (await database.runs()).filter(({ terms }) => terms.pipeline === bound.name);
  const loaded = paths.serviceName === '' ? await loadState(paths.state, memoryStore()) : undefined;
  const service = loaded?.ok === true ? loaded.value.header?.service : paths.serviceName;
  const own = all.filter(({ terms }) => terms.service === service);
  const [first, ...others] = own.length > 0 ? own : all;
  if (first !== undefined && others.length === 0) return first;
  const hint =
    first === undefined
      ? `${shotlistLine('run', [bound.file], ['--engine', { placeholder: '…' }])} begins it`
      : `name the service: ${all.map(({ terms }) => `--service ${shellWord(terms.service)}`).join(' or ')}`;
  const what = first === undefined ? 'has no run' : 'has several runs';
  const message = `the database ${address.shown} ${what} of the pipeline "${bound.name}"`;
  refuse(message, hint);
}
