// Where a plan looks up steps, outputs and phases: in itself, then in the plans around it. The plan of an element is inside the
// plan of its item, and that follows the plan of the shared steps.
import { type Scope, toCel } from '../language/expression.ts';
import type { FanOut, Step } from '../language/pipeline.ts';
import type { Item } from '../task/item.ts';
import { Barrier } from './barrier.ts';
import type { Phase } from './ending.ts';
import { type Gathering, isFinal } from './fan-in.ts';
import type { Opening } from './fan-opening.ts';
import {
  comesLater,
  endingOf,
  isUnsettled,
  type PlannedTask,
  type Times,
} from './planned-action.ts';
import type { Contributing, Contribution, OverItems, PlanContext } from './planning.ts';
import { stepNamed } from './step-named.ts';
import { saversOf, turnOf } from './turn.ts';

/**
 * The plans that precede this one: for an item, that of the shared steps; for the last shared steps, also those of the
 * items.
 */
export interface Before {
  readonly shared?: PlanNames;
  readonly items?: OverItems;
}

/** Makes a plan that of one element, or of a fan-out whose elements are not known. */
export interface Lane {
  readonly fan: FanOut;
  /** The plan of the item, or of the shared steps. */
  readonly outer: PlanNames;
  /** The plan of the same element for the steps of an earlier stage. */
  readonly earlier?: PlanNames;
  readonly opening: Exclude<Opening, { readonly is: 'open' }> | OpenElement;
}

interface OpenElement {
  readonly is: 'element';
  readonly index: number;
  readonly each: unknown;
  readonly times: Times;
}

export abstract class PlanNames implements Contributing {
  readonly context: PlanContext;
  protected readonly byStep = new Map<string, PlannedTask>();
  protected readonly outputs: Record<string, unknown>;
  /** Steps with outputs that only the run will know. */
  protected readonly open: Set<string>;
  /** The plans of the elements, by the steps with `for_each`. */
  protected readonly lanes = new Map<string, readonly PlanNames[]>();
  protected readonly before: Before;
  protected readonly lane: Lane | undefined;
  readonly #scope: Scope;

  constructor(
    item: Item | undefined,
    context: PlanContext,
    { shared, items, lane }: Before & { readonly lane?: Lane },
  ) {
    this.context = context;
    this.before = {
      ...(shared === undefined ? {} : { shared }),
      ...(items === undefined ? {} : { items }),
    };
    this.lane = lane;
    this.outputs = shared === undefined ? {} : { ...shared.outputs };
    this.open = new Set(shared === undefined ? [] : shared.open);
    const { fields, matrix } = item ?? {};
    this.#scope = {
      ...context.base,
      ...{ item: toCel(fields), matrix: toCel(matrix), steps: this.outputs, open: this.open },
    };
    if (items === undefined) return;
    for (const { name, isGathered, shared: isShared, fan } of context.steps)
      if (isGathered && !isShared && fan === undefined) this.gather(name, items.plans);
  }

  abstract renew(step: string): string | undefined;

  /** For the plan of an element: what is known about its list. */
  openingOf(): Lane['opening'] | undefined {
    return this.lane?.opening;
  }

  get scope(): Scope {
    if (this.lane === undefined) return this.#scope;
    const { outer, earlier, opening } = this.lane;
    const before = earlier === undefined ? {} : earlier.outputs;
    const own = { ...before, ...this.outputs };
    // Whether the other elements have a step's outputs does not matter here.
    const open = [...outer.open].filter((step) => !Object.hasOwn(own, step));
    return {
      ...outer.scope,
      steps: { ...outer.outputs, ...own },
      open: new Set([...open, ...(earlier?.open ?? []), ...this.open]),
      ...(opening.is === 'element' ? { each: opening.each } : {}),
    };
  }

  /** The plan of the item, or of the shared steps. */
  protected get root(): PlanNames {
    return this.lane?.outer ?? this;
  }

  /** The plans in which a step is looked up after this one. */
  protected get around(): readonly PlanNames[] {
    const { earlier, outer: next = this.before.shared } = this.lane ?? {};
    return [earlier, next].flatMap((plan) => plan ?? []);
  }

  of(step: string): PlannedTask | undefined {
    const owner = this.ownerOf(step);
    return owner === undefined ? undefined : owner.byStep.get(step);
  }

  protected ownerOf(step: string): PlanNames | undefined {
    if (this.byStep.has(step)) return this;
    for (const plan of this.around) {
      const owner = plan.ownerOf(step);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  /** The plans of the elements to which a step belongs. */
  protected lanesWith(step: string): readonly PlanNames[] | undefined {
    const { fan } = stepNamed(this.context.steps, step) ?? {};
    if (fan === undefined) return undefined;
    const root = this.root;
    return root.lanes.get(fan.step) ?? root.earlierLanes(fan.step);
  }

  /** The plans of the elements of a shared fan-out, in the plan of the shared steps before this one. */
  protected earlierLanes(fan: string): readonly PlanNames[] | undefined {
    const { shared } = this.before;
    return shared === undefined ? undefined : shared.lanes.get(fan);
  }

  /** Sets the outputs `all` of a step, unless the list is not certain yet. */
  protected gather(step: string, plans: readonly Contributing[]): void {
    const done = plans
      .map((plan) => plan.contribution(step))
      .filter(({ planned }) => endingOf(planned.action) === 'done');
    if (done.some(({ planned }) => comesLater(planned.action))) this.open.add(step);
    if (done.some(({ planned }) => planned.fingerprint === undefined)) return;
    this.outputs[step] = { all: done.map(({ outputs }) => outputs) };
  }

  contribution(step: string): Contribution {
    const planned = this.of(step);
    if (planned === undefined) throw new Error(`bug: ${step} was gathered too early`);
    const after = (name: string): readonly string[] =>
      stepNamed(this.context.steps, name)?.after ?? [];
    const settled = isFinal(step, (name) => this.lastingPhase(name), after);
    return { planned, outputs: this.outputs[step] ?? {}, isFinal: settled };
  }

  /** The same as in a run (`run-tree.ts`). */
  protected lastingPhase(name: string): Phase {
    const lanes = this.of(name) === undefined ? this.lanesWith(name) : undefined;
    const isOpen = lanes?.some((lane) => !lane.contribution(name).isFinal) === true;
    return isOpen ? 'pending' : this.phaseOf(name);
  }

  protected phaseOf(name: string): Phase {
    const before = this.of(name);
    const lanes = before === undefined ? this.lanesWith(name) : undefined;
    const phase =
      before !== undefined
        ? endingOf(before.action)
        : lanes === undefined
          ? this.root.before.items?.phase(name)
          : overAll(name, lanes);
    if (phase === undefined) throw new Error(`bug: ${name} was not foreseen`);
    return phase;
  }

  /** The plans whose outputs `steps.<name>.all` lists. */
  protected gatheredPlans(name: string): readonly Contributing[] {
    return this.lanesWith(name) ?? this.root.before.items?.plans ?? [];
  }

  protected gathering(name: string): Gathering {
    const lanes = this.lanesWith(name);
    const { items } = this.root.before;
    const contributors = this.gatheredPlans(name).map((plan) => {
      const { planned, isFinal: settled } = plan.contribution(name);
      const { task, action } = planned;
      const perhaps = action === 'maybe';
      return { task, phase: endingOf(action), isFinal: settled, perhaps };
    });
    return { contributors, rest: lanes === undefined && items?.partial ? 'excluded' : 'done' };
  }

  protected turnOf(step: Parameters<typeof turnOf>[0]): ReturnType<typeof turnOf> {
    return turnOf(
      step,
      (name) => this.phaseOf(name),
      (name) => this.gathering(name),
    );
  }

  saversOf(step: Step): readonly PlannedTask[] {
    return saversOf(step, this.context.steps).flatMap(({ name }) => this.of(name) ?? []);
  }

  /** True if a delete must wait for this step. */
  holdsUp(name: string): boolean {
    return this.some(name, isUnsettled);
  }

  /** True if this step's outputs become known only during the run. */
  comesLater(name: string): boolean {
    return this.some(name, comesLater);
  }

  protected some(name: string, is: (action: PlannedTask['action']) => boolean): boolean {
    const planned = this.of(name);
    if (planned !== undefined) return is(planned.action);
    const lanes = this.lanesWith(name);
    return lanes === undefined
      ? this.root.before.items?.later(name) === true
      : lanes.some((lane) => lane.some(name, is));
  }
}

/** The phase of a step over all elements. */
function overAll(step: string, lanes: readonly PlanNames[]): Phase {
  const barrier = new Barrier(false);
  for (const lane of lanes) {
    const planned = lane.of(step);
    if (planned === undefined) throw new Error(`bug: ${step} was not foreseen`);
    barrier.note(step, endingOf(planned.action));
  }
  return barrier.phase(step, { over: true, rest: undefined });
}
