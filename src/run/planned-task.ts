// How one task is planned, once the steps before it have been planned: what is known of it now, what it may cost, and what only
// the run will know.

import { type Digest, digestOf } from '../base/digest.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { unreachable } from '../base/result.ts';
import { comesLater, isUnsettled, type PlannedAction } from '../core/planned-action.ts';
import { knownBody } from '../core/result-count.ts';
import { problemOfItem, sentenceOf, type TaskProblem } from '../core/task-problem.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { expressionsOf, fillOpen } from '../language/template.ts';
import type { Item } from '../model/item.ts';
import type { JobLine } from '../model/line.ts';
import type { TaskId } from '../model/task.ts';
import { conditionHolds, type TaskRequest } from '../model/task-request.ts';
import { ask, badValue, type TaskAnswer } from '../plan/ask.ts';
import { type Decision, decideDelete } from '../plan/decide.ts';
import { lateValues, pricedWithBounds } from '../plan/late-values.ts';
import type { PlannedTask } from '../plan/planned-action.ts';
import { whyOf } from '../plan/reason.ts';
import type { ItemRun } from './item-run.ts';
import type { PlanContext } from './plan-context.ts';

/** A plan in progress, as one item run sees it: what is known about the steps so far. */
export class Planning {
  readonly context: PlanContext;
  readonly #itemRun: ItemRun;
  readonly #later: ReadonlySet<string>;
  #scope: Scope | undefined;

  constructor(itemRun: ItemRun, context: PlanContext, later: ReadonlySet<string>) {
    this.#itemRun = itemRun;
    this.context = context;
    this.#later = later;
  }

  /** Undefined for a shared step. */
  get item(): Item | undefined {
    return this.#itemRun.item;
  }

  task(step: Step): TaskId {
    return this.#itemRun.task(step);
  }

  get scope(): Scope {
    this.#scope ??= this.#itemRun.byContent(this.context.base).scope;
    return this.#scope;
  }

  /** In a fan-out whose elements only the run will know: the step that tells them. */
  get elementsAfter(): string | undefined {
    return this.#itemRun.element?.unknown?.after;
  }

  of(step: string): PlannedTask | undefined {
    return this.#itemRun.planned(step);
  }

  /** The downloads that must be safe before a delete. */
  saversOf(step: Step): readonly PlannedTask[] {
    return this.#itemRun.saversOf(step).flatMap(({ name }) => this.of(name) ?? []);
  }

  /** True if a delete must wait for this step. */
  holdsUp(step: string): boolean {
    return someTask(this.#itemRun, step, isUnsettled, this.#later);
  }

  /** True if this step's outputs become known only during the run. */
  comesLater(step: string): boolean {
    return someTask(this.#itemRun, step, comesLater, this.#later);
  }

  /** A key for what the request of a `maybe` depends on, if it is known. */
  alike(step: Step): string | undefined {
    const contentOf = (name: string): string | undefined => {
      const planned = this.of(name);
      return planned?.fingerprint ?? planned?.alike;
    };
    const { item, element } = this.#itemRun;
    return alikeKey(step, item, contentOf, element?.index);
  }
}

/** `later`: the steps of items of which it is true, for the shared steps. */
export function someTask(
  itemRun: ItemRun,
  step: string,
  is: (action: PlannedAction) => boolean,
  later: ReadonlySet<string>,
): boolean {
  const planned = itemRun.planned(step);
  if (planned !== undefined) return is(planned.action);
  const elementRuns = itemRun.elementRunsWith(step);
  return elementRuns === undefined
    ? itemRun.isShared && later.has(step)
    : elementRuns.some((elementRun) => someTask(elementRun, step, is, later));
}

export function problemTask(
  of: Pick<Planning, 'item' | 'task'>,
  step: Step,
  found: TaskProblem,
): PlannedTask {
  const problem = problemOfItem(found, step, of.item);
  return { step, task: of.task(step), problem, action: 'problem', why: sentenceOf(problem) };
}

export const plannedTask = (plan: Planning, step: Step): PlannedTask =>
  placed(plan, asked(plan, step));

function asked(plan: Planning, step: Step): PlannedTask {
  const { context, scope, elementsAfter } = plan;
  const { operation } = step.kind;
  const uncertain = step.after.find((name) => plan.holdsUp(name));
  const { of = '' } = step;
  if (operation === 'download' && plan.comesLater(of)) return plannedAfterwards(plan, step, of);
  if (operation === 'delete' && uncertain !== undefined)
    return plannedAfterwards(plan, step, uncertain);
  if (elementsAfter !== undefined) return perhaps(plan, step, elementsAfter);
  const answer = ask({
    step,
    task: plan.task(step),
    names: { scope, fingerprintOfStep: (name) => plan.of(name)?.fingerprint },
    facts: context.facts,
    jobOf: context.jobOf,
    savers: plan.saversOf(step).map((saver) => saver.task),
    takes: context.takes,
    remembered: context.remembered,
    requireOutputs: context.requireOutputs,
  });
  const { problem } = answer.is === 'end' ? answer : {};
  const unknown = problem === undefined ? undefined : unknownIn(plan, step, problem);
  if (unknown === undefined) return answered(plan, answer, step);
  return perhaps(plan, step, unknown);
}

/** A task that depends on what another step will find. */
function perhaps(plan: Planning, step: Step, unknown: string): PlannedTask {
  const { operation } = step.kind;
  const task = plan.task(step);
  const holds = conditionHolds(step, plan.scope);
  if (holds.ok && !holds.value) return { step, task, action: 'skipped', why: 'its if: is false' };
  const bad = operation === 'create' || operation === 'detect' ? badAlready(plan, step) : undefined;
  if (bad !== undefined) return problemTask(plan, step, bad);
  return pricedTask(plan, { step, task, action: 'maybe', why: `depends on ${unknown}` });
}

/** The problem with a request of which only some values are known. */
function badAlready({ scope }: Planning, step: Step): TaskProblem | undefined {
  const body = fillOpen(step.with, scope);
  return isObject(body) ? badValue(step, body) : undefined;
}

/** An unusable path is a problem of its own, unless nothing will be written there. */
function placed(plan: Planning, planned: PlannedTask): PlannedTask {
  const { step, action, to } = planned;
  if (to === undefined || !comesLater(action)) return planned;
  const message = plan.context.unusable(to);
  if (message === undefined) return planned;
  const at = ['steps', step.name, 'with', 'to'];
  const hint = 'write another path in to:';
  return problemTask(plan, step, { code: 'SL509', message, at, hint });
}

function answered(plan: Planning, answer: TaskAnswer, step: Step): PlannedTask {
  const task = plan.task(step);
  switch (answer.is) {
    case 'end': {
      const { problem, why, ending } = answer;
      if (problem !== undefined) return problemTask(plan, step, problem);
      return { step, task, action: ending === 'excluded' ? ending : 'skipped', why };
    }
    case 'unread':
      return { step, task, action: 'begin', why: 'to be read' };
    case 'decided': {
      const { decision, fingerprint, wanted, away, content, take } = answer;
      return pricedTask(plan, {
        step,
        task,
        action: decision.act,
        why: whyOf(decision.reason),
        fingerprint,
        to: wanted.operation === 'download' ? wanted.to : take?.saveTo,
        file: wanted.operation === 'upload' ? wanted.file : undefined,
        away,
        take,
        manifest: manifestOf(wanted, step, content),
        files: decision.act === 'reuse' ? decision.files : undefined,
      });
    }
    default:
      return unreachable(answer);
  }
}

/** What the fingerprint is made of, for an upload, a detection or a creation. */
function manifestOf(
  wanted: TaskRequest,
  { kind }: Step,
  content: Digest | undefined,
): PlannedTask['manifest'] {
  if (content !== undefined) return () => ({ kind: kind.name, content });
  return 'manifest' in wanted ? () => wanted.manifest : undefined;
}

// A problem with a task, in terms of its item: which value of which row, and why a field of a file is missing.

// Adds to a planned task what it may cost, and which of its values only the run will know.

export function pricedTask(plan: Planning, planned: PlannedTask): PlannedTask {
  const { step, action } = planned;
  const late = action === 'maybe' ? lateValues(step, plan) : [];
  const paid = action === 'begin' || action === 'maybe' || action === 'lost';
  if (step.kind.tool === undefined || !paid)
    return late.length === 0 ? planned : { ...planned, late };
  const known = knownBody(step, plan.scope);
  plan.context.look(step, known);
  const priced = pricedWithBounds(step, { known, scope: plan.scope, late }, (body) =>
    plan.context.estimate(step, body),
  );
  const alike = action === 'maybe' ? plan.alike(step) : undefined;
  return {
    ...planned,
    estimate: priced.estimate,
    priced: priced.body,
    late: late.length === 0 ? undefined : priced.late,
    alike,
  };
}

// A task that waits for outputs that only the run will make.

type Kept = Extract<Decision, { readonly act: 'keep' | 'defer' }>;

/** A download or a delete of a project that this run makes or fetches first. */
function plannedAfterwards(plan: Planning, step: Step, uncertain: string): PlannedTask {
  const { scope, context } = plan;
  const task = plan.task(step);
  const holds = conditionHolds(step, scope);
  if (holds.ok && !holds.value) return { step, task, action: 'skipped', why: 'its if: is false' };
  const { of = '', kind } = step;
  const source = plan.of(of);
  const fingerprint = source?.fingerprint;
  // What is known of a result does not hold for the one that is bought in its place.
  const isNew = source?.action === 'begin';
  const job = fingerprint === undefined || isNew ? undefined : context.jobOf(fingerprint);
  if (holds.ok && kind.operation === 'delete' && job?.state === 'deleted')
    return { step, task, action: 'reuse', why: 'deleted before', fingerprint };
  // A delete whose project may be skipped is skipped with it.
  const kept = plan.of(of)?.action === 'maybe' ? undefined : keeps(plan, step, job);
  if (kept !== undefined) return { step, task, action: kept.act, why: whyOf(kept.reason) };
  const { to } = knownBody(step, scope);
  const perhaps = [plan.of(of), ...plan.saversOf(step)].some(
    (before) => before?.action === 'maybe',
  );
  const action = holds.ok && !perhaps ? 'begin' : 'maybe';
  const place = typeof to === 'string' ? to : undefined;
  return { step, task, action, why: `after ${uncertain}`, to: place, fingerprint };
}

/** Set if a delete will keep its project although some of the steps that it waits for have not run yet. */
function keeps(plan: Planning, step: Step, job: JobLine | undefined): Kept | undefined {
  if (step.kind.operation !== 'delete' || step.discard) return undefined;
  if (job?.state === 'deleted') return undefined;
  // A reroll saves the take itself.
  if (plan.of(step.of ?? '')?.take?.saveTo !== undefined) return undefined;
  const savers = plan.saversOf(step);
  const settled = savers.filter(({ action }) => !isUnsettled(action));
  const fetched = plan.context.steps.some(
    ({ name, kind, of }) => kind.operation === 'download' && of === step.of && plan.holdsUp(name),
  );
  if (settled.length === 0 && fetched) return undefined;
  if (job?.state === 'complete') {
    const question = { job, savers: settled.map(({ task }) => task), discard: false };
    const decision = decideDelete(question, plan.context.facts);
    return decision.act === 'keep' || decision.act === 'defer' ? decision : undefined;
  }
  const [skipped] = settled;
  return skipped === undefined
    ? { act: 'keep', reason: { code: 'no-step-downloads' } }
    : { act: 'keep', reason: { code: 'saver-skipped', task: skipped.task } };
}

/** The step whose later outputs a task lacks; undefined if the task has a problem of its own. */
function unknownIn(plan: Planning, step: Step, { expression }: TaskProblem): string | undefined {
  if (expression === undefined) {
    // A download may be about to write the missing file.
    const { file } = knownBody(step, plan.scope);
    const isOutput = typeof file === 'string' && file.startsWith(plan.context.facts.recordedAs(''));
    return isOutput
      ? step.after.find((name) => plan.comesLater(name) && isDownload(plan, name))
      : undefined;
  }
  const { references = [] } = expression;
  const unknown = references.find(
    ({ root, key }) => root === 'steps' && key !== undefined && plan.comesLater(key),
  );
  return unknown?.key;
}

const isDownload = ({ context }: Planning, name: string): boolean =>
  context.steps.some((step) => step.name === name && step.kind.operation === 'download');

// Tasks that will share a job, although the job is not known yet: their price counts once.

/**
 * A key for everything that a step's request depends on: the item's fields that it reads, and the
 * steps whose outputs it uses, by their `contentOf`. Undefined if one of these has no content. In a
 * fan-out with known elements: also the index of the `element`.
 */
export function alikeKey(
  step: Step,
  item: Item | undefined,
  contentOf: (step: string) => string | undefined,
  element?: number,
): string | undefined {
  const expressions = expressionsOf(step.with)
    .filter(({ path }) => !isCosmetic(step, path[3]))
    .map(({ expression }) => expression);
  if (step.condition !== undefined) expressions.push(step.condition);
  if (step.fan !== undefined)
    expressions.push(...expressionsOf(step.fan.list).map(({ expression }) => expression));
  const reads: Record<string, Json> = {};
  for (const { references } of expressions)
    for (const { root, key } of references) {
      if (root === 'item') reads[key ?? ''] = fieldOf(item?.fields, key);
      if (root === 'matrix') reads[`matrix.${key ?? ''}`] = fieldOf(item?.matrix, key);
      if (root !== 'steps') continue;
      const content = key === undefined ? undefined : contentOf(key);
      if (content === undefined) return undefined;
      reads[`steps.${key}`] = content;
    }
  return digestOf({
    step: step.name,
    reads,
    ...(element === undefined ? {} : { element }),
  });
}

function fieldOf(fields: JsonObject = {}, key: string | undefined): Json {
  return key === undefined ? fields : (fields[key] ?? null);
}

/** A path is `steps.<name>.with.<field>…`. */
function isCosmetic({ kind }: Step, field: string | number | undefined): boolean {
  const properties = kind.with['properties'];
  const schema =
    isObject(properties) && field !== undefined ? properties[String(field)] : undefined;
  return isObject(schema) && 'x-cosmetic' in schema;
}
