// Opens a state file: checks that it is shotlist's own, that no other process works on it, and that it belongs to this
// pipeline.
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { Cleanup } from '../../adapters/cleanup.ts';
import { type Holding, holdingOf, takeLock } from '../../adapters/lock/lock.ts';
import { realProcesses } from '../../adapters/lock/process-state.ts';
import { openRunSocket } from '../../adapters/lock/run-socket.ts';
import { databaseStore } from '../../adapters/state/job-store.ts';
import { type Loaded, loadState } from '../../adapters/state/load-state.ts';
import type { Header } from '../../journal/line.ts';
import type { LiveFacts } from '../../report/live/live-facts.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import {
  checkOwnFolder,
  claimOwnFolder,
  ownFolderForLock,
  ownFolderForPlan,
} from '../files/own-folder.ts';
import type { RunPaths } from '../files/run-paths.ts';
import { checkWritable } from '../files/writable.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import { type Problem, problem, stateProblem } from '../pipeline/problem.ts';
import { unsavedProblem } from './unsaved-state.ts';

/**
 * - `read`: reads the file while others may work on it.
 * - `plan`: the same, but caches hashes of files if `.shotlist` can be made.
 * - `edit`: takes the lock.
 * - `run`: takes the lock, and makes the folders that a run writes to.
 */
export type Access = 'read' | 'plan' | 'edit' | 'run';

export interface StateContext {
  readonly clock: Clock;
  /** Called with warnings for the user. */
  readonly onWarning: (message: string) => void;
  /** For a run: how far it is, for others who ask while it holds the lock. */
  readonly answer?: (() => LiveFacts) | undefined;
}

export interface OpenState extends AsyncDisposable {
  /** As given; without `hashes` if a plan cannot keep any. */
  readonly paths: RunPaths;
  readonly state: Loaded;
  /** With `read` only: the process that is using the file. */
  readonly running: Holding | undefined;
  /** The run in a database that has the record. */
  readonly engine?: OpenEngineRun | undefined;
}

export async function openState(
  bound: BoundPipeline,
  paths: RunPaths,
  access: Access,
  { service, ...context }: StateContext & { readonly service?: string },
): Promise<Result<OpenState, Problem>> {
  if (paths.engine !== undefined)
    return await openEngineState(bound, paths, paths.engine, { ...context, access, service });
  await using cleanup = new Cleanup();
  const locked = await lockState(paths, access, context);
  if (!locked.ok) return locked;
  cleanup.defer(() => locked.value[Symbol.asyncDispose]());
  // Asked before the file is read: if the run ends meanwhile, nothing in the file looks unfinished.
  const running = access === 'read' ? await holdingOf(paths.lock) : undefined;
  const unsaved = unsavedProblem(paths.state);
  if (unsaved !== undefined && access !== 'read') return err(unsaved);
  for (const { message } of unsaved?.diagnostics ?? []) context.onWarning(message);
  const store = databaseStore();
  cleanup.defer(() => store.close());
  const loaded = await loadState(paths.state, store);
  if (!loaded.ok) return err(stateProblem(loaded.error, paths.state, bound.file));
  const { header, warnings } = loaded.value;
  const stranger = header && strangerTo(header, paths.state, bound.name, service);
  if (stranger !== undefined) return err(stranger);
  if (header?.away !== undefined) {
    const away = awayProblem(paths.state, header.away);
    if (access === 'run' || access === 'edit') return err(away);
    for (const { message } of away.diagnostics) context.onWarning(message);
  }
  // A run that is writing may be in the middle of its last line.
  if (running === undefined) warnings.forEach(context.onWarning);
  const opened = cleanup.move();
  return ok({
    ...{ paths: locked.value.paths, state: loaded.value, running },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  });
}

interface LockedState extends AsyncDisposable {
  readonly paths: RunPaths;
}

/** Checks `.shotlist`, and takes the lock if the access needs it. The state file may be damaged. */
export async function lockState(
  given: RunPaths,
  access: Access,
  { clock, onWarning, answer }: StateContext,
): Promise<Result<LockedState, Problem>> {
  const checked = await checkFolders(given, access);
  if (!checked.ok) return checked;
  const paths = checked.value;
  if (access === 'read' || access === 'plan')
    return ok({ paths, [Symbol.asyncDispose]: async () => undefined });
  await using cleanup = new Cleanup();
  const socket = answer === undefined ? undefined : await openRunSocket(answer);
  cleanup.defer(async () => await socket?.close());
  const lock = await takeLock(paths.lock, clock.now(), realProcesses, socket?.path);
  if (!lock.ok) return err({ ...problem(lock.error), reason: 'locked' });
  // First, so that no lock names a socket that is gone.
  cleanup.defer(() => lock.value.release());
  if (lock.value.warning !== undefined) onWarning(lock.value.warning);
  const held = cleanup.move();
  return ok({ paths, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() });
}

async function checkFolders(paths: RunPaths, access: Access): Promise<Result<RunPaths, Problem>> {
  if (access === 'plan') return await ownFolderForPlan(paths);
  const refused = await folderProblem(paths, access);
  return refused === undefined ? ok(paths) : err(refused);
}

async function folderProblem(
  paths: RunPaths,
  access: Exclude<Access, 'plan'>,
): Promise<Problem | undefined> {
  switch (access) {
    case 'read':
      return checkOwnFolder(paths);
    case 'edit':
      return await ownFolderForLock(paths);
    case 'run':
      return (await claimOwnFolder(paths)) ?? (await checkWritable(paths));
  }
}

/**
 * Why a state file cannot be used: the ids of another pipeline or service have no meaning here. `service` is the
 * current one; if it is undefined, the header names the service.
 */
export function strangerTo(
  header: Header,
  state: string,
  pipeline: string,
  service?: string,
): Problem | undefined {
  if (header.pipeline !== pipeline)
    return problem(
      `${state} belongs to the pipeline "${header.pipeline}", not to "${pipeline}"`,
      'shotlist',
      'use another --state, or the pipeline file that this one belongs to',
    );
  if (service === undefined || header.service === service) return undefined;
  return problem(
    `${state} belongs to ${nameOf(header.service)}, not to ${nameOf(service)}: its project ids mean nothing there`,
    'shotlist',
    'use another --state for another service',
  );
}

const nameOf = (service: string): string =>
  service === 'rehearsal' ? 'a rehearsal' : `the service ${service}`;

/** For commands that need a state file. */
export function headerOf(
  { state, paths }: OpenState,
  { file }: BoundPipeline,
): Result<Header, Problem> {
  if (state.header !== undefined) return ok(state.header);
  const hint = `shotlist run ${file} creates it`;
  return err(problem(`there is no state file yet: ${paths.state}`, file, hint));
}
