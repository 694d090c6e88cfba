// The tasks of some items as a run would find them now, for a command that holds the state file open.
import { Cleanup } from '../../base/cleanup.ts';
import { boundaryOf, type OutsideOptions } from '../../files/boundary.ts';
import { RealDisk } from '../../files/disk.ts';
import { HashCache } from '../../files/hash-cache.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import { storeNameOf } from '../../language/store.ts';
import type { Ledger } from '../../model/ledger.ts';
import { identityOf } from '../../model/run-identity.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { listSelected } from '../plan/list-items.ts';
import { planItems } from '../plan/plan-items.ts';
import { valuesOf } from '../plan/prepare.ts';

export interface TaskSearch {
  readonly bound: BoundPipeline;
  readonly options: OutsideOptions;
  readonly paths: RunPaths;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The items to look at; undefined: all. */
  readonly keys: ReadonlySet<string> | undefined;
}

export interface FoundTasks extends AsyncDisposable {
  readonly tasks: ReadonlyMap<string, PlannedTask>;
  readonly disk: RealDisk;
}

const everyStep = { excluded: new Set<string>(), retryFailed: false };

export async function plannedTasks(search: TaskSearch): Promise<FoundTasks> {
  const { bound, options, paths, ledger, clock, keys } = search;
  await using cleanup = new Cleanup();
  const { folder, pipeline } = bound;
  const boundary = boundaryOf(bound, options);
  const hashes = new HashCache(paths.hashes);
  cleanup.defer(() => hashes.close());
  const { output, kept } = paths;
  const store = storeNameOf(pipeline);
  const disk = new RealDisk({ folder, output, kept, boundary, hashes, clock, store });
  const selection = { ...everyStep, filter: keys === undefined ? {} : { keys } };
  using items = await listSelected(bound, paths, selection, { boundary, ledger, disk });
  const tasks = new Map<string, PlannedTask>();
  const run = identityOf(ledger.runs(), {});
  await planItems(bound, items, {
    base: { ...bound.base, run: valuesOf(pipeline, run, clock.now()) },
    ...{ ledger, disk, clock, excluded: everyStep.excluded, requireOutputs: false },
    onTask: (planned) => void tasks.set(planned.task, planned),
  });
  const held = cleanup.move();
  return { tasks, disk, [Symbol.asyncDispose]: () => held[Symbol.asyncDispose]() };
}
