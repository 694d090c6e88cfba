// The items of a pipeline and its files, for a command that has the state file open and runs nothing.

import type { Clock } from '../../core/ports.ts';
import { boundaryOf, type OutsideOptions } from '../../files/boundary.ts';
import { RealDisk } from '../../files/disk.ts';
import { HashCache } from '../../files/hash-cache.ts';
import type { ItemFilter, ItemList } from '../../files/items.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { storeNameOf } from '../../language/store.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { identityOf } from '../../model/run-identity.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { internalsOf } from '../internals.ts';
import { baseAt } from './plan-problems.ts';
import { listSelected } from './selected-items.ts';

interface Place {
  readonly paths: RunPaths;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** `read`: hashes that are found out are not kept. */
  readonly hashes?: 'read';
  /** Default: all items. */
  readonly filter?: ItemFilter;
}

export type ItemsHere = Awaited<ReturnType<typeof openItemsHere>>;

export async function openItemsHere(bound: BoundPipeline, options: OutsideOptions, place: Place) {
  const { paths, ledger, clock, filter = {} } = place;
  const { output, kept } = paths;
  const boundary = boundaryOf(bound, options);
  const hashes = new HashCache(paths.hashes, place.hashes);
  const store = storeNameOf(bound.pipeline);
  const { folder } = bound;
  const real = new RealDisk({ folder, output, kept, boundary, hashes, clock, store });
  const disk = internalsOf(options).disk?.(real) ?? real;
  let items: ItemList;
  try {
    items = await listSelected(bound, paths, filter, { boundary, disk });
  } catch (error) {
    hashes.close();
    throw error;
  }
  const base = baseAt(bound, identityOf(ledger.runs(), {}).due, clock.now());
  return {
    boundary,
    disk,
    items,
    base,
    [Symbol.dispose]() {
      items[Symbol.dispose]();
      hashes.close();
    },
  };
}
