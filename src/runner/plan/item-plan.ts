// The plan of one item: a pure walk over its steps with what is known now, by the same rules as a run. The plan of an
// element is such a plan inside the plan of its item.
import type { JsonObject } from '../../contract/base/json.ts';
import { resultOf } from '../journal/line.ts';
import { toCel } from '../language/expression.ts';
import type { FanOut, Step } from '../language/pipeline.ts';
import { eachOf } from '../task/element.ts';
import type { Item } from '../task/item.ts';
import { namedByContent, predicted } from '../task/outputs.ts';
import { type TaskId, taskId } from '../task/task.ts';
import { alikeKey } from './alike.ts';
import { type End, endingFacts } from './ending.ts';
import { countsResults, openingOf, resultCount } from './fan-opening.ts';
import { knownBody } from './late-values.ts';
import { type Before, type Lane, PlanNames } from './plan-names.ts';
import { comesLater, type PlannedTask } from './planned-action.ts';
import { type Planning, plannedTask, problemTask } from './planned-task.ts';
import type { ItemVerdict, PlanContext } from './planning.ts';
import { awayUpload, lostInput, renewalOf } from './renew.ts';
import { savedOutputs } from './saved-outputs.ts';

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

interface More extends Before {
  readonly badTasks?: readonly PlannedTask[];
  readonly lane?: Lane;
  readonly whole?: ItemPlan;
}

export class ItemPlan extends PlanNames implements Planning {
  /** Includes the tasks of the elements. */
  readonly tasks: PlannedTask[] = [];
  /** By task: the plans of the elements. */
  readonly #planOf = new Map<TaskId, ItemPlan>();
  readonly #elements = new Map<string, readonly ItemPlan[]>();
  /** The plan of the item, or of the shared steps. */
  readonly #whole: ItemPlan;
  readonly item: Item | undefined;
  /** Tasks that cannot run in the current state. */
  readonly badTasks: readonly PlannedTask[];
  /** By task: why steps of an item that cannot run must not begin. */
  readonly verdicts = new Map<string, ItemVerdict>();

  constructor(
    steps: readonly Step[],
    item: Item | undefined,
    context: PlanContext,
    { badTasks = [], whole, ...before }: More,
  ) {
    super(item, context, before);
    this.badTasks = badTasks;
    for (const { task, why, problem } of badTasks)
      this.verdicts.set(task, {
        ...{ ending: 'failed', why, diagnostic: problem?.code, named: problem?.named },
      });
    this.item = item;
    this.#whole = whole ?? this;
    for (const step of steps) this.#visit(step);
  }

  #visit(step: Step): void {
    const { fan, isGathered, name } = step;
    if (fan === undefined) return this.#take(step);
    const lanes = this.#elements.get(fan.step) ?? this.#opened(fan);
    for (const lane of lanes) lane.#take(step);
    if (isGathered) this.gather(name, lanes);
  }

  #opened(fan: FanOut): readonly ItemPlan[] {
    const laneOf = (opening: Lane['opening'], earlier?: PlanNames): ItemPlan => {
      const lane = { fan, outer: this, opening, ...(earlier === undefined ? {} : { earlier }) };
      return new ItemPlan([], this.item, this.context, { lane, whole: this });
    };
    const earlier = this.earlierLanes(fan.step)?.flatMap((plan) => {
      const opening = plan.openingOf();
      return opening === undefined ? [] : laneOf(opening, plan);
    });
    const lanes = earlier ?? this.#openings(fan).map((opening) => laneOf(opening));
    this.#elements.set(fan.step, lanes);
    this.lanes.set(fan.step, lanes);
    return lanes;
  }

  #openings(fan: FanOut): readonly Lane['opening'][] {
    const turn = this.turnOf({ ...fan, after: fan.uses });
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

  /** Plans one task. */
  #take(step: Step): void {
    const opening = this.lane?.opening;
    const index = opening?.is === 'element' ? opening.index : undefined;
    const task = taskId(step.name, step.shared ? undefined : this.item, index);
    const asked =
      this.#unopened(step, task) ??
      this.#decidedBefore(step, task) ??
      plannedTask(this, step, task);
    const planned = this.context.excluded.has(step.name) ? withoutDoing(asked) : asked;
    const free = this.#counted(this.#renewed(this.#spared(planned)));
    this.byStep.set(step.name, free);
    this.#whole.tasks.push(free);
    if (this.lane !== undefined) this.#whole.#planOf.set(task, this);
    if (!step.isRead) return;
    this.outputs[step.name] = toCel(this.#outputsOf(free));
    if (comesLater(free.action)) this.open.add(step.name);
  }

  /** The first task of a fan-out that has no elements. */
  #unopened(step: Step, task: TaskId): PlannedTask | undefined {
    if (this.lane?.fan.step !== step.name) return undefined;
    const { opening } = this.lane;
    if (opening.is === 'problem') return problemTask(this, step, task, opening.problem);
    return opening.is === 'ended' ? endedBefore(step, task, opening.turn) : undefined;
  }

  #counted(planned: PlannedTask): PlannedTask {
    const opening = this.lane?.opening;
    return opening?.is === 'element' || opening?.is === 'unknown'
      ? { ...planned, times: opening.times }
      : planned;
  }

  get elementsAfter(): string | undefined {
    const opening = this.lane?.opening;
    return opening?.is === 'unknown' ? opening.after : undefined;
  }

  /** The result of a step that the steps before it already decide. */
  #decidedBefore(step: Step, task: TaskId): PlannedTask | undefined {
    const turn = this.turnOf(step);
    if (turn === undefined) throw new Error(`bug: ${task} was foreseen too early`);
    return turn === 'start' ? undefined : endedBefore(step, task, turn);
  }

  /** True if the task would begin now: its turn comes before anything that is still to be done. */
  isNext({ task, action, step }: PlannedTask): boolean {
    const plan = this.#planOf.get(task) ?? this;
    return comesLater(action) && !step.after.some((name) => plan.comesLater(name));
  }

  alike(step: Step): string | undefined {
    const opening = this.lane?.opening;
    const element = opening?.is === 'element' ? opening.index : undefined;
    const contentOf = (name: string): string | undefined => {
      const planned = this.of(name);
      return planned?.fingerprint ?? planned?.alike;
    };
    return alikeKey(step, this.item, contentOf, element);
  }

  /** Buys nothing for an item that cannot run as it is. */
  #spared(planned: PlannedTask): PlannedTask {
    const { badTasks, verdicts } = this.#whole;
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
      const owners = gathers.includes(name) ? this.gatheredPlans(name) : [this.ownerOf(name)];
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
    const { now, facts, remembered } = this.context;
    const renewal = renewalOf(operation, job, now, facts, remembered);
    if (renewal === 'lost') return lostInput(planned.task, job, facts);
    if (renewal !== 'redo') return undefined;
    if (planned.away !== undefined) return awayUpload(planned.task, planned.away);
    const { tasks } = this.#whole;
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
