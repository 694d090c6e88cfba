// The files that the runs have saved for some items.

import { boundPipeline } from '../../language/load/bound-pipeline.ts';
import type { LoadedPipeline } from '../../language/load/loaded-pipeline.ts';
import { fannedOutIn, itemOf } from '../../model/task.ts';
import { realClock } from '../../run/clock.ts';
import { type LocateOptions, locateState } from '../../state/locate-state.ts';
import { openState } from '../open-state.ts';

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
): Promise<readonly SavedItem[]> {
  const bound = boundPipeline(loaded);
  const { paths } = locateState(bound, options);
  const onWarning = (): void => undefined;
  await using open = await openState(bound, paths, 'read', {
    clock: realClock,
    onWarning,
    env: undefined,
  });
  const isFannedOut = fannedOutIn(bound.pipeline.steps);
  const files = new Map<string, Set<string>>(items.map((item) => [item, new Set()]));
  for (const { outputs = [] } of open.state.ledger.jobs())
    for (const { task, path } of outputs)
      files.get(itemOf(task, isFannedOut(task)) ?? '')?.add(path);
  return [...files].map(([item, paths]) => ({ item, files: [...paths].sort() }));
}
