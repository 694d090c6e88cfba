// The tasks of some items as a run would find them now, for a command that holds the state file open.
import { Cleanup } from '../../adapters/cleanup.ts';
import { RealDisk } from '../../adapters/files/disk.ts';
import { HashCache } from '../../adapters/files/hash-cache.ts';
import type { Ledger } from '../../journal/ledger.ts';
import { identityOf } from '../../journal/run-identity.ts';
import { storeNameOf } from '../../language/store.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { boundaryOf, type OutsideOptions } from '../files/boundary.ts';
import type { RunPaths } from '../files/run-paths.ts';
import type { BoundPipeline } from '../pipeline/bound-pipeline.ts';
import { listSelected } from '../planning/list-items.ts';
import { planItems } from '../planning/plan-items.ts';
import { valuesOf } from '../planning/prepare.ts';

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
