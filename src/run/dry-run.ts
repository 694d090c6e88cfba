// A dry run, which is the plan: the items go along the same line as in a run, by the same rules, and instead of doing a task, its
// action is foreseen with what is known now.
import type { JsonObject } from '../base/json.ts';
import { unreachable } from '../base/result.ts';
import { endingFacts } from '../core/ending.ts';
import { comesLater, endingOf, isUnsettled } from '../core/planned-action.ts';
import { countsResults, knownBody, resultCount } from '../core/result-count.ts';
import type { TaskProblem } from '../core/task-problem.ts';
import type { Step } from '../language/pipeline.ts';
import { stagesOf } from '../language/stages.ts';
import type { Item } from '../model/item.ts';
import { predicted } from '../model/outputs.ts';
import type { TaskId } from '../model/task.ts';
import type { End } from '../plan/ending.ts';
import { openingOf } from '../plan/fan-opening.ts';
import type { PlannedTask } from '../plan/planned-action.ts';
import { Barrier, type Turn } from '../plan/turn.ts';
import { type FanRun, gatheredSteps, ItemRun, type ItemsInside } from './item-run.ts';
import { type Actor, endOf, excludedEnd, type ItemTask, walk } from './item-walk.ts';
import type { PlanContext } from './plan-context.ts';
import { Planning, plannedTask, pricedTask, problemTask, someTask } from './planned-task.ts';
import { renewalsFor } from './refresh-inputs.ts';

/** What would be done for one item, or for the shared steps. */
export interface DryItem {
  readonly itemRun: ItemRun;
  /** In the order of the steps, and of the elements. */
  readonly tasks: readonly PlannedTask[];
  /** Those that cannot run in the current state. */
  readonly badTasks: readonly PlannedTask[];
  /** By task, for an item with bad tasks: why steps of it must not begin. */
  readonly verdicts: ReadonlyMap<string, End>;
}

/** Why an item is not bought, and which of its steps must not begin. */
interface Unbuyable {
  readonly problem: PlannedTask;
  readonly verdicts: Map<string, End>;
}

export interface DryRunOptions extends PlanContext {
  /** True if the run includes only some of the pipeline's items. */
  readonly partial: boolean;
  /**
   * Reads the files of which a decision lacked the digest; undefined if there are none. Default: a task that waits for one is
   * to be done.
   */
  readonly read?: () => Promise<void> | undefined;
  /**
   * If set, a result that is lost here and at the service is paid for again; the shared creations among them. If an item adds
   * one, the plan must be made again. Default: it is only called lost.
   */
  readonly payAgain?: Set<TaskId> | undefined;
}

/** What earlier passes over an item have shown. */
interface EarlierPasses {
  readonly before?: readonly PlannedTask[];
  readonly own?: readonly PlannedTask[];
  readonly paidAgain?: Set<TaskId>;
}

type Maybe<T> = T | Promise<T>;

/** Call `shared`, then `item` for each item in order, then `afterItems`. A result is a promise if files must be read first. */
export class DryRun implements Actor {
  readonly #o: DryRunOptions;
  readonly #once: readonly Step[];
  readonly #perItem: readonly Step[];
  readonly #afterItems: readonly Step[];
  #shared: DryItem | undefined;
  /** By the item run of an item that cannot run as it is. */
  readonly #unbuyable = new WeakMap<ItemRun, Unbuyable>();
  /** By the item run: its creations whose results are lost, and that are paid for again. */
  readonly #paidAgain = new WeakMap<ItemRun, Set<TaskId>>();
  /** Free tasks that are done, and that a request needs again. */
  readonly #renewed = new Map<TaskId, PlannedTask>();
  /** Those of the item that is looked at now. */
  readonly #renewing = new Map<TaskId, PlannedTask>();
  readonly #barrier: Barrier;
  /** The steps that this run does for some item. */
  readonly #later = new Set<string>();
  /** The steps of items of which a shared step reads `all` outputs; if there are any, the items, in their order. */
  readonly #gathered: readonly Step[];
  readonly #items: ItemRun[] = [];

  constructor(options: DryRunOptions) {
    this.#o = options;
    const { once, perItem, afterItems } = stagesOf(options.steps);
    this.#once = once;
    this.#perItem = perItem;
    this.#afterItems = afterItems;
    this.#barrier = new Barrier(options.partial);
    this.#gathered = gatheredSteps(perItem);
  }

  /** The shared steps that wait for no item. */
  shared(): Maybe<DryItem> {
    const run = () => new ItemRun({ steps: this.#once, item: undefined });
    const paidAgain = this.#o.payAgain ?? new Set();
    return after(this.#planItem(run, this.#once, { paidAgain }), (shared) => {
      this.#shared = shared;
      return shared;
    });
  }

  item(item: Item): Maybe<DryItem> {
    const around = this.#shared?.itemRun;
    if (around === undefined) throw new Error('bug: the items come after the shared steps');
    const steps = this.#perItem;
    const run = () => new ItemRun({ steps, item, around });
    return after(this.#planItem(run, steps), (planned) => {
      for (const { step, action } of planned.tasks) {
        this.#barrier.note(step.name, endingOf(action));
        if (isUnsettled(action)) this.#later.add(step.name);
      }
      if (this.#gathered.length > 0) this.#items.push(planned.itemRun);
      return planned;
    });
  }

  /** The shared steps that wait for all items; undefined if there are none. The others are looked at once more. */
  afterItems(): Maybe<DryItem> | undefined {
    if (this.#afterItems.length === 0) return undefined;
    const steps = this.#o.steps.filter(({ shared }) => shared);
    const run = () => new ItemRun({ steps, item: undefined, items: this.#itemsOver() });
    const paidAgain = this.#o.payAgain ?? new Set();
    const before = this.#shared?.badTasks ?? [];
    return this.#planItem(run, this.#afterItems, { before, paidAgain });
  }

  /** True if the task would begin now: its turn comes before anything that is still to be done. */
  isNext({ itemRun }: DryItem, { task, action, step }: PlannedTask): boolean {
    if (!comesLater(action)) return false;
    const isOwn = (elementRun: ItemRun): boolean =>
      elementRun.plannedHere(step.name)?.task === task;
    const own = itemRun.elementRuns.find(isOwn) ?? itemRun;
    return !step.after.some((name) => someTask(own, name, comesLater, this.#later));
  }

  /** Tasks that an item or the shared steps have reused, and that a later request needs again. */
  get renewedLater(): Iterable<PlannedTask> {
    return this.#renewed.values();
  }

  #itemsOver(): ItemsInside {
    const { partial } = this.#o;
    return {
      gathered: this.#gathered,
      over: () => undefined,
      phase: (step) => this.#barrier.phase(step, { over: true, rest: undefined }),
      rest: () => (partial ? 'excluded' : 'done'),
      runs: () => this.#items,
    };
  }

  /**
   * Nothing is bought for an item that cannot run as it is: its first problem blocks its paid steps. `before`: problems of
   * the shared steps before it. `paidAgain`: the creations that turned out to be lost.
   */
  #planItem(
    start: () => ItemRun,
    steps: readonly Step[],
    { before = [], own = [], paidAgain = new Set() }: EarlierPasses = {},
  ): Maybe<DryItem> {
    this.#renewing.clear();
    const itemRun = start();
    const knownLost = paidAgain.size;
    this.#paidAgain.set(itemRun, paidAgain);
    const bad = [...before, ...own];
    const [problem] = bad;
    const verdicts = new Map<string, End>(bad.map((task) => [task.task, verdictOn(task)]));
    if (problem !== undefined) this.#unbuyable.set(itemRun, { problem, verdicts });
    return after(walk(itemRun, this), () => {
      if (paidAgain.size > knownLost)
        return this.#planItem(start, steps, { before, own, paidAgain });
      const tasks = this.#tasksOf(itemRun, steps);
      const found = own.length > 0 ? [] : tasks.filter(({ action }) => action === 'problem');
      if (found.length > 0) return this.#planItem(start, steps, { before, own: found, paidAgain });
      for (const [task, renewed] of this.#renewing) this.#renewed.set(task, renewed);
      return { itemRun, tasks, badTasks: own, verdicts };
    });
  }

  #tasksOf(itemRun: ItemRun, steps: readonly Step[]): readonly PlannedTask[] {
    return steps.flatMap(({ name, fan }) =>
      (fan === undefined ? [itemRun] : (itemRun.elementRunsWith(name) ?? [])).map((run) => {
        const planned = run.plannedHere(name);
        if (planned === undefined) throw new Error(`bug: ${name} was not foreseen`);
        const renewed = this.#renewing.get(planned.task);
        this.#renewing.delete(planned.task);
        return renewed ?? planned;
      }),
    );
  }

  // The turns

  act(itemTask: ItemTask): Promise<void> | undefined {
    const { itemRun, step } = itemTask;
    const turn = itemRun.turn(step);
    const planned =
      turn === 'start'
        ? this.#again(itemTask, plannedTask(this.#planning(itemRun), step))
        : this.#endedBefore(itemTask, turn);
    return this.#end(itemTask, planned, () => this.act(itemTask));
  }

  open(fan: FanRun, head: ItemTask, turn: Turn): Promise<void> | undefined {
    const { itemRun, step } = head;
    const withoutElements = (why: End | TaskProblem): Promise<void> | undefined => {
      const [elementRun = itemRun] = itemRun.open(fan, undefined);
      return this.#endHead({ itemRun: elementRun, step }, why);
    };
    if (turn !== 'start') return withoutElements(turn);
    const opening = openingOf(fan.fan, this.#planning(itemRun), this.#o.steps);
    switch (opening.is) {
      case 'open':
        itemRun.open(fan, opening.elements);
        return undefined;
      case 'unknown':
        itemRun.open(fan, undefined, opening);
        return undefined;
      case 'problem':
        return withoutElements(opening.problem);
      default:
        return unreachable(opening);
    }
  }

  #endHead(head: ItemTask, why: End | TaskProblem): Promise<void> | undefined {
    const { itemRun, step } = head;
    const planned =
      'ending' in why ? this.#endedBefore(head, why) : problemTask(itemRun, step, why);
    return this.#end(head, planned, () => this.#endHead(head, why));
  }

  /** `again`: looks at the task once more, with the files that had to be read. */
  #end(
    itemTask: ItemTask,
    planned: PlannedTask,
    again: () => Promise<void> | undefined,
  ): Promise<void> | undefined {
    const { itemRun, step } = itemTask;
    const { excluded, read } = this.#o;
    const free = this.#withoutBuying(
      itemTask,
      excluded.has(step.name) ? withoutDoing(planned) : planned,
    );
    const renewals = this.#renewals(itemTask, free);
    const reading = read?.();
    if (reading !== undefined) return reading.then(again);
    for (const renewed of renewals.list) this.#renewing.set(renewed.task, renewed);
    const certain: PlannedTask =
      renewals.lost === undefined ? free : { ...free, action: 'lost', why: renewals.lost };
    this.#expect(itemTask, counted(itemRun, renewals.isBarred ? withoutDoing(certain) : certain));
    return undefined;
  }

  #endedBefore(itemTask: ItemTask, turn: End): PlannedTask {
    return endedBefore(itemTask, endOf(turn, this.#o.excluded.has(itemTask.step.name)));
  }

  #expect({ itemRun, step }: ItemTask, planned: PlannedTask): void {
    const { action, fingerprint } = planned;
    const { jobOf } = this.#o;
    const ending = endingOf(action);
    const job = fingerprint === undefined ? undefined : jobOf(fingerprint);
    if (
      fingerprint !== undefined &&
      job !== undefined &&
      (action === 'reuse' || action === 'store')
    ) {
      itemRun.expect(planned);
      itemRun.setOutputs(step, fingerprint, job, undefined);
    } else if (ending === 'done')
      itemRun.expect(planned, this.#predicted(itemRun, planned), comesLater(action));
    else itemRun.expect(planned);
    itemRun.end(step.name, ending);
  }

  #predicted(itemRun: ItemRun, { step, fingerprint }: PlannedTask): JsonObject {
    if (fingerprint === undefined) return {};
    const body = countsResults(step) ? knownBody(step, this.#planning(itemRun).scope) : {};
    return predicted(step.kind.operation, fingerprint, resultCount(step, body));
  }

  /** A lost result is bought once more: then the item is looked at again. */
  #again({ itemRun, step }: ItemTask, planned: PlannedTask): PlannedTask {
    const { action, task } = planned;
    if (action === 'reuse' && this.#paidAgain.get(itemRun.root)?.has(task) === true)
      return pricedTask(this.#planning(itemRun), {
        ...planned,
        action: 'begin',
        why: 'its result is lost',
      });
    const isWanted = action === 'lost' && !this.#o.excluded.has(step.name);
    if (isWanted && step.kind.operation === 'create' && this.#o.payAgain !== undefined)
      return pricedTask(this.#planning(itemRun), { ...planned, action: 'begin' });
    if (!isWanted || step.of === undefined) return planned;
    return this.#isBarred(itemRun.ownerOf(step.of), step.of) ? withoutDoing(planned) : planned;
  }

  /** A lost result is bought again, if it may be. True: the run excludes the step that would make it. */
  #isBarred(owner: ItemRun | undefined, step: string): boolean {
    const { payAgain, excluded } = this.#o;
    const planned = owner?.plannedHere(step);
    if (payAgain === undefined || owner === undefined || planned?.action !== 'reuse') return false;
    if (excluded.has(step)) return true;
    this.#paidAgain.get(owner.root)?.add(planned.task);
    return false;
  }

  #withoutBuying({ itemRun }: ItemTask, planned: PlannedTask): PlannedTask {
    const { step, task, action } = planned;
    const unbuyable = this.#unbuyable.get(itemRun.root);
    const buys = step.kind.operation === 'create' && (action === 'begin' || action === 'maybe');
    if (unbuyable === undefined || !buys) return planned;
    const why = `not bought: ${unbuyable.problem.task} cannot run`;
    unbuyable.verdicts.set(task, { ending: 'blocked', why });
    return { step, task, action: 'blocked', why };
  }

  /** A request needs live values: the free tasks to repeat for it, or why it cannot be sent. */
  #renewals({ itemRun }: ItemTask, { step, action }: PlannedTask): ReturnType<typeof renewalsFor> {
    const { operation } = step.kind;
    if (action !== 'begin' || (operation !== 'detect' && operation !== 'create'))
      return { list: [] };
    const { now, facts, remembered, jobOf } = this.#o;
    const isBarred = (owner: ItemRun, lost: Step) => this.#isBarred(owner, lost.name);
    return renewalsFor(itemRun, step, { now, facts, remembered, jobOf, isBarred });
  }

  #planning(itemRun: ItemRun): Planning {
    return new Planning(itemRun, this.#o, this.#later);
  }
}

function endedBefore({ itemRun, step }: ItemTask, turn: End): PlannedTask {
  const task = itemRun.task(step);
  const { dependents: action } = endingFacts[turn.ending];
  if (action === 'done' || action === 'later')
    throw new Error(`bug: ${task} is ${action} before its turn`);
  return { step, task, action, why: turn.why };
}

/** A step that the run excludes is still reused if it is done, and still skipped if its `if:` is false. */
function withoutDoing(planned: PlannedTask): PlannedTask {
  const { step, task, action, fingerprint } = planned;
  if (action === 'reuse' || action === 'skipped' || action === 'blocked') return planned;
  return { step, task, action: 'excluded', why: excludedEnd.why, fingerprint };
}

function counted({ element }: ItemRun, planned: PlannedTask): PlannedTask {
  if (element === undefined) return planned;
  const { index, of, unknown } = element;
  if (unknown !== undefined) return { ...planned, times: unknown.times };
  return index === undefined
    ? planned
    : { ...planned, times: { least: of, most: of, open: false } };
}

const verdictOn = ({ why, problem }: PlannedTask): End => ({
  ending: 'failed',
  why,
  diagnostic: problem?.code,
  named: problem?.named,
});

function after<T, U>(value: Maybe<T>, then: (value: T) => Maybe<U>): Maybe<U> {
  return value instanceof Promise ? value.then(then) : then(value);
}
