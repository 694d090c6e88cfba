// The plan of one item: a pure walk over its steps with what is known now, by the same rules as a run. The plan of an
// element is such a plan inside the plan of its item.
import type { JsonObject } from '../../contract/base/json.ts';
import { resultOf } from '../journal/line.ts';
import { type Scope, toCel } from '../language/expression.ts';
import type { FanOut, Step } from '../language/pipeline.ts';
import { eachOf } from '../task/element.ts';
import type { Item } from '../task/item.ts';
import { namedByContent, predicted } from '../task/outputs.ts';
import { type TaskId, taskId } from '../task/task.ts';
import { knownBody } from './afterwards.ts';
import { alikeKey } from './alike.ts';
import { Barrier } from './barrier.ts';
import { type End, endingFacts, type Phase } from './ending.ts';
import { type Gathering, isFinal } from './fan-in.ts';
import { countsResults, type Opening, openingOf, resultCount } from './fan-opening.ts';
import { comesLater, endingOf, isUnsettled, type PlannedTask, type Times } from './planned-action.ts';
import { type Planning, plannedTask, problemTask } from './planned-task.ts';
import type { Contributing, Contribution, ItemVerdict, OverItems, PlanContext } from './planning.ts';
import { awayUpload, lostInput, renewalOf } from './renew.ts';
import { savedOutputs } from './saved-outputs.ts';
import { stepNamed } from './step-named.ts';
import { saversOf, turnOf } from './turn.ts';

/**
 * The plans that precede this one: for an item, that of the shared steps; for the last shared steps, also those of the
 * items.
 */
export interface Before {
  readonly shared?: ItemPlan;
  readonly items?: OverItems;
}

/**
 * Plans one item's steps (or the shared steps), given the plans that precede them. Nothing is bought for an item that
 * cannot run as it is: its first problem blocks its paid steps.
 */
export function planItem(
  steps: readonly Step[],
  item: Item | undefined,
  context: PlanContext,
  before: Before = {},
): ItemPlan {
  const walk = new ItemPlan(steps, item, context, before);
  const badTasks = walk.tasks.filter(({ action }) => action === 'problem');
  return badTasks.length === 0 ? walk : new ItemPlan(steps, item, context, { ...before, badTasks });
}

/** A step that the run excludes is still reused if it is done, and still skipped if its `if:` is false. */
function withoutDoing(planned: PlannedTask): PlannedTask {
  const { step, task, action, fingerprint } = planned;
  if (action === 'reuse' || action === 'skipped' || action === 'blocked') return planned;
  const known = fingerprint === undefined ? {} : { fingerprint };
  return { step, task, action: 'excluded', why: 'this run excludes the step', ...known };
}

/** Makes a plan that of one element, or of a fan-out whose elements are not known. */
interface Lane {
  readonly fan: FanOut;
  /** The plan of the item, or of the shared steps. */
  readonly outer: ItemPlan;
  /** The plan of the same element for the steps of an earlier stage. */
  readonly earlier?: ItemPlan;
  readonly opening: Exclude<Opening, { readonly is: 'open' }> | OpenElement;
}

interface OpenElement {
  readonly is: 'element';
  readonly index: number;
  readonly each: unknown;
  readonly times: Times;
}

interface More extends Before {
  readonly badTasks?: readonly PlannedTask[];
  readonly lane?: Lane;
}

export class ItemPlan implements Planning, Contributing {
  /** Includes the tasks of the elements. */
  readonly tasks: PlannedTask[] = [];
  readonly #byStep = new Map<string, PlannedTask>();
  /** By task: the plans of the elements. */
  readonly #planOf = new Map<TaskId, ItemPlan>();
  readonly #outputs: Record<string, unknown>;
  readonly #scope: Scope;
  /** The plans of the elements, by the steps with `for_each`. */
  readonly #lanes = new Map<string, readonly ItemPlan[]>();
  readonly #item: Item | undefined;
  readonly context: PlanContext;
  readonly #before: Before;
  readonly #lane: Lane | undefined;
  /** Tasks that cannot run in the current state. */
  readonly badTasks: readonly PlannedTask[];
  /** By task: why steps of an item that cannot run must not begin. */
  readonly verdicts = new Map<string, ItemVerdict>();

  constructor(
    steps: readonly Step[],
    item: Item | undefined,
    context: PlanContext,
    { badTasks = [], lane, ...before }: More,
  ) {
    this.badTasks = badTasks;
    for (const { task, why } of badTasks) this.verdicts.set(task, { ending: 'failed', why });
    this.#item = item;
    this.context = context;
    this.#before = before;
    this.#lane = lane;
    this.#outputs = before.shared === undefined ? {} : { ...before.shared.#outputs };
    this.#scope = { ...context.base, item: toCel(item?.fields), steps: this.#outputs };
    if (before.items !== undefined)
      for (const { name, isGathered, shared, fan } of context.steps)
        if (isGathered && !shared && fan === undefined) this.#gather(name, before.items.plans);
    for (const step of steps) this.#visit(step);
  }

  get scope(): Scope {
    if (this.#lane === undefined) return this.#scope;
    const { outer, earlier, opening } = this.#lane;
    const before = earlier === undefined ? {} : earlier.#outputs;
    const steps = { ...outer.#outputs, ...before, ...this.#outputs };
    return { ...outer.scope, steps, ...(opening.is === 'element' ? { each: opening.each } : {}) };
  }

  /** The plan of the item, or of the shared steps. */
  get #root(): ItemPlan {
    return this.#lane?.outer ?? this;
  }

  /** The plans in which a step is looked up after this one. */
  get #around(): readonly ItemPlan[] {
    const { earlier, outer: next = this.#before.shared } = this.#lane ?? {};
    return [earlier, next].flatMap((plan) => plan ?? []);
  }

  of(step: string): PlannedTask | undefined {
    const owner = this.#ownerOf(step);
    return owner === undefined ? undefined : owner.#byStep.get(step);
  }

  #ownerOf(step: string): ItemPlan | undefined {
    if (this.#byStep.has(step)) return this;
    for (const plan of this.#around) {
      const owner = plan.#ownerOf(step);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  /** The plans of the elements to which a step belongs. */
  #lanesWith(step: string): readonly ItemPlan[] | undefined {
    const { fan } = stepNamed(this.context.steps, step) ?? {};
    if (fan === undefined) return undefined;
    const root = this.#root;
    return root.#lanes.get(fan.step) ?? root.#earlierLanes(fan.step);
  }

  /** The plans of the elements of a shared fan-out, in the plan of the shared steps before this one. */
  #earlierLanes(fan: string): readonly ItemPlan[] | undefined {
    const { shared } = this.#before;
    return shared === undefined ? undefined : shared.#lanes.get(fan);
  }

  #visit(step: Step): void {
    const { fan, isGathered, name } = step;
    if (fan === undefined) return this.#take(step);
    const lanes = this.#lanes.get(fan.step) ?? this.#open(fan);
    for (const lane of lanes) lane.#take(step);
    if (isGathered) this.#gather(name, lanes);
  }

  #open(fan: FanOut): readonly ItemPlan[] {
    const laneOf = (opening: Lane['opening'], earlier?: ItemPlan): ItemPlan => {
      const lane = { fan, outer: this, opening, ...(earlier === undefined ? {} : { earlier }) };
      return new ItemPlan([], this.#item, this.context, { lane });
    };
    const earlier = this.#earlierLanes(fan.step)?.flatMap((plan) =>
      plan.#lane === undefined ? [] : laneOf(plan.#lane.opening, plan),
    );
    const lanes = earlier ?? this.#openings(fan).map((opening) => laneOf(opening));
    this.#lanes.set(fan.step, lanes);
    return lanes;
  }

  #openings(fan: FanOut): readonly Lane['opening'][] {
    const turn = this.#turnOf({ ...fan, after: fan.uses });
    if (turn === undefined) throw new Error(`bug: ${fan.step} was opened too early`);
    const { steps } = this.context;
    const question = { turn, scope: this.scope, steps, comesLater: this.comesLater.bind(this) };
    const opening = openingOf(fan, question);
    if (opening.is !== 'open') return [opening];
    const { elements } = opening;
    const times = { least: elements.length, most: elements.length, open: false };
    return elements.map((element, index) => {
      return { is: 'element', index, each: toCel(eachOf(element, index)), times };
    });
  }

  /** Sets the outputs `all` of a step, unless the list is not certain yet. */
  #gather(step: string, plans: readonly Contributing[]): void {
    const done = plans
      .map((plan) => plan.contribution(step))
      .filter(({ planned }) => endingOf(planned.action) === 'done');
    if (done.some(({ planned }) => planned.fingerprint === undefined)) return;
    this.#outputs[step] = { all: done.map(({ outputs }) => outputs) };
  }

  contribution(step: string): Contribution {
    const planned = this.of(step);
    if (planned === undefined) throw new Error(`bug: ${step} was gathered too early`);
    const after = (name: string): readonly string[] =>
      stepNamed(this.context.steps, name)?.after ?? [];
    const settled = isFinal(step, (name) => this.#phaseOf(name), after);
    return { planned, outputs: this.#outputs[step] ?? {}, isFinal: settled };
  }

  /** Plans one task. */
  #take(step: Step): void {
    const opening = this.#lane?.opening;
    const index = opening?.is === 'element' ? opening.index : undefined;
    const task = taskId(step.name, step.shared ? undefined : this.#item, index);
    const asked =
      this.#unopened(step, task) ?? this.#decidedBefore(step, task) ?? plannedTask(this, step, task);
    const planned = this.context.excluded.has(step.name) ? withoutDoing(asked) : asked;
    const free = this.#counted(this.#renewed(this.#spared(planned)));
    this.#byStep.set(step.name, free);
    this.#root.tasks.push(free);
    if (this.#lane !== undefined) this.#root.#planOf.set(task, this);
    if (step.isRead) this.#outputs[step.name] = toCel(this.#outputsOf(free));
  }

  /** The first task of a fan-out that has no elements. */
  #unopened(step: Step, task: TaskId): PlannedTask | undefined {
    if (this.#lane?.fan.step !== step.name) return undefined;
    const { opening } = this.#lane;
    if (opening.is === 'problem') return problemTask(step, task, opening.problem);
    return opening.is === 'ended' ? endedBefore(step, task, opening.turn) : undefined;
  }

  #counted(planned: PlannedTask): PlannedTask {
    const opening = this.#lane?.opening;
    return opening?.is === 'element' || opening?.is === 'unknown'
      ? { ...planned, times: opening.times }
      : planned;
  }

  get elementsAfter(): string | undefined {
    const opening = this.#lane?.opening;
    return opening?.is === 'unknown' ? opening.after : undefined;
  }

  #phaseOf(name: string): Phase {
    const before = this.of(name);
    const lanes = before === undefined ? this.#lanesWith(name) : undefined;
    const phase =
      before !== undefined
        ? endingOf(before.action)
        : lanes === undefined
          ? this.#root.#before.items?.phase(name)
          : overAll(name, lanes);
    if (phase === undefined) throw new Error(`bug: ${name} was not foreseen`);
    return phase;
  }

  #gathering(name: string): Gathering {
    const lanes = this.#lanesWith(name);
    const { items } = this.#root.#before;
    const plans = lanes ?? items?.plans ?? [];
    const contributors = plans.map((plan) => {
      const { planned, isFinal: settled } = plan.contribution(name);
      return { task: planned.task, phase: endingOf(planned.action), isFinal: settled };
    });
    return { contributors, rest: lanes === undefined && items?.partial ? 'excluded' : 'done' };
  }

  #turnOf(step: Parameters<typeof turnOf>[0]): ReturnType<typeof turnOf> {
    return turnOf(
      step,
      (name) => this.#phaseOf(name),
      (name) => this.#gathering(name),
    );
  }

  /** The result of a step that the steps before it already decide. */
  #decidedBefore(step: Step, task: TaskId): PlannedTask | undefined {
    const turn = this.#turnOf(step);
    if (turn === undefined) throw new Error(`bug: ${task} was foreseen too early`);
    return turn === 'start' ? undefined : endedBefore(step, task, turn);
  }

  saversOf(step: Step): readonly PlannedTask[] {
    return saversOf(step, this.context.steps).flatMap(({ name }) => this.of(name) ?? []);
  }

  /** True if a delete must wait for this step. */
  holdsUp(name: string): boolean {
    return this.#some(name, isUnsettled);
  }

  /** True if this step's outputs become known only during the run. */
  comesLater(name: string): boolean {
    return this.#some(name, comesLater);
  }

  #some(name: string, is: (action: PlannedTask['action']) => boolean): boolean {
    const planned = this.of(name);
    if (planned !== undefined) return is(planned.action);
    const lanes = this.#lanesWith(name);
    return lanes === undefined
      ? this.#root.#before.items?.later(name) === true
      : lanes.some((lane) => lane.#some(name, is));
  }

  /** True if the task would begin now: its turn comes before anything that is still to be done. */
  isNext({ task, action, step }: PlannedTask): boolean {
    const plan = this.#planOf.get(task) ?? this;
    return comesLater(action) && !step.after.some((name) => plan.comesLater(name));
  }

  alike(step: Step): string | undefined {
    const opening = this.#lane?.opening;
    const element = opening?.is === 'element' ? opening.index : undefined;
    const contentOf = (name: string): string | undefined => {
      const planned = this.of(name);
      return planned?.fingerprint ?? planned?.alike;
    };
    return alikeKey(step, this.#item, contentOf, element);
  }

  /** Buys nothing for an item that cannot run as it is. */
  #spared(planned: PlannedTask): PlannedTask {
    const { badTasks, verdicts } = this.#root;
    const [problem] = badTasks;
    const { step, task, action } = planned;
    const buys = step.kind.operation === 'create' && (action === 'begin' || action === 'maybe');
    if (problem === undefined || !buys) return planned;
    const why = `not bought: ${problem.task} cannot run`;
    verdicts.set(task, { ending: 'blocked', why });
    return { step, task, action: 'blocked', why };
  }

  /** A request needs live values: stale values are refreshed first. */
  #renewed(planned: PlannedTask): PlannedTask {
    const { step, action } = planned;
    const sends = step.kind.operation === 'detect' || step.kind.operation === 'create';
    if (!sends || action !== 'begin') return planned;
    const lost = this.#renewInputs(step);
    if (lost === undefined) return planned;
    return { ...planned, action: 'lost', why: lost };
  }

  /** Marks the tasks that must be repeated for a step's inputs. Returns why the inputs cannot be had, if so. */
  #renewInputs({ uses, gathers }: Step): string | undefined {
    for (const name of uses) {
      const all = this.#lanesWith(name) ?? this.#root.#before.items?.plans ?? [];
      const owners = gathers.includes(name) ? all : [this.#ownerOf(name)];
      for (const owner of owners) {
        const lost = owner?.renew(name);
        if (lost !== undefined) return lost;
      }
    }
    return undefined;
  }

  renew(name: string): string | undefined {
    const planned = this.of(name);
    if (planned?.action !== 'reuse' || planned.fingerprint === undefined) return undefined;
    const job = this.context.jobOf(planned.fingerprint);
    if (job === undefined) return undefined;
    const { operation } = planned.step.kind;
    const { now, facts } = this.context;
    const renewal = renewalOf(operation, job, now, facts);
    if (renewal === 'lost') return lostInput(planned.task, job, facts);
    if (renewal !== 'redo') return undefined;
    if (planned.away !== undefined) return awayUpload(planned.task, planned.away);
    const { tasks } = this.#root;
    const index = tasks.findIndex(({ task }) => task === planned.task);
    const why =
      operation === 'detect' ? 'its face detection has expired' : 'its upload has expired';
    tasks[index] = { ...planned, action: 'begin', why };
    return this.#renewInputs(planned.step);
  }

  #outputsOf({ step, task, fingerprint, action }: PlannedTask): JsonObject {
    if (fingerprint === undefined) return {};
    const { operation } = step.kind;
    const job = this.context.jobOf(fingerprint);
    const known = action === 'reuse' || action === 'store';
    if (!known || job === undefined) {
      const body = countsResults(step) ? knownBody(step, this.scope) : {};
      return predicted(operation, fingerprint, resultCount(step, body));
    }
    if (operation === 'download' || operation === 'delete') return savedOutputs(job, task);
    return namedByContent(operation, fingerprint, resultOf(job), job.credits ?? 0);
  }
}

function endedBefore(step: Step, task: TaskId, turn: End): PlannedTask {
  const { dependents: action } = endingFacts[turn.ending];
  if (action === 'done' || action === 'later')
    throw new Error(`bug: ${task} is ${action} before its turn`);
  return { step, task, action, why: turn.why };
}

/** The phase of a step over all elements. */
function overAll(step: string, lanes: readonly ItemPlan[]): Phase {
  const barrier = new Barrier(false);
  for (const lane of lanes) {
    const planned = lane.of(step);
    if (planned === undefined) throw new Error(`bug: ${step} was not foreseen`);
    barrier.note(step, endingOf(planned.action));
  }
  return barrier.phase(step, { over: true, rest: undefined });
}
