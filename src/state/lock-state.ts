// Locks a state file: checks that its folders lead nowhere else, and that no other process works on the file.

import type { Clock } from '../core/ports.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';
import type { Header } from '../model/record/line.ts';
import type { LiveFacts } from '../views/live/live-facts.ts';
import { beatsElsewhere, beginBeat, holderIn, isElsewhere, readLive } from './live.ts';
import { Lock } from './lock.ts';
import {
  checkOwnFolder,
  claimOwnFolder,
  ownFolderForLock,
  ownFolderForPlan,
} from './own-folder.ts';
import type { RunPaths } from './run-paths.ts';
import { checkWritable } from './writable.ts';

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

interface LockedState extends AsyncDisposable {
  readonly paths: RunPaths;
  /** Undefined for who only reads. */
  readonly lock: Pick<Lock, 'isStill'> | undefined;
}

/** Checks `.shotlist`, and takes the lock if the access needs it. The state file may be damaged. */
export async function lockState(
  given: RunPaths,
  access: Access,
  { clock, onWarning, answer }: StateContext,
): Promise<LockedState> {
  const paths = await checkFolders(given, access);
  if (access === 'read' || access === 'plan')
    return { paths, lock: undefined, [Symbol.asyncDispose]: async () => undefined };
  const lock = await Lock.take(paths.lock, clock);
  const other = await beatsElsewhere(paths.live, clock);
  const left = readLive(paths.live);
  if (lock === undefined || other !== undefined) {
    lock?.leave();
    if (lock === undefined && left === undefined) await Lock.assertPossible(paths.lock);
    const message = `another run holds ${paths.lock}: ${holderIn(other ?? left).process}`;
    const isSilent = other === undefined && left !== undefined && isElsewhere(left);
    const hint = isSilent ? isSilentHint : isHeldHint;
    throw new Refusal({ ...problem(message, 'shotlist', hint), reason: 'locked' });
  }
  if (left !== undefined)
    onWarning(`this run took over the lock of ${holderIn(left).process}, which has ended`);
  const beat = beginBeat(paths.live, lock, clock.now(), answer);
  return {
    paths,
    lock: {
      get isStill() {
        return lock.isStill && beat.isOwn;
      },
    },
    async [Symbol.asyncDispose]() {
      const { isOwn } = beat;
      beat.end();
      if (isOwn) await lock.release();
      else lock.leave();
    },
  };
}

const isHeldHint = 'nothing was sent; run again when it has ended';
/** A server may keep the lock of a machine that is gone, for minutes or for ever. */
const isSilentHint =
  'nothing was sent; that process says nothing: if its machine is gone, remove the lock, else run again when it has ended';

async function checkFolders(paths: RunPaths, access: Access): Promise<RunPaths> {
  if (access === 'plan') return await ownFolderForPlan(paths);
  const refused =
    access === 'read'
      ? checkOwnFolder(paths)
      : access === 'edit'
        ? await ownFolderForLock(paths)
        : ((await claimOwnFolder(paths)) ?? (await checkWritable(paths)));
  if (refused !== undefined) throw new Refusal(refused);
  return paths;
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
