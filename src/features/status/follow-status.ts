// `status --watch`: follows a state file and the runs that use it, one after the other. Sends nothing to the service, and
// writes nothing.
import { statSync } from 'node:fs';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { realClock } from '../../run/clock.ts';
import { stateFinder } from '../../state/locate-state.ts';
import { holdingOf } from '../../state/lock/lock.ts';
import { askRun } from '../../state/lock/run-socket.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import { refuse } from '../refuse.ts';
import { type StatusOptions, type StatusReport, status } from './status.ts';

/** What was found when the operation looked. */
export type StatusLook =
  /** A run is active and says how far it is. `process`: who, for people. */
  | { readonly type: 'live'; readonly process: string; readonly live: LiveFacts }
  /** No run is active, or it does not answer. */
  | { readonly type: 'state'; readonly report: StatusReport }
  /** There is no state file yet. */
  | { readonly type: 'none'; readonly state: string };

export interface FollowStatusOptions extends Omit<StatusOptions, 'items'> {
  /** Called at once, then for every second of a run that answers, and for every change of the state file. */
  readonly onLook: (look: StatusLook) => void;
  /** Ends the operation. */
  readonly signal: AbortSignal;
}

/** Between two looks, in milliseconds. */
const pauseMs = 1000;
/** A large state file is read less often: reading takes at most this share of the time. */
const readingShare = 0.1;

/**
 * Follows the state of a pipeline until `signal` is aborted: what an active run says about itself, else the state file.
 *
 * @example
 * ```ts
 * import { followStatus, loadPipeline } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const stop = new AbortController();
 * await followStatus(pipeline, {
 *   signal: stop.signal,
 *   onLook: (look) => {
 *     if (look.type === 'live') return console.log(look.live.items.done, 'items done');
 *     console.log('no run is active');
 *     stop.abort();
 *   },
 * });
 * ```
 */
export async function followStatus(
  loaded: LoadedPipeline,
  { onLook, signal, ...options }: FollowStatusOptions,
): Promise<undefined> {
  const { clock = realClock } = options;
  const find = stateFinder(loaded, options);
  let last: string | undefined;
  while (!signal.aborted) {
    const began = clock.elapsed();
    const { rehearsal, paths } = find();
    const own = { ...options, rehearse: rehearsal, hosted: !rehearsal };
    const { look, mark } = await lookOnce(loaded, paths, own, last);
    last = mark;
    if (look !== undefined) onLook(look);
    const readMs = look?.type === 'live' ? 0 : clock.elapsed() - began;
    await clock.sleep(Math.max(pauseMs, readMs / readingShare), signal);
  }
  return;
}

interface Looked {
  /** Undefined if nothing has changed. */
  readonly look?: StatusLook;
  /** Of the state file as it was; undefined if a run answered. */
  readonly mark?: string;
}

async function lookOnce(
  loaded: LoadedPipeline,
  { state, lock }: RunPaths,
  options: StatusOptions,
  last: string | undefined,
): Promise<Looked> {
  if (options.engine !== undefined) return await lookInDatabase(loaded, options, last);
  try {
    const holding = await holdingOf(lock);
    const { process, socket } = holding ?? {};
    const live = socket === undefined ? undefined : await askRun(socket);
    if (process !== undefined && live !== undefined)
      return { look: { type: 'live', process, live } };
    const stats = statSync(state, { throwIfNoEntry: false });
    const version = stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    const markWith = (running: string | undefined): string =>
      JSON.stringify([state, version, running]);
    const mark = markWith(process);
    if (mark === last) return { mark };
    if (stats === undefined) return { mark, look: { type: 'none', state } };
    const report = await status(loaded, options);
    // The run may have ended meanwhile.
    return { mark: markWith(report.running), look: { type: 'state', report } };
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return refuse(`${state} ${systemReason(error)}`, undefined, 'shotlist status');
  }
}

/** The record changes without the state file. */
async function lookInDatabase(
  loaded: LoadedPipeline,
  options: StatusOptions,
  last: string | undefined,
): Promise<Looked> {
  const report = await status(loaded, options);
  // That time passes is no change.
  const mark = JSON.stringify([report.lastRun, report.credits, report.engine], (key, value) =>
    key === 'silentMs' ? undefined : value,
  );
  return mark === last ? { mark } : { mark, look: { type: 'state', report } };
}
