// The common part of plan and run: turns a loaded pipeline into the plan of all its items. Sends nothing.

import { Cleanup } from '../../base/cleanup.ts';
import type { Redactor } from '../../base/redactor.ts';
import { count } from '../../base/text.ts';
import type { Env } from '../../base/user-folder.ts';
import type { PlanRecord } from '../../core/plan-record.ts';
import type { Disk, MediaApi } from '../../core/ports.ts';
import { rerolledPipeline } from '../../core/reroll.ts';
import { type Boundary, boundaryOf, checkOutput } from '../../files/boundary.ts';
import { RealDisk } from '../../files/disk.ts';
import type { FileStamps } from '../../files/file-stamps.ts';
import { HashCache } from '../../files/hash-cache.ts';
import type { ItemList } from '../../files/items.ts';
import { MadeFiles } from '../../files/saved-files.ts';
import type { BoundPipeline } from '../../language/load/bound-pipeline.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { storeNameOf } from '../../language/store.ts';
import type { Ledger } from '../../model/ledger.ts';
import { identityOf, type RequestedRun, type RunIdentity } from '../../model/run-identity.ts';
import type { TaskId } from '../../model/task.ts';
import type { ItemNeeds } from '../../plan/needs.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import { pickedTakes, rerolledTakes, type Takes } from '../../plan/takes.ts';
import type { PlanContext } from '../../run/plan-context.ts';
import { lazyClient } from '../../service-api/lazy-client.ts';
import type { Target, Unasked } from '../../service-api/target.ts';
import type { Loaded } from '../../state/load-state.ts';
import type { StateContext } from '../../state/lock-state.ts';
import type { Receipts } from '../../state/receipts.ts';
import { pathsOf, type RunPaths } from '../../state/run-paths.ts';
import { checkOutputFolder } from '../../state/writable.ts';
import type { RunInternals } from '../internals.ts';
import { type OpenState, openState } from '../open-state.ts';
import { refuseIf } from '../refuse.ts';
import { RememberedPayments } from '../remembered-payments.ts';
import { type Earlier, earlierRuns } from './earlier-runs.ts';
import { type PrepareOptions, withRerolled } from './options.ts';
import { type PlannedItems, type PlanningInputs, planItems } from './plan-items.ts';
import { baseAt } from './plan-problems.ts';
import { listSelected, selectionOf } from './selected-items.ts';

export interface Prepared extends AsyncDisposable {
  readonly bound: BoundPipeline;
  /** The names in expressions that are the same for all items. */
  readonly base: PlanContext['base'];
  readonly run: RunIdentity;
  readonly paths: RunPaths;
  readonly boundary: Boundary;
  readonly state: Loaded;
  /** Of the state file; undefined where nothing is locked. */
  readonly lock: OpenState['lock'];
  readonly disk: Disk;
  readonly items: ItemList;
  /** Steps that this run excludes. */
  readonly excluded: ReadonlySet<string>;
  readonly planned: PlannedItems;
  readonly takes: Takes;
  readonly receipts: Receipts;
  /** What they say of requests that the state file does not know. */
  readonly remembered: RememberedPayments;
  /** What each item may still cost: found out while planning if there is a cap, else by planning once more. */
  readonly findNeeds: () => Promise<ItemNeeds | undefined>;
  /** Earlier runs whose paid results are not home: they come first. */
  readonly earlier: Earlier;
  /** Which files a result may replace. */
  readonly made: MadeFiles;
  /** Plans once more: files may have changed. */
  readonly replan: (onTask: PlanningInputs['onTask']) => Promise<PlannedItems>;
}

interface PrepareContext extends StateContext, Pick<PlanningInputs, 'explain'> {
  readonly access: 'plan' | 'run';
  readonly env: Env;
  readonly redactor: Redactor;
  /** If it is aborted, the planning ends with its reason as the error. */
  readonly stop?: AbortSignal | undefined;
  /** Records what the plan would do. */
  readonly record?: PlanRecord | undefined;
  readonly onLook?: PlanningInputs['onLook'];
  /** Collects the stamps of all files that the planning looks at. */
  readonly stamps?: FileStamps | undefined;
  readonly run?: RequestedRun;
  readonly internals?: RunInternals | undefined;
  /** For a tick: tells which tasks have nothing to do now. */
  readonly resting?:
    | ((paths: RunPaths, ledger: Ledger) => (planned: PlannedTask) => boolean)
    | undefined;
}

export async function prepare(
  whole: BoundPipeline,
  target: Target | Unasked,
  options: PrepareOptions,
  {
    access,
    run: requested = {},
    resting,
    stop,
    onLook,
    explain,
    record,
    stamps,
    internals = {},
    ...context
  }: PrepareContext,
): Promise<Prepared> {
  const { reroll } = options;
  const bound = reroll === undefined ? whole : whole.with(rerolledPipeline(whole.pipeline, reroll));
  const { filter, excluded } = selectionOf(bound.pipeline, withRerolled(bound.pipeline, options));
  const paths = pathsOf(bound, target, options);
  refuseIf(checkOutput(bound, options));
  await using cleanup = new Cleanup();
  const { serviceName: service } = paths;
  const opened = await openState(bound, paths, access, { ...context, service, internals });
  cleanup.defer(() => opened[Symbol.asyncDispose]());
  const { state, paths: usable } = opened;
  refuseIf(checkOutputFolder(usable));
  const boundary = boundaryOf(bound, options);
  const { output, kept, hashes } = usable;
  const cache = new HashCache(hashes);
  cleanup.defer(() => cache.close());
  const { clock } = context;
  const made = new MadeFiles({
    recorded: () => state.ledger.outputPaths(),
    hashes: cache,
    // A rehearsal writes into a folder of shotlist.
    allowed:
      options.replaceFiles === true ||
      (target.kind === 'rehearsal' && options.output === undefined),
  });
  const real = new RealDisk({
    folder: bound.folder,
    output,
    kept,
    boundary,
    hashes: cache,
    clock,
    stamps,
    made,
    store: storeNameOf(bound.pipeline),
  });
  const disk = internals.disk?.(real) ?? real;
  const items = await listSelected(bound, usable, filter, { boundary, disk, stamps });
  cleanup.defer(() => items[Symbol.dispose]());
  items.warnings.forEach(context.onWarning);
  const run = identityOf(state.ledger.runs(), requested);
  const base = baseAt(bound, run.due, clock.now());
  const { ledger } = state;
  const { receipts } = opened;
  if (receipts === undefined) throw new Error('bug: a plan without receipts');
  const remembered = new RememberedPayments({
    receipts,
    ledger,
    clock,
    by: receipts.by,
    api: target.kind === 'hosted' ? askedOf(target, context, internals, cleanup) : undefined,
    store: storeNameOf(bound.pipeline),
    reusesOwnOnly: bound.pipeline.reusesOwnOnly,
    lend: ({ path, sha256 }) => real.lend(sha256, path),
  });
  made.remember((path) => remembered.hasSaved(path));
  const takes =
    reroll === undefined ? pickedTakes(ledger) : rerolledTakes(ledger, new Set(reroll), remembered);
  const payAgain = options.payAgain === true ? new Set<TaskId>() : undefined;
  const inputs: PlanningInputs = {
    takes,
    made,
    remembered,
    base,
    ledger,
    disk,
    clock,
    stop,
    onLook,
    excluded,
    rests: resting?.(usable, ledger),
    requireOutputs: options.requireOutputs ?? false,
    payAgain,
    explain,
    stamps,
    onTask: record?.add,
    onAgain: () => record?.clear(),
    findsNeeds: isCapped(bound.pipeline, options),
  };
  let planned = await planItems(bound, items, inputs);
  if (remembered.hasQuestions) {
    await remembered.inquire();
    record?.clear();
    planned = await planItems(bound, items, inputs);
  }
  const paidAlready = remembered.paidAlready(planned.lost);
  if (paidAlready !== undefined) planned = { ...planned, plan: { ...planned.plan, paidAlready } };
  const unjudged = unjudgedText(real.unjudged);
  if (unjudged !== undefined) context.onWarning(unjudged);
  const earlier =
    reroll === undefined
      ? await earlierRuns(bound, items, inputs, { due: run.due, base, planned })
      : { runs: [], lost: [] };
  const replan = (onTask: PlanningInputs['onTask']) =>
    planItems(bound, items, { ...inputs, onTask });
  const findNeeds = async (): Promise<ItemNeeds | undefined> =>
    planned.needs ?? (await planItems(bound, items, { ...inputs, findsNeeds: true })).needs;
  const held = cleanup.move();
  return {
    bound,
    base,
    run,
    paths: usable,
    boundary,
    state,
    lock: opened.lock,
    disk,
    items,
    excluded,
    planned,
    takes,
    earlier,
    findNeeds,
    made,
    receipts,
    remembered,
    replan,
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  };
}

/** Connects when the first question is asked. */
function askedOf(
  { address, key }: Extract<Target, { readonly kind: 'hosted' }>,
  { clock, redactor }: Pick<PrepareContext, 'clock' | 'redactor'>,
  internals: RunInternals,
  cleanup: Cleanup,
): Pick<MediaApi, 'account'> {
  const client = lazyClient({ base: address, key, clock, redactor });
  cleanup.defer(() => client.close());
  return internals.api?.(client) ?? client;
}

/** The service decides about a file that nothing here can judge; undefined if there is none. */
function unjudgedText(files: ReadonlySet<string>): string | undefined {
  const [first, ...others] = files;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? 'is' : `and ${count(others.length, 'other file')} are`;
  return `${first} ${more} in a format that shotlist cannot check: the service may refuse what is paid for`;
}

function isCapped({ budget }: Pipeline, options: PrepareOptions): boolean {
  const { credits, perItem, perDay, perMonth } = budget;
  return [options.budget, credits, perItem, perDay, perMonth].some((cap) => cap !== undefined);
}
