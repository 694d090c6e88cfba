// `tick`: one short step of a run. Looks at the projects that render, saves what is ready, buys within the limits, and
// ends without waiting for a project.
import type { Result } from '../../contract/base/result.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import type { Problem } from './pipeline/problem.ts';
import { type Ran, type RunInternals, type RunOptions, runIn } from './run.ts';

export type TickOptions = RunOptions;

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
