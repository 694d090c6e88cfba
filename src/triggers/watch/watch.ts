// `watch`: one process that runs a pipeline when files arrive in its folder or change there.

import type { RunInternals } from '../../features/run/options.ts';
import { runWith } from '../../features/run/run.ts';
import { watchFolders } from '../../files/folder-watch.ts';
import type { GivenInputs } from '../../language/load/inputs.ts';
import { problem, Refusal } from '../../language/load/problem.ts';
import { realClock } from '../../run/clock.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { WatchEvent } from '../../views/watch-event.ts';
import type { WatchContext, WatchedRunOptions } from './context.ts';
import { type Watched, WatchLoop } from './watch-loop.ts';

export type { Watched, WatchedRunOptions };

/** For tests. */
export interface WatchInternals {
  readonly run?: RunInternals;
  /** The clock of the runs, if it is another one. */
  readonly runClock?: Clock;
}

export interface WatchOptions {
  /** The options of every run. */
  readonly run?: WatchedRunOptions;
  readonly inputs?: GivenInputs;
  /** `--profile`: one of the pipeline's `profiles:`. */
  readonly profile?: string | undefined;
  /** How long a file must look the same before it counts as complete, in milliseconds; default 2000. */
  readonly settleMs?: number | undefined;
  /** How often to look for changes that the system did not report, in milliseconds; default 60,000. */
  readonly pollMs?: number | undefined;
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with everything that happens. */
  readonly onEvent?: (event: WatchEvent) => void;
  /**
   * If it is aborted, nothing new begins, and requests in flight are completed for at most 8 s; the next start continues
   * from there. Only this and a refused key end the operation.
   */
  readonly signal?: AbortSignal;
}

/**
 * Runs a pipeline when files arrive in its folder or change there, until `signal` is aborted or the service refuses the key.
 * `file`: the pipeline file. The error says why it cannot be used; later problems are events.
 *
 * @example
 * ```ts
 * import { watch } from 'shotlist';
 *
 * const stop = new AbortController();
 * const watched = await watch('pipeline.yaml', {
 *   run: { rehearse: true, rehearsalPictures: 'plain' },
 *   signal: stop.signal,
 *   onEvent: (event) => {
 *     if (event.type === 'ran') stop.abort(); // one run is enough here
 *   },
 * });
 * console.log(watched.runs, 'runs');
 * ```
 */
export async function watch(file: string, options: WatchOptions = {}): Promise<Watched> {
  return await watchWith(file, options, {});
}

/** The same, for tests. */
export async function watchWith(
  file: string,
  options: WatchOptions,
  internals: WatchInternals,
): Promise<Watched> {
  const { run = {}, inputs = {}, env = process.env, clock = realClock } = options;
  const { settleMs = 2000, pollMs = 60_000, onEvent = () => undefined } = options;
  const { signal: stop = new AbortController().signal } = options;
  if (!(settleMs >= 0 && pollMs > 0))
    throw new Refusal(problem('settleMs and pollMs must be times in milliseconds'));
  const context: WatchContext = {
    ...{
      file,
      run,
      inputs,
      profile: options.profile,
      settleMs,
      pollMs,
      env,
      clock,
      stop,
      onEvent,
      watchFolders,
    },
    start: (pipeline, all) =>
      runWith(pipeline, { ...all, clock: internals.runClock ?? clock }, internals.run ?? {}),
  };
  return await new WatchLoop(context).follow();
}
