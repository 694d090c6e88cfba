// Opens the state of a pipeline whose record is in a database: to look at it, to correct it, or to coordinate its run.

import {
  type CoordinateContext,
  coordinate,
  type EngineSession,
} from '../distributed/coordinate.ts';
import type { EngineRun } from '../distributed/database.ts';
import { loadLedger } from '../distributed/load-ledger.ts';
import { type OpenEngine, withDatabase } from '../distributed/open-database.ts';
import type { CoordinatorStore } from '../distributed/ports.ts';
import { unread } from '../distributed/unread.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import { memoryStore } from '../model/job-store.ts';
import { diskStore } from '../state/job-store.ts';
import { type Loaded, loadState } from '../state/load-state.ts';
import { type Access, lockState, type StateContext } from '../state/lock-state.ts';
import type { RunPaths } from '../state/run-paths.ts';
import { type RecordCheck, unchecked } from './record-check.ts';

/** A run in a database. `session`: this process coordinates it. */
export interface OpenEngineRun {
  readonly engine: OpenEngine;
  readonly run: EngineRun;
  readonly orderStore: CoordinatorStore;
  readonly session?: EngineSession;
}

export interface EngineState extends AsyncDisposable {
  readonly paths: RunPaths;
  readonly state: Loaded;
  readonly running: undefined;
  readonly check: RecordCheck;
  readonly engine: OpenEngineRun;
}

interface EngineContext extends StateContext, Pick<CoordinateContext, 'terms' | 'stop'> {
  readonly access: Access;
}

export async function openEngineState(
  bound: BoundPipeline,
  paths: RunPaths,
  text: string,
  { access, ...context }: EngineContext,
): Promise<EngineState> {
  if (access === 'run') {
    const { session, ...opened } = await coordinate(bound, paths, text, context);
    const { engine, run, orderStore } = session;
    const found = { engine, run, orderStore, session };
    return { ...opened, running: undefined, check: unchecked, engine: found };
  }
  return await withDatabase(text, 'look', (engine) =>
    look(bound, paths, engine, { ...context, access }),
  );
}

async function look(
  bound: BoundPipeline,
  given: RunPaths,
  engine: OpenEngine,
  { access, ...context }: StateContext & Pick<EngineContext, 'access'>,
): Promise<EngineState> {
  const run = await findRun(bound, given, engine);
  const { paths } = await lockState(given, 'plan', context);
  if (access === 'edit' && run.stage !== 'open') throw new Refusal(notThere(paths, engine));
  const orderStore = engine.database.coordinator(run.terms.run);
  const store = diskStore();
  const { ledger, snapshot } = await loadLedger(orderStore, () => store);
  const state = { ...unread, ledger, header: snapshot.header };
  return {
    ...{ paths, state, running: undefined, check: unchecked },
    engine: { engine, run, orderStore },
    async [Symbol.asyncDispose]() {
      store.close();
      await engine[Symbol.asyncDispose]();
    },
  };
}

const notThere = ({ state }: RunPaths, { address }: OpenEngine): Problem =>
  problem(
    `the record of this pipeline is in ${state}, not in the database ${address.shown}`,
    'shotlist',
    'nothing was changed: omit --engine',
  );

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
      ? `shotlist run ${bound.file} --engine … begins it`
      : `name the service: ${all.map(({ terms }) => `--service ${terms.service}`).join(' or ')}`;
  const what = first === undefined ? 'has no run' : 'has several runs';
  const message = `the database ${address.shown} ${what} of the pipeline "${bound.name}"`;
  throw new Refusal(problem(message, 'shotlist', hint));
}
