// The two phases of a run. The first saves paid results that may expire, the earliest first. The second does everything
// else, and may buy.
import type { ItemList } from '../../adapters/files/items.ts';
import type { Step } from '../../language/pipeline.ts';
import type { Act } from '../../plan/decide.ts';
import type { RunEvent } from '../../report/run-event.ts';
import type { JobContext } from '../../run/jobs/job-context.ts';
import { localRunner } from '../../run/jobs/local-runner.ts';
import type { Runner } from '../../run/jobs/ports.ts';
import { Loop, type LoopOptions } from '../../run/loop.ts';
import type { Stopped } from '../../run/stop.ts';
import type { SummaryBuilder } from '../../run/summary-builder.ts';
import type { Fingerprint } from '../../task/fingerprint.ts';
import type { Item } from '../../task/item.ts';
import type { PlannedItems } from '../planning/planned-items.ts';
import type { Detachment } from './detachment.ts';

export interface PhaseOptions
  extends Omit<
    LoopOptions,
    | 'items'
    | 'total'
    | 'runner'
    | 'allows'
    | 'unrunnable'
    | 'someExcluded'
    | 'closed'
    | 'savedFirst'
    | 'partial'
    | 'failed'
  > {
  readonly list: ItemList;
  readonly plannedItems: PlannedItems;
  /** True if items with nothing to do go through the run nevertheless, because the manifests of some are missing. */
  readonly visitsAll: boolean;
  readonly context: Omit<JobContext, 'stop'>;
  /** Aborts `stop` of both phases. */
  readonly stopper: AbortController;
  /** Steps that this run excludes. */
  readonly excluded: ReadonlySet<string>;
  readonly signal: AbortSignal | undefined;
  /** When the run leaves the projects that still render. */
  readonly detachment?: Pick<Detachment, 'leave' | 'overdue'>;
  readonly machineStops: readonly MachineStop[];
  /** For a distributed run: makes the runner of each phase; `local` performs what needs this process. */
  readonly distribute?: (local: Runner, limits: Readonly<Record<string, number>>) => Runner;
  readonly wrapRunner?: ((runner: Runner) => Runner) | undefined;
}

/** Why this machine ends the run early: what is in flight is still recorded. */
export interface MachineStop {
  readonly signal: AbortSignal;
  readonly why: string;
}

export interface PhaseResult {
  readonly summary: SummaryBuilder;
  readonly stopped: Stopped;
}

export async function runPhases(options: PhaseOptions): Promise<PhaseResult> {
  const { plannedItems, excluded } = options;
  const { steps } = options.pipeline;
  const gathers = steps.some(
    ({ isGathered, shared, fan }) => isGathered && !shared && fan === undefined,
  );
  const order = gathers ? { orderOf: placeIn(options.list) } : {};
  // The results of a fan-in are found again only with all items. With some of them, its list would be another one.
  const all = gathers && plannedItems.unsaved.has('');
  const savedFirst = new Set<string>();
  // A job that failed in the first phase is not tried again in the second.
  const failed = new Map<Fingerprint, string>();
  if (plannedItems.unsaved.size > 0) {
    const saved = await runPhase(options, {
      failed,
      ...order,
      ...(gathers && !all ? { partial: true } : {}),
      items: earliestFirst(options.list, plannedItems.unsaved, all),
      pipeline: { ...options.pipeline, steps: options.pipeline.steps.map(atOnce) },
      allows: (step, act) => saves(step, act) && !excluded.has(step.name),
      closed: { because: 'saving', why: 'paid results are saved first' },
      onEvent: (event) => {
        if (event.type === 'task' && event.ending === 'done') savedFirst.add(event.task);
        if (concernsTheRun(event)) options.onEvent(event);
      },
    });
    const { interrupted, unauthorized, machine, outage } = saved.stopped;
    if (interrupted || unauthorized || machine || outage) return saved;
  }
  return await runPhase(options, {
    failed,
    ...order,
    items: inProgressFirst(itemsToDo(options), plannedItems.inProgress),
    settled: settledItems(options),
    allows: (step) => !excluded.has(step.name),
    savedFirst,
  });
}

const detached = 'left as --detach-after says; the next run continues it';

type Variation = Pick<LoopOptions, 'items' | 'allows' | 'failed'> &
  Partial<
    Pick<
      LoopOptions,
      'pipeline' | 'closed' | 'savedFirst' | 'onEvent' | 'partial' | 'orderOf' | 'settled'
    >
  >;

async function runPhase(options: PhaseOptions, variation: Variation): Promise<PhaseResult> {
  const { list, plannedItems, signal, detachment } = options;
  const runner = runnerFor(options);
  const loop = new Loop({
    ...options,
    runner: options.wrapRunner?.(runner) ?? runner,
    total: plannedItems.plan.items,
    unrunnable: plannedItems.unrunnable,
    partial: list.count < list.total,
    someExcluded: options.excluded.size > 0,
    ...variation,
  });
  const over = new AbortController();
  const heed = (signal: AbortSignal | undefined, halt: () => void): void => {
    if (signal?.aborted) halt();
    signal?.addEventListener('abort', halt, { once: true, signal: over.signal });
  };
  heed(signal, () => loop.halt({ what: 'interrupt', why: 'interrupted' }));
  heed(detachment?.leave, () => loop.leave(detached));
  heed(detachment?.overdue, () => loop.halt({ what: 'left', why: detached }));
  for (const { signal, why } of options.machineStops)
    heed(signal, () => loop.halt({ what: 'machine', why }));
  try {
    await loop.run();
  } finally {
    over.abort();
  }
  return { summary: loop.summary, stopped: loop.stopped };
}

function runnerFor({ pipeline, context, stopper, distribute }: PhaseOptions): Runner {
  const limits = pipeline.limits.steps;
  const here = { context: { ...context, stop: stopper.signal }, stopper };
  if (distribute === undefined) return localRunner({ ...here, limits });
  return distribute(localRunner({ ...here, limits: {} }), limits);
}

/** The first phase begins nothing: it reads paid projects once, and fetches their results. */
const saves = ({ kind }: Step, act: Act): boolean =>
  kind.operation === 'download' || act === 'attach';

const atOnce = (step: Step): Step =>
  step.kind.operation === 'create' ? { ...step, timeoutMs: 0 } : step;

/** The first phase reports only warnings, and that the run stops. */
const concernsTheRun = ({ type }: RunEvent): boolean => type === 'warning' || type === 'stopping';

/** `all`: the other items follow. */
function earliestFirst(
  list: ItemList,
  unsaved: ReadonlyMap<string, string>,
  all: boolean,
): Iterable<Item> {
  const items: Item[] = [];
  for (const item of list) if (all || unsaved.has(item.key)) items.push(item);
  // A time in ISO 8601 comes before this.
  const until = ({ key }: Item): string => unsaved.get(key) ?? '~';
  return items.sort((a, b) => (until(a) < until(b) ? -1 : until(a) > until(b) ? 1 : 0));
}

const settledItems = ({ list, plannedItems, visitsAll }: PhaseOptions): Iterable<Item> =>
  visitsAll ? [] : filtered(list, (place) => plannedItems.settled.has(place));

const itemsToDo = ({ list, plannedItems, visitsAll }: PhaseOptions): Iterable<Item> =>
  visitsAll ? list : filtered(list, (place) => !plannedItems.settled.has(place));

/** The items at some places, each time that they are asked for. */
function filtered(list: ItemList, has: (place: number) => boolean): Iterable<Item> {
  return {
    *[Symbol.iterator]() {
      let place = 0;
      for (const item of list) if (has(place++)) yield item;
    },
  };
}

/** Items with unfinished projects come before items without any. */
function inProgressFirst(list: Iterable<Item>, inProgress: ReadonlySet<string>): Iterable<Item> {
  if (inProgress.size === 0) return list;
  return {
    *[Symbol.iterator]() {
      for (const item of list) if (inProgress.has(item.key)) yield item;
      for (const item of list) if (!inProgress.has(item.key)) yield item;
    },
  };
}

function placeIn(list: ItemList): (item: Item) => number {
  const places = new Map<string, number>();
  for (const { key } of list) places.set(key, places.size);
  return ({ key }) => places.get(key) ?? 0;
}
