// Opens a state file: checks that it is shotlist's own, that no other process works on it, and that it belongs to this
// pipeline.

import { Cleanup } from '../base/cleanup.ts';
import type { JsonObject } from '../base/json.ts';
import { shellWord, shotlistLine } from '../base/shell.ts';
import { count } from '../base/text.ts';
import type { Env } from '../base/user-folder.ts';
import { type CoordinateContext, coordinate, unread } from '../distributed/coordinate.ts';
import type { EngineSession } from '../distributed/coordinator.ts';
import type { RunStore } from '../distributed/database/coordinator-store.ts';
import type { EngineRun } from '../distributed/database/database.ts';
import { loadLedger } from '../distributed/load-ledger.ts';
import { awayProblem } from '../distributed/move-state.ts';
import { type OpenEngine, withDatabase } from '../distributed/open-database.ts';
import { shownPath } from '../files/shown-path.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { problem, Refusal, stateProblem } from '../language/load/refusal.ts';
import type { Header } from '../model/record/line.ts';
import { formatVersion } from '../model/record/schemas.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { copiesOf } from '../state/copies.ts';
import { type Holder, holderOf } from '../state/live.ts';
import { type Loaded, loadState } from '../state/load-state.ts';
import { type LocateOptions, lineAbout } from '../state/locate-state.ts';
import type { Lock } from '../state/lock.ts';
import { type Access, lockState, type StateContext, strangerTo } from '../state/lock-state.ts';
import type { Receipts } from '../state/receipts.ts';
import type { StateRecord } from '../state/record-in-place.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { paidTwiceOf, paidTwiceText } from '../views/paid-twice-text.ts';
import { gitRecords } from './git/records.ts';
import type { RunInternals } from './internals.ts';
import { joinOwnReceipts, openReceipts } from './open-receipts.ts';
import { catchUp } from './order-claims.ts';
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
  /** Undefined where the state file is not compared with them. */
  readonly receipts?: Receipts | undefined;
  /** Undefined where nothing is locked. */
  readonly lock?: Pick<Lock, 'isStill'> | undefined;
  /** The run in a database that has the record. */
  readonly engine?: OpenEngineRun | undefined;
}

export async function openState(
  bound: BoundPipeline,
  paths: RunPaths,
  access: Access,
  { service, terms = {}, stop, env, internals, ...context }: OpenContext,
): Promise<OpenState> {
  const about = { bound, access, env, ...context };
  if (paths.engine !== undefined) {
    const opened = await openEngineState(bound, paths, paths.engine, access, {
      ...context,
      terms,
      stop,
    });
    return withReceipts(opened, about);
  }
  if (internals?.record !== undefined)
    return withReceipts(await openRecord(bound, paths, internals.record), about);
  await using cleanup = new Cleanup();
  const locked = await lockState(paths, access, context);
  cleanup.defer(() => locked[Symbol.asyncDispose]());
  // Asked before the file is read: if the run ends meanwhile, nothing in the file looks unfinished.
  const running = access === 'read' ? holderOf(paths) : undefined;
  const git = env === undefined ? undefined : await gitRecords(paths, env, access !== 'read');
  const loaded = await loadState(paths.state, { others: git?.records ?? [] });
  if (!loaded.ok)
    throw new Refusal(stateProblem(loaded.error, paths.state, lineAbout(bound, paths, 'repair')));
  if (loaded.value.record?.isClean === true) await git?.remember();
  const state = loaded.value;
  const { header, away, warnings } = state;
  refuseIf(header && strangerTo(header, paths.state, bound.name, service));
  if (away !== undefined) {
    const elsewhere = awayProblem(paths.state, away);
    if (access === 'run' || access === 'edit') refuseIf(elsewhere);
    for (const { message } of elsewhere.diagnostics) context.onWarning(message);
  }
  // A run that is writing may be in the middle of its last line.
  if (running === undefined) warnings.forEach(context.onWarning);
  const { onWarning } = context;
  const repair = lineAbout(bound, paths, 'repair');
  const opened = withReceipts(
    {
      paths: locked.paths,
      lock: locked.lock,
      state,
      running,
      [Symbol.asyncDispose]: async () => undefined,
    },
    about,
  );
  cleanup.defer(() => opened[Symbol.asyncDispose]());
  const { lacks, notices } = conditionOf(opened.state, repair, copiesOf(paths.state));
  for (const text of notices) onWarning(text);
  if (lacks !== undefined && access !== 'edit') {
    if (access === 'run') throw new Refusal(problem(lacks.what, 'the state file', lacks.cure));
    onWarning(`${lacks.what}: ${lacks.cure}`);
  }
  const held = cleanup.move();
  return { ...opened, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
}

interface AboutReceipts extends StateContext {
  readonly bound: BoundPipeline;
  readonly access: Access;
  readonly env: Env | undefined;
}

/** Joins what the receipts know of the state file. Who disposes of it closes them. */
function withReceipts(
  opened: OpenState,
  { bound, access, env, clock, onWarning }: AboutReceipts,
): OpenState {
  const { paths, state, running } = opened;
  if (env === undefined) return opened;
  const { ledger, header, away, record } = state;
  const writes = access === 'run' || access === 'edit';
  const service = header?.service;
  const engineRun = opened.engine?.run.terms.run;
  const terms = { bound, paths, service, env, clock, onWarning, ledger, writes, engineRun };
  const receipts = openReceipts(terms);
  const session = opened.engine?.session;
  if (session !== undefined)
    catchUp(receipts, ledger, { run: session.run.terms.run, changed: session.changed });
  const isQuiet = away !== undefined || running !== undefined;
  const { isNews = false, notice } = isQuiet ? {} : joinOwnReceipts(receipts, state, paths, writes);
  if (notice !== undefined) onWarning(notice);
  return {
    ...opened,
    receipts,
    // The file does not say it yet.
    state:
      isNews && record !== undefined ? { ...state, record: { ...record, isClean: false } } : state,
    async [Symbol.asyncDispose]() {
      receipts.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

async function openRecord(
  bound: BoundPipeline,
  paths: RunPaths,
  record: StateRecord,
): Promise<OpenState> {
  const loaded = await loadState(paths.state, { text: record.text() });
  if (!loaded.ok)
    throw new Refusal(stateProblem(loaded.error, paths.state, lineAbout(bound, paths, 'repair')));
  return {
    paths: { ...paths, hashes: undefined },
    state: loaded.value,
    running: undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

interface Condition {
  /** Sentences that every command says until a person has seen to it. */
  readonly notices: readonly string[];
  /** Creations are in no record: nothing is bought. */
  readonly lacks?: { readonly what: string; readonly cure: string };
}

/** `repair`: the command line. */
function conditionOf(
  { record, header }: Loaded,
  repair: string,
  copies: readonly string[],
): Condition {
  if (record === undefined) return { notices: [] };
  const { ledger } = record;
  const paidTwice = ledger.paidTwice();
  const notices =
    paidTwice.length === 0 ? [] : [paidTwiceText(paidTwice.map(paidTwiceOf), `${repair} --accept`)];
  const cure = `${repair} shows what can be found`;
  const marked = ledger.marks().filter(({ mark }) => mark === 'lost');
  const missing = [...ledger.missing(), ...marked.map(({ creations = 0 }) => ({ creations }))];
  const creations = missing.reduce((sum, one) => sum + one.creations, 0);
  if (creations > 0 || marked.length > 0) {
    const lost =
      creations > 0
        ? `${count(creations, 'creation')} of earlier runs are`
        : 'what damaged lines said is';
    const what = `${lost} in no record, so nothing is bought`;
    return { notices, lacks: { what, cure } };
  }
  if (copies.length > 0) {
    const names = copies.map((copy) => shownPath(copy)).join(', ');
    const what = `another program left a copy of the state file, which may have payments that this one does not have: ${names}`;
    return { notices, lacks: { what, cure: `${repair} --write joins it; then remove the copy` } };
  }
  if (header !== undefined && ledger.isEmpty)
    return {
      notices,
      lacks: { what: 'the state file has only its header: lines are missing', cure },
    };
  return { notices };
}

/** For commands that need a state file. */
export function headerOf({ state, paths }: OpenState, bound: BoundPipeline): Header {
  if (state.header !== undefined) return state.header;
  // The file is gone, and the receipts know what it had.
  if (state.ledger.size > 0 && paths.serviceName !== '')
    return { shotlist: formatVersion, pipeline: bound.name, service: paths.serviceName };
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
    return { ...opened, running: undefined, engine: found };
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
  const { ledger, snapshot } = await loadLedger(orderStore);
  const state = { ...unread, ledger, header: snapshot.header };
  return {
    paths,
    state,
    running: undefined,
    engine: { engine, run, orderStore },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** The run of the pipeline at the service of its state file, or the only one. */
async function findRun(
  bound: BoundPipeline,
  paths: RunPaths,
  { database, address }: OpenEngine,
): Promise<EngineRun> {
  const all = (await database.runs()).filter(({ terms }) => terms.pipeline === bound.name);
  const loaded = paths.serviceName === '' ? await loadState(paths.state) : undefined;
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
