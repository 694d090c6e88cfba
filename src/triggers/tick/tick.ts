// `tick`: one short step of a run. Looks at the projects that render, saves what is ready, buys within the limits, and
// ends without waiting for a project.

import { internalsOf, type RunInternals } from '../../features/internals.ts';
import { type Ran, type RunOptions, runIn } from '../../features/run/run.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';

export type TickOptions = RunOptions;

/**
 * One short step of a run, for cron and CI: looks at the projects that render, saves what is ready, buys within the limits, and
 * ends without waiting. `wakeAt` says when the next tick is useful.
 *
 * @example
 * ```ts
 * import { loadPipeline, tick } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const ticked = await tick(pipeline, { rehearse: true, rehearsalPictures: 'plain' });
 * console.log(ticked.summary.outcome, ticked.summary.wakeAt);
 * ```
 */
export async function tick(loaded: LoadedPipeline, options: TickOptions = {}): Promise<Ran> {
  return await tickWith(loaded, options, internalsOf(options));
}

/** The same, for tests. */
export async function tickWith(
  loaded: LoadedPipeline,
  options: TickOptions,
  internals: RunInternals,
): Promise<Ran> {
  return await runIn('tick', loaded, options, internals);
}
