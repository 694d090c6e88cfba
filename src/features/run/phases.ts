// The phases of a run. The first saves paid results that may expire, the earliest first: those of earlier runs, then its own.
// The second does everything else, and may buy. The last completes what earlier runs had paid for: it waits for their
// projects, and deletes what is saved.

import type { Act } from '../../core/planned-action.ts';
import type { RunEvent } from '../../core/run-event.ts';
import type { RunView } from '../../core/run-view.ts';
import type { Stopped } from '../../core/summary.ts';
import type { Tally } from '../../core/tally.ts';
import type { ItemList } from '../../files/items.ts';
import type { Step } from '../../language/pipeline.ts';
import type { Fingerprint } from '../../model/fingerprint.ts';
import type { Item } from '../../model/item.ts';
import type { JobContext } from '../../run/jobs/job-context.ts';
import { localPerformer } from '../../run/jobs/local-performer.ts';
import type { Performer } from '../../run/jobs/performer.ts';
import { Walk, type WalkOptions } from '../../run/walk.ts';
import type { EarlierRun } from '../planning/earlier-runs.ts';
import type { PlannedItems } from '../planning/plan-items.ts';

export interface PhaseOptions
  extends Omit<
    WalkOptions,
    | 'items'
    | 'total'
    | 'performer'
    | 'tally'
    | 'allows'
    | 'unrunnable'
    | 'begunJobs'
    | 'closed'
    | 'savedFirst'
    | 'partial'
    | 'failed'
  > {
  readonly list: ItemList;
  /** Of the walk that the run tells of. The others count for themselves. */
  readonly view: RunView;
  readonly earlier: readonly EarlierRun[];
  readonly plannedItems: PlannedItems;
  /** True if items with nothing to do go through the run nevertheless, because the manifests of some are missing. */
  readonly visitsAll: boolean;
  readonly context: Omit<JobContext, 'stop'>;
  /** Aborts `stop` of both phases. */
  readonly stopper: AbortController;
  /** Steps that this run excludes. */
  readonly excluded: ReadonlySet<string>;
  readonly signal: AbortSignal | undefined;
  /** Aborted when the run leaves the projects that still render. */
  readonly leave?: AbortSignal;
  /** Aborted when it leaves whatever it still waits for. */
  readonly overdue?: AbortSignal;
  readonly machineStops: readonly MachineStop[];
  readonly wrapPerformer?: ((performer: Performer) => Performer) | undefined;
}

/** Why this machine ends the run early: what is in flight is still recorded. */
export interface MachineStop {
  readonly signal: AbortSignal;
  readonly why: string;
}

export interface PhaseResult {
  readonly tally: Tally;
  readonly stopped: Stopped;
}

export async function runPhases(options: PhaseOptions): Promise<PhaseResult> {
  const { plannedItems, excluded, earlier } = options;
  const savedFirst = new Set<string>();
  // A job that failed in the first phase is not tried again in the second.
  const failed = new Map<Fingerprint, string>();
  const begunJobs = excluded.size > 0 ? new Set<Fingerprint>() : undefined;
  const soFar = { failed, begunJobs };
  for (const run of earlier) {
    const saved = await runPhase(then(options, run), {
      ...soFar,
      ...only(options, run.items),
      ...savingAtOnce(options),
      onEvent: aboutTheRun(options),
    });
    if (isHalted(saved)) return saved;
  }
  if (plannedItems.unsaved.size > 0) {
    const saved = await runPhase(options, {
      ...soFar,
      ...only(options, plannedItems.unsaved),
      ...savingAtOnce(options),
      onEvent: (event) => {
        if (event.type === 'task' && event.ending === 'done') savedFirst.add(event.task);
        if (concernsTheRun(event)) options.onEvent(event);
      },
    });
    if (isHalted(saved)) return saved;
  }
  const performed = await runPhase(options, {
    ...soFar,
    ...orderOf(options),
    tally: options.view.walk(),
    items: inProgressFirst(itemsToDo(options), plannedItems.inProgress),
    settled: settledItems(options),
    allows: (step) => !excluded.has(step.name),
    savedFirst,
  });
  return await completeEarlier(options, soFar, performed);
}

/** What earlier runs paid for, and what ended it: the summary tells of it as of this run's own tasks. */
async function completeEarlier(
  options: PhaseOptions,
  soFar: SoFar,
  performed: PhaseResult,
): Promise<PhaseResult> {
  const { excluded, earlier } = options;
  if (isHalted(performed)) return performed;
  for (const run of earlier) {
    const completed = await runPhase(then(options, run), {
      ...soFar,
      ...only(options, run.items),
      allows: (step, act) => completes(step, act) && !excluded.has(step.name),
      closed: saving,
      onEvent: aboutTheRun(options),
    });
    performed.tally.addEarlier(completed.tally, `of ${run.values.date}`);
    if (isHalted(completed)) return { ...completed, tally: performed.tally };
  }
  return performed;
}

const isHalted = ({ stopped }: PhaseResult): boolean =>
  stopped.interrupted || stopped.unauthorized || stopped.machine || stopped.outage;

const then = (options: PhaseOptions, { base, planned }: EarlierRun): PhaseOptions => ({
  ...options,
  base,
  plannedItems: planned,
});

const saving = { because: 'saving', why: 'paid results are saved first' } as const;

/** The first phase buys nothing and waits for nothing. */
const savingAtOnce = ({ pipeline, excluded }: PhaseOptions) =>
  ({
    pipeline: { ...pipeline, steps: pipeline.steps.map(atOnce) },
    allows: (step: Step, act: Act) => saves(step, act) && !excluded.has(step.name),
    closed: saving,
  }) as const;

const gathersIn = ({ pipeline }: PhaseOptions): boolean =>
  pipeline.steps.some(({ isGathered, shared, fan }) => isGathered && !shared && fan === undefined);

const orderOf = (options: PhaseOptions): Pick<Variation, 'orderOf'> =>
  gathersIn(options) ? { orderOf: placeIn(options.list) } : {};

/**
 * Some items, with the times until which they should be saved. The results of a fan-in are found again only with all items.
 * With some of them, its list would be another one.
 */
function only(
  options: PhaseOptions,
  items: ReadonlyMap<string, string>,
): Pick<Variation, 'orderOf' | 'partial' | 'items'> {
  const gathers = gathersIn(options);
  const all = gathers && items.has('');
  return {
    ...orderOf(options),
    ...(gathers && !all ? { partial: true } : {}),
    items: earliestFirst(options.list, items, all),
  };
}

const detached = 'left as --detach-after says; the next run continues it';

/** What the phases know of those before. */
type SoFar = Pick<WalkOptions, 'failed' | 'begunJobs'>;

type Variation = SoFar &
  Pick<WalkOptions, 'items' | 'allows'> &
  Partial<
    Pick<
      WalkOptions,
      'pipeline' | 'closed' | 'savedFirst' | 'onEvent' | 'partial' | 'orderOf' | 'settled' | 'tally'
    >
  >;

async function runPhase(options: PhaseOptions, variation: Variation): Promise<PhaseResult> {
  const { list, plannedItems, stopper, signal, leave, overdue } = options;
  const performer = localPerformer({
    context: { ...options.context, stop: stopper.signal },
    stopper,
    limits: options.pipeline.limits.steps,
  });
  const walk = new Walk({
    ...options,
    performer: options.wrapPerformer?.(performer) ?? performer,
    total: plannedItems.plan.items,
    unrunnable: plannedItems.unrunnable,
    partial: list.count < list.total,
    ...variation,
  });
  const over = new AbortController();
  const heed = (signal: AbortSignal | undefined, halt: () => void): void => {
    if (signal?.aborted) halt();
    signal?.addEventListener('abort', halt, { once: true, signal: over.signal });
  };
  heed(signal, () => walk.halt({ what: 'interrupt', why: 'interrupted' }));
  heed(leave, () => walk.leave(detached));
  heed(overdue, () => walk.halt({ what: 'left', why: detached }));
  for (const { signal, why } of options.machineStops)
    heed(signal, () => walk.halt({ what: 'machine', why }));
  try {
    await walk.run();
  } finally {
    over.abort();
  }
  return { tally: walk.tally, stopped: walk.stopped };
}

/** The first phase begins nothing: it reads paid projects once, and fetches their results. */
const saves = ({ kind }: Step, act: Act): boolean =>
  kind.operation === 'download' || act === 'attach';

const atOnce = (step: Step): Step =>
  step.kind.operation === 'create' ? { ...step, timeoutMs: 0 } : step;

/** What completes a paid result of an earlier run. A result that is gone is nothing to be told of again in each run. */
const completes = ({ kind }: Step, act: Act): boolean =>
  act === 'attach' ||
  (act === 'begin' && (kind.operation === 'download' || kind.operation === 'delete'));

const aboutTheRun =
  ({ onEvent }: PhaseOptions) =>
  (event: RunEvent): void => {
    if (concernsTheRun(event)) onEvent(event);
  };

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
