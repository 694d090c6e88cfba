// The files that the runs have saved for some items.
import { ok, type Result } from '../../contract/base/result.ts';
import { realClock } from '../adapters/clock.ts';
import { fannedOutIn, itemOf } from '../task/task.ts';
import { boundPipeline } from './pipeline/bound-pipeline.ts';
import type { LoadedPipeline } from './pipeline/loaded-pipeline.ts';
import type { Problem } from './pipeline/problem.ts';
import { type LocateOptions, locateState } from './state/locate-state.ts';
import { openState } from './state/open-state.ts';

export interface SavedItem {
  /** The key. */
  readonly item: string;
  /** Relative to the pipeline file. */
  readonly files: readonly string[];
}

/** Sends and writes nothing. */
export async function savedBy(
  loaded: LoadedPipeline,
  options: LocateOptions,
  items: readonly string[],
): Promise<Result<readonly SavedItem[], Problem>> {
  const bound = boundPipeline(loaded);
  const located = locateState(bound, options);
  if (!located.ok) return located;
  const { paths } = located.value;
  const onWarning = (): void => undefined;
  const opened = await openState(bound, paths, 'read', {
    clock: realClock,
    onWarning,
    env: undefined,
  });
  if (!opened.ok) return opened;
  await using open = opened.value;
  const isFannedOut = fannedOutIn(bound.pipeline.steps);
  const files = new Map<string, Set<string>>(items.map((item) => [item, new Set()]));
  for (const { outputs = [] } of open.state.ledger.jobs())
    for (const { task, path } of outputs)
      files.get(itemOf(task, isFannedOut(task)) ?? '')?.add(path);
  return ok([...files].map(([item, paths]) => ({ item, files: [...paths].sort() })));
}
