// `tick`: one short step of a run. Looks at the projects that render, saves what is ready, buys within the limits, and
// ends without waiting for a project.
import type { Result } from '../../contract/base/result.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import type { Problem } from './pipeline/problem.ts';
import { type Ran, type RunInternals, type RunOptions, runIn } from './run.ts';

export type TickOptions = RunOptions;

/**
 * One short step of a run, for cron and CI: looks at the projects that render, saves what is ready, buys within the limits, and
 * ends without waiting. `wakeAt` says when the next tick is useful.
 *
 * @example
 * ```ts
 * import { loadPipeline, renderProblem, tick } from 'shotlist';
 *
 * const loaded = await loadPipeline('pipeline.yaml');
 * if (!loaded.ok) throw new Error(renderProblem(loaded.error));
 * const ticked = await tick(loaded.value, { rehearse: true, rehearsalPictures: 'plain' });
 * if (ticked.ok) console.log(ticked.value.summary.outcome, ticked.value.summary.wakeAt);
 * else console.error(renderProblem(ticked.error));
 * ```
 */
export async function tick(
  loaded: LoadedPipeline,
  options: TickOptions = {},
): Promise<Result<Ran, Problem>> {
  return await tickWith(loaded, options, {});
}

/** The same, for tests. */
export async function tickWith(
  loaded: LoadedPipeline,
  options: TickOptions,
  internals: RunInternals,
): Promise<Result<Ran, Problem>> {
  return await runIn('tick', loaded, options, internals);
}
