// What a command works on that has the state file open: the items of a pipeline, its files, and its tasks as a run would find them.
import type { Facts, ReceiptsPort } from '../../core/facts.ts';
import { plannedAction } from '../../core/findings.ts';
import type { PlannedAction } from '../../core/plan-table.ts';
import type { Clock, Disk } from '../../core/ports.ts';
import { compileProgram } from '../../core/program.ts';
import { textOf } from '../../core/reason.ts';
import type { Task } from '../../core/scope.ts';
import { pickedTakes } from '../../core/takes.ts';
import { DryPerformer, type See, Walk, type WalkItem } from '../../core/walk.ts';
import { boundaryOf, type OutsideOptions } from '../../files/boundary.ts';
import { RealDisk } from '../../files/disk.ts';
import { HashCache } from '../../files/hash-cache.ts';
import type { ItemFilter, ItemList } from '../../files/items.ts';
import { MadeFiles } from '../../files/saved-files.ts';
import { type Scope, toCel } from '../../language/expression.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Step } from '../../language/pipeline.ts';
import { runValues } from '../../language/schedule.ts';
import { storeNameOf } from '../../language/store.ts';
import type { Ledger } from '../../model/record/ledger.ts';
import { identityOf } from '../../model/run-identity.ts';
import type { Receipts } from '../../state/receipts.ts';
import type { RunPaths } from '../../state/run-paths.ts';
import { internalsOf, type RunInternals } from '../internals.ts';
import { listSelected } from './selected-items.ts';

interface Place {
  readonly paths: RunPaths;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** `read`: hashes that are found out are not kept. */
  readonly hashes?: 'read';
  /** Default: all items. */
  readonly filter?: ItemFilter;
  readonly due?: string | undefined;
  /** Results may replace files that shotlist did not make. */
  readonly replacesAll?: boolean;
  readonly internals?: RunInternals;
}

type ItemsHere = Awaited<ReturnType<typeof openItemsHere>>;

export async function openItemsHere(bound: BoundPipeline, options: OutsideOptions, place: Place) {
  const { paths, ledger, clock, internals = internalsOf(options) } = place;
  const { output, kept } = paths;
  const boundary = boundaryOf(bound, options);
  const hashes = new HashCache(paths.hashes, place.hashes);
  const made = new MadeFiles({
    recorded: () => outputPaths(ledger),
    hashes,
    allowed: place.replacesAll === true,
  });
  const store = storeNameOf(bound.pipeline);
  const { folder } = bound;
  const real = new RealDisk({ folder, output, kept, boundary, hashes, clock, made, store });
  const disk = internals.disk?.(real) ?? real;
  const list = (filter: ItemFilter): Promise<ItemList> =>
    listSelected(bound, paths, filter, { boundary, disk });
  let items: ItemList;
  try {
    items = await list(place.filter ?? {});
  } catch (error) {
    hashes.close();
    throw error;
  }
  const run = identityOf(ledger.runs(), place.due);
  return {
    boundary,
    disk,
    made,
    run,
    /** The names in expressions that are the same for all items of a run. */
    base: baseAt(bound, run.due, clock.now()),
    /** Media whose format nothing here can judge. */
    unjudged: real.unjudged,
    get items() {
      return items;
    },
    /** Other items from now on. */
    async select(filter: ItemFilter): Promise<void> {
      items[Symbol.dispose]();
      items = await list(filter);
    },
    [Symbol.dispose]() {
      items[Symbol.dispose]();
      hashes.close();
    },
  };
}

function* outputPaths(ledger: Ledger): Generator<string> {
  for (const { outputs } of ledger.jobs()) for (const { path } of outputs) yield path;
}

/** `due`: ISO 8601; `now`: epoch milliseconds. */
function baseAt(
  { base, pipeline: { schedule } }: BoundPipeline,
  due: string | undefined,
  now: number,
): Pick<Scope, 'inputs' | 'env' | 'run'> {
  const at = due === undefined ? undefined : Date.parse(due);
  return { ...base, run: toCel(runValues(schedule, { due: at, now })) };
}

/** Gone through anew each time. */
export const placed = (
  items: ItemList,
  onLook?: (seen: number, of: number) => void,
): Iterable<WalkItem> => ({
  *[Symbol.iterator]() {
    let at = 0;
    for (const item of items) {
      onLook?.(at, items.count);
      yield { item, at: at++ };
    }
  },
});

/** `reuse: own`: what others have paid for does not count. */
export function receiptsPort(receipts: Receipts, isOwnOnly: boolean): ReceiptsPort {
  return {
    file: receipts.file,
    get: (job) => {
      const receipt = receipts.get(job);
      return isOwnOnly && receipt?.payer.pipeline !== receipts.by.pipeline ? undefined : receipt;
    },
    claim: (line, attempt) => receipts.claim(line, attempt),
    flush: () => receipts.flush(),
    payerOf: (job, project) => receipts.payerOf(job, project),
  };
}

export function factsOf(disk: Disk, mayReplace: Facts['mayReplace'], mustBeHere = false): Facts {
  return {
    mustBeHere,
    get store() {
      return disk.store;
    },
    input: (path) => disk.input(path),
    output: (path) => disk.output(path),
    kept: (digest, extension) => disk.kept(digest, extension),
    isElsewhere: (output) => !mustBeHere && disk.isElsewhere(output),
    recordedAs: (path) => disk.recordedAs(path),
    copy: ({ path }) => disk.foreign(path),
    mayReplace,
  };
}

// The tasks, for a command that runs nothing.

export interface TaskHere {
  readonly task: string;
  readonly step: Step;
  readonly action: PlannedAction;
  readonly why: string;
  /** Of a creation: the job of its first take, the number of the one that counts, and how many there are. */
  readonly take?:
    | { readonly first: string; readonly number: number; readonly known: number }
    | undefined;
}

export type Tasks = ReadonlyMap<string, TaskHere>;

interface Known {
  readonly ledger: Ledger;
  /** Default: what others have paid for does not count. */
  readonly receipts?: Receipts | undefined;
  readonly clock: Clock;
}

/** Tells of each task; nothing is done. */
export async function walkHere(
  bound: BoundPipeline,
  { items, disk, base }: Pick<ItemsHere, 'items' | 'disk' | 'base'>,
  { ledger, receipts, clock }: Known,
  see: See,
): Promise<void> {
  const setting = {
    ledger,
    base,
    receipts:
      receipts === undefined
        ? { get: () => undefined }
        : receiptsPort(receipts, bound.pipeline.reusesOwnOnly),
    // Nothing is written.
    facts: factsOf(disk, () => true),
    unusable: () => undefined,
    now: () => clock.now(),
    takes: pickedTakes(ledger),
    digest: (path: string) => disk.digest({ in: 'input', path }),
    excluded: new Set<string>(),
    payAgain: new Set<string>(),
    saveAgain: new Set<string>(),
    shared: new Set<string>(),
    window: 1,
    isWhole: items.count >= items.total,
    signal: new AbortController().signal,
  };
  const walk = new Walk(compileProgram(bound.pipeline), setting, new DryPerformer(), see);
  await walk.run(placed(items));
}

/** By name. */
export async function tasksHere(
  bound: BoundPipeline,
  here: ItemsHere,
  known: Known,
): Promise<Tasks> {
  const tasks = new Map<string, TaskHere>();
  await walkHere(bound, here, known, (task, end) => {
    if (end !== undefined) tasks.set(task.id, taskHere(task, end));
  });
  return tasks;
}

export function taskHere(task: Task, end: NonNullable<Task['end']>): TaskHere {
  const { id, step, first, take, others, reason } = task;
  const why = end.why === '' && reason !== undefined ? textOf(reason) : end.why;
  const chosen = first === '' ? undefined : { first, number: take, known: 1 + others.length };
  return { task: id, step, action: plannedAction(task, end), why, take: chosen };
}
