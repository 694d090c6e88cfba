// The files of a watch: those that a run would find, and how each looks.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ok, type Result } from '../../../contract/base/result.ts';
import { isSystemProblem, systemCode } from '../../../contract/files/system-error.ts';
import type { ItemFilter } from '../../adapters/files/items.ts';
import { Ledger } from '../../journal/ledger.ts';
import type { Sighting } from '../../plan/arrivals.ts';
import type { Item } from '../../task/item.ts';
import { boundaryOf } from '../files/boundary.ts';
import type { Problem } from '../pipeline/problem.ts';
import { selectionOf } from '../planning/item-selection.ts';
import { listSelected } from '../planning/list-items.ts';
import type { WatchedRunOptions } from './context.ts';
import type { ReadyPipeline } from './watched-pipeline.ts';

/** The filter of every run of a watch; `keys`: the files that may be in the run. */
export const filterFor = (
  { items }: WatchedRunOptions,
  keys?: ReadonlySet<string>,
): ItemFilter => ({ ...items, growing: true, ...(keys === undefined ? {} : { keys }) });

/** `now` is the wall clock, in epoch milliseconds. */
export async function sightings(
  { bound, paths }: ReadyPipeline,
  options: WatchedRunOptions,
  now: number,
): Promise<Result<readonly Sighting[], Problem>> {
  const selection = selectionOf(bound.pipeline, { ...options, items: filterFor(options) });
  if (!selection.ok) return selection;
  const boundary = boundaryOf(bound, options);
  // A watch leaves failures out by itself, so it needs no ledger.
  const found = await listSelected(bound, paths, selection.value, {
    ...{ boundary, ledger: new Ledger() },
  });
  if (!found.ok) return found;
  using items = found.value;
  return ok([...items].flatMap((item) => sightingOf(item, bound.folder, now) ?? []));
}

/** Undefined if the file is gone by now. */
function sightingOf({ key, fields }: Item, folder: string, now: number): Sighting | undefined {
  const path = resolve(folder, String(fields['path']));
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { size, mtimeMs, ctimeMs, ino } = stats;
    const stamp = `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
    return { key, stamp, age: now - Math.max(mtimeMs, ctimeMs) };
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    // The run says why it cannot be read.
    return { key, stamp: systemCode(error) ?? '', age: 0 };
  }
}
