// How item runs are inside each other: the elements of a fan-out in their item, the items in the shared steps. A step waits for
// steps of its own item run and of those around it, and a fan-in for all item runs one level inside.
import type { Step } from '../../language/pipeline.ts';
import type { Phase } from '../../plan/ending.ts';
import { type Contributor, type Gathering, isFinal } from '../../plan/fan-in.ts';
import { Schedule } from '../../plan/schedule.ts';
import type { Turn } from '../../plan/turn.ts';
import type { Item } from '../../task/item.ts';
import { type TaskId, taskId } from '../../task/task.ts';
import { type ElementOf, type FanRun, fanRunsOf } from './fan-run.ts';

/** The items, for the shared steps that read `all` of them. */
export interface GatheredItems<Run> {
  /** The steps whose outputs they read. */
  readonly steps: readonly Step[];
  /** In the order of the items. */
  readonly runs: () => readonly Run[];
  readonly rest: () => Gathering['rest'];
}

export interface ItemRunOptions<Run> {
  readonly steps: readonly Step[];
  readonly item: Item | undefined;
  /** The item run of the shared steps; for an element, that of its item. */
  readonly shared: Run | undefined;
  readonly outside: (step: string) => Phase;
  readonly element?: ElementOf;
  readonly gathered?: GatheredItems<Run>;
}

export abstract class RunTree<Run extends RunTree<Run>> {
  readonly item: Item | undefined;
  /** The steps that run once in it. Those of its fan-outs run in `lanes`. */
  readonly steps: readonly Step[];
  readonly fans: readonly FanRun<Run>[];
  readonly schedule: Schedule;
  readonly element: ElementOf | undefined;
  protected readonly around: Run | undefined;
  protected readonly gathered: GatheredItems<Run> | undefined;

  constructor({ steps, item, shared, outside, element, gathered }: ItemRunOptions<Run>) {
    this.steps = element === undefined ? steps.filter(({ fan }) => fan === undefined) : steps;
    this.fans = element === undefined ? fanRunsOf<Run>(steps) : [];
    this.item = item;
    this.element = element;
    this.around = shared;
    this.gathered = gathered;
    const fanned = (step: string): Phase => this.fanWith(step)?.phase(step) ?? outside(step);
    this.schedule = new Schedule(this.steps, fanned, (step) => this.gathering(step));
  }

  protected abstract get self(): Run;

  /** The item run of the item, or of the shared steps. */
  get root(): Run {
    return this.element === undefined || this.around === undefined ? this.self : this.around;
  }

  /** True if it performs steps that are done once for all items. */
  get isShared(): boolean {
    return this.element === undefined ? this.around === undefined : this.root.isShared;
  }

  /** The item runs of all its elements. */
  get lanes(): readonly Run[] {
    return this.fans.flatMap(({ lanes = [] }) => lanes);
  }

  /** True if nothing is left to do, for its elements, too. */
  get isOver(): boolean {
    return this.schedule.isOver && this.fans.every(({ isOver }) => isOver);
  }

  fanWith(step: string): FanRun<Run> | undefined {
    return this.fans.find((fan) => fan.has(step));
  }

  /** The next fan-out whose list can be known, and what becomes of it. */
  nextFan(): { readonly fan: FanRun<Run>; readonly turn: Turn } | undefined {
    for (const fan of this.fans) {
      if (fan.lanes !== undefined) continue;
      const turn = this.schedule.turn({ ...fan.fan, after: fan.fan.uses });
      if (turn !== undefined) return { fan, turn };
    }
    return undefined;
  }

  protected gathering(step: string): Gathering {
    const fan = this.fanWith(step);
    if (fan !== undefined) return fan.gathering(step);
    if (this.around !== undefined) return this.around.gathering(step);
    const rest = this.gathered?.rest() ?? 'done';
    if (rest === 'waiting') return { contributors: [], rest };
    return { contributors: this.contributorsOf(step).map((run) => run.contributor(step)), rest };
  }

  /** What it adds to a fan-in. */
  contributor(name: string): Contributor {
    const lasting = (step: string): Phase => this.lastingPhase(step);
    const settled = isFinal(name, lasting, (step) => this.anyStep(step)?.after ?? []);
    const step = this.step(name);
    if (step === undefined) throw new Error(`bug: ${name} does not run here`);
    return { task: this.task(step), phase: this.schedule.phase(name), isFinal: settled };
  }

  /** The phase of a step, but `pending` for a fan-out of which a later run may do more: over all elements, it is only blocked. */
  protected lastingPhase(step: string): Phase {
    if (this.step(step) !== undefined) return this.schedule.phase(step);
    const fan = this.fanWith(step);
    if (fan === undefined) return this.around?.lastingPhase(step) ?? this.schedule.phase(step);
    const isOpen = fan.gathering(step).contributors.some((one) => !one.isFinal);
    return isOpen ? 'pending' : this.schedule.phase(step);
  }

  protected anyStep(name: string): Step | undefined {
    const ofFans = this.fanWith(name)?.steps.find((step) => step.name === name);
    const around = this.around;
    return this.step(name) ?? ofFans ?? (around === undefined ? undefined : around.anyStep(name));
  }

  /** The item runs whose outputs `steps.<name>.all` lists, if they have any. */
  protected contributorsOf(step: string): readonly Run[] {
    const fan = this.fanWith(step);
    if (fan !== undefined) return fan.lanes ?? [];
    if (this.around !== undefined) return this.around.contributorsOf(step);
    return this.gathered?.runs() ?? [];
  }

  task(step: Step): TaskId {
    return taskId(step.name, this.item, this.element?.index);
  }

  step(name: string): Step | undefined {
    return this.steps.find((step) => step.name === name);
  }
}
