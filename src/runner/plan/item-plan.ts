// The plan of one item: a pure walk over its steps with what is known now, by the same rules as a run.
import { isObject, type JsonObject } from '../../contract/base/json.ts';
import { unreachable } from '../../contract/base/result.ts';
import { resultOf } from '../journal/line.ts';
import { type Scope, toCel } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { fillOpen } from '../language/template.ts';
import type { Item } from '../task/item.ts';
import { namedByContent, predicted } from '../task/outputs.ts';
import { type TaskId, taskId } from '../task/task.ts';
import { conditionHolds } from '../task/task-request.ts';
import { knownBody, plannedAfterwards, type Unfinished, unknownIn } from './afterwards.ts';
import { alikeKey } from './alike.ts';
import { ask, badValue, type TaskAnswer, type TaskProblem } from './ask.ts';
import { endingFacts, type Phase } from './ending.ts';
import { comesLater, endingOf, isUnsettled, type PlannedTask } from './planned-action.ts';
import type { ItemVerdict, OverItems, PlanContext } from './planning.ts';
import { awayUpload, lostInput, renewalOf } from './renew.ts';
import { savedOutputs } from './saved-outputs.ts';
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

const problemTask = (step: Step, task: TaskId, problem: TaskProblem): PlannedTask => ({
  ...{ step, task, problem },
  action: 'problem',
  why: problem.message,
});

export class ItemPlan implements Unfinished {
  readonly tasks: PlannedTask[] = [];
  readonly #byStep = new Map<string, PlannedTask>();
  readonly #outputs: Record<string, unknown>;
  readonly scope: Scope;
  readonly #item: Item | undefined;
  readonly context: PlanContext;
  readonly #before: Before;
  /** Tasks that cannot run in the current state. */
  readonly badTasks: readonly PlannedTask[];
  /** By step: why steps of an item that cannot run must not begin. */
  readonly verdicts = new Map<string, ItemVerdict>();

  constructor(
    steps: readonly Step[],
    item: Item | undefined,
    context: PlanContext,
    { badTasks = [], ...before }: Before & { readonly badTasks?: readonly PlannedTask[] },
  ) {
    this.badTasks = badTasks;
    for (const { step, why, problem } of badTasks)
      this.verdicts.set(step.name, { ending: 'failed', why, diagnostic: problem?.code });
    this.#item = item;
    this.context = context;
    this.#before = before;
    this.#outputs = before.shared === undefined ? {} : { ...before.shared.#outputs };
    this.scope = { ...context.base, item: toCel(item?.fields), steps: this.#outputs };
    for (const step of steps) this.#visit(step);
  }

  of(step: string): PlannedTask | undefined {
    return this.#byStep.get(step) ?? this.#before.shared?.of(step);
  }

  #visit(step: Step): void {
    const task = taskId(step.name, step.shared ? undefined : this.#item);
    const asked = this.#decidedBefore(step, task) ?? this.#placed(this.#asked(step, task));
    const planned = this.context.excluded.has(step.name) ? withoutDoing(asked) : asked;
    const free = this.#renewed(this.#spared(planned));
    this.#byStep.set(step.name, free);
    this.tasks.push(free);
    if (step.isRead) this.#outputs[step.name] = toCel(this.#outputsOf(free));
  }

  #phaseOf(name: string): Phase {
    const before = this.of(name);
    const phase = before === undefined ? this.#before.items?.phase(name) : endingOf(before.action);
    if (phase === undefined) throw new Error(`bug: ${name} was not foreseen`);
    return phase;
  }

  /** The result of a step that the steps before it already decide. */
  #decidedBefore(step: Step, task: TaskId): PlannedTask | undefined {
    const turn = turnOf(step, (name) => this.#phaseOf(name));
    if (turn === undefined) throw new Error(`bug: ${task} was foreseen too early`);
    if (turn === 'start') return undefined;
    const { dependents: action } = endingFacts[turn.ending];
    if (action === 'done' || action === 'later')
      throw new Error(`bug: ${task} is ${action} before its turn`);
    return { step, task, action, why: turn.why };
  }

  #asked(step: Step, task: TaskId): PlannedTask {
    const { operation } = step.kind;
    const uncertain = step.after.find((name) => this.holdsUp(name));
    const { of = '' } = step;
    if (operation === 'download' && this.comesLater(of))
      return plannedAfterwards(this, step, task, of);
    if (operation === 'delete' && uncertain !== undefined)
      return plannedAfterwards(this, step, task, uncertain);
    const answer = ask({
      step,
      task,
      names: { scope: this.scope, fingerprintOfStep: (name) => this.of(name)?.fingerprint },
      facts: this.context.facts,
      jobOf: this.context.jobOf,
      savers: this.saversOf(step).map((saver) => saver.task),
      requireOutputs: this.context.requireOutputs,
    });
    const { problem } = answer.is === 'end' ? answer : {};
    const unknown = problem === undefined ? undefined : unknownIn(this, step, problem);
    if (unknown === undefined) return this.#answered(answer, step, task);
    const bad =
      operation === 'create' || operation === 'detect' ? this.#badAlready(step) : undefined;
    if (bad !== undefined) return problemTask(step, task, bad);
    return this.#priced({ step, task, action: 'maybe', why: `depends on ${unknown}` });
  }

  /** The problem with a request of which only some values are known. */
  #badAlready(step: Step): TaskProblem | undefined {
    const holds = conditionHolds(step, this.scope);
    if (holds.ok && !holds.value) return undefined;
    const body = fillOpen(step.with, this.scope);
    return isObject(body) ? badValue(step, body) : undefined;
  }

  /** An unusable path is a problem of its own, unless nothing will be written there. */
  #placed(planned: PlannedTask): PlannedTask {
    const { step, task, action, to } = planned;
    if (to === undefined || !comesLater(action)) return planned;
    const message = this.context.unusable(to);
    if (message === undefined) return planned;
    const at = ['steps', step.name, 'with', 'to'];
    return problemTask(step, task, {
      code: 'SL509',
      message,
      at,
      hint: 'write another path in to:',
    });
  }

  saversOf(step: Step): readonly PlannedTask[] {
    return saversOf(step, this.context.steps).flatMap(({ name }) => this.of(name) ?? []);
  }

  #answered(answer: TaskAnswer, step: Step, task: TaskId): PlannedTask {
    switch (answer.is) {
      case 'end': {
        const { problem, why } = answer;
        if (problem !== undefined) return problemTask(step, task, problem);
        return { step, task, action: 'skipped', why };
      }
      case 'unread':
        return { step, task, action: 'begin', why: 'to be read' };
      case 'decided': {
        const { decision, fingerprint, wanted, away } = answer;
        const about = {
          ...(wanted.operation === 'download' ? { to: wanted.to } : {}),
          ...(wanted.operation === 'upload' ? { file: wanted.file } : {}),
          ...(away === undefined ? {} : { away }),
          ...(decision.act === 'reuse' && decision.files !== undefined
            ? { files: decision.files }
            : {}),
        };
        const { act: action, why } = decision;
        return this.#priced({ step, task, action, why, fingerprint, ...about });
      }
      default:
        return unreachable(answer);
    }
  }

  /** True if a delete must wait for this step. */
  holdsUp(name: string): boolean {
    const planned = this.of(name);
    return planned === undefined ? this.comesLater(name) : isUnsettled(planned.action);
  }

  /** True if this step's outputs become known only during the run. */
  comesLater(name: string): boolean {
    const planned = this.of(name);
    return planned === undefined
      ? this.#before.items?.later(name) === true
      : comesLater(planned.action);
  }

  #priced(planned: PlannedTask): PlannedTask {
    const { step, action } = planned;
    if (
      step.kind.tool === undefined ||
      (action !== 'begin' && action !== 'maybe' && action !== 'lost')
    )
      return planned;
    const estimate = this.context.estimate(step, knownBody(step, this.scope));
    const alike =
      action === 'maybe' ? alikeKey(step, this.#item, (name) => this.#contentOf(name)) : undefined;
    return { ...planned, estimate, ...(alike === undefined ? {} : { alike }) };
  }

  #contentOf(name: string): string | undefined {
    const planned = this.of(name);
    return planned?.fingerprint ?? planned?.alike;
  }

  /** Buys nothing for an item that cannot run as it is. */
  #spared(planned: PlannedTask): PlannedTask {
    const [problem] = this.badTasks;
    const { step, task, action } = planned;
    const buys = step.kind.operation === 'create' && (action === 'begin' || action === 'maybe');
    if (problem === undefined || !buys) return planned;
    const why = `not bought: ${problem.task} cannot run`;
    this.verdicts.set(step.name, { ending: 'blocked', why });
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
  #renewInputs(step: Step): string | undefined {
    for (const name of step.uses) {
      const { shared = this } = this.#before;
      const lost = (this.#byStep.has(name) ? this : shared).#renewOne(name);
      if (lost !== undefined) return lost;
    }
    return undefined;
  }

  #renewOne(name: string): string | undefined {
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
    const index = this.tasks.findIndex(({ step }) => step.name === name);
    const why =
      operation === 'detect' ? 'its face detection has expired' : 'its upload has expired';
    this.tasks[index] = { ...planned, action: 'begin', why };
    return this.#renewInputs(planned.step);
  }

  #outputsOf({ step, task, fingerprint, action }: PlannedTask): JsonObject {
    if (fingerprint === undefined) return {};
    const { operation } = step.kind;
    const job = this.context.jobOf(fingerprint);
    const known = action === 'reuse' || action === 'store';
    if (!known || job === undefined) return predicted(operation, fingerprint);
    if (operation === 'download' || operation === 'delete') return savedOutputs(job, task);
    return namedByContent(operation, fingerprint, resultOf(job), job.credits ?? 0);
  }
}
