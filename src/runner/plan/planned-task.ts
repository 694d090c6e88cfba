// Plans one task, once the steps before it have been planned.
import { isObject } from '../../contract/base/json.ts';
import { unreachable } from '../../contract/base/result.ts';
import type { Step } from '../language/pipeline.ts';
import { fillOpen } from '../language/template.ts';
import type { Item } from '../task/item.ts';
import type { TaskId } from '../task/task.ts';
import { conditionHolds } from '../task/task-request.ts';
import { plannedAfterwards, type Unfinished, unknownIn } from './afterwards.ts';
import { ask, badValue, type TaskAnswer, type TaskProblem } from './ask.ts';
import { problemOfItem, sentenceOf } from './item-problem.ts';
import { comesLater, type PlannedTask } from './planned-action.ts';
import { pricedTask } from './priced-task.ts';
import { whyOf } from './reason.ts';

/** The plan that the task belongs to. */
export interface Planning extends Unfinished {
  /** Undefined for a shared step. */
  readonly item: Item | undefined;
  /** A key for what the request of a `maybe` depends on, if it is known (`alike.ts`). */
  alike(step: Step): string | undefined;
}

export function problemTask(
  { item }: Pick<Planning, 'item'>,
  step: Step,
  task: TaskId,
  found: TaskProblem,
): PlannedTask {
  const problem = problemOfItem(found, step, item);
  return { step, task, problem, action: 'problem', why: sentenceOf(problem) };
}

export function plannedTask(plan: Planning, step: Step, task: TaskId): PlannedTask {
  return placed(plan, asked(plan, step, task));
}

function asked(plan: Planning, step: Step, task: TaskId): PlannedTask {
  const { context, scope, elementsAfter } = plan;
  const { operation } = step.kind;
  const uncertain = step.after.find((name) => plan.holdsUp(name));
  const { of = '' } = step;
  if (operation === 'download' && plan.comesLater(of))
    return plannedAfterwards(plan, step, task, of);
  if (operation === 'delete' && uncertain !== undefined)
    return plannedAfterwards(plan, step, task, uncertain);
  if (elementsAfter !== undefined) return perhaps(plan, step, task, elementsAfter);
  const answer = ask({
    step,
    task,
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
  if (unknown === undefined) return answered(plan, answer, step, task);
  return perhaps(plan, step, task, unknown);
}

/** A task that depends on what another step will find. */
function perhaps(plan: Planning, step: Step, task: TaskId, unknown: string): PlannedTask {
  const { operation } = step.kind;
  const holds = conditionHolds(step, plan.scope);
  if (holds.ok && !holds.value) return { step, task, action: 'skipped', why: 'its if: is false' };
  const bad = operation === 'create' || operation === 'detect' ? badAlready(plan, step) : undefined;
  if (bad !== undefined) return problemTask(plan, step, task, bad);
  return pricedTask(plan, { step, task, action: 'maybe', why: `depends on ${unknown}` });
}

/** The problem with a request of which only some values are known. */
function badAlready({ scope }: Planning, step: Step): TaskProblem | undefined {
  const body = fillOpen(step.with, scope);
  return isObject(body) ? badValue(step, body) : undefined;
}

/** An unusable path is a problem of its own, unless nothing will be written there. */
function placed(plan: Planning, planned: PlannedTask): PlannedTask {
  const { step, task, action, to } = planned;
  if (to === undefined || !comesLater(action)) return planned;
  const message = plan.context.unusable(to);
  if (message === undefined) return planned;
  const at = ['steps', step.name, 'with', 'to'];
  const hint = 'write another path in to:';
  return problemTask(plan, step, task, { code: 'SL509', message, at, hint });
}

function answered(plan: Planning, answer: TaskAnswer, step: Step, task: TaskId): PlannedTask {
  switch (answer.is) {
    case 'end': {
      const { problem, why, ending } = answer;
      if (problem !== undefined) return problemTask(plan, step, task, problem);
      return { step, task, action: ending === 'excluded' ? ending : 'skipped', why };
    }
    case 'unread':
      return { step, task, action: 'begin', why: 'to be read' };
    case 'decided': {
      const { decision, fingerprint, wanted, away, content, take } = answer;
      const about = {
        ...(wanted.operation === 'download' ? { to: wanted.to } : {}),
        ...(wanted.operation === 'upload' ? { file: wanted.file } : {}),
        ...(away === undefined ? {} : { away }),
        ...(take === undefined ? {} : { take }),
        ...(take?.saveTo === undefined ? {} : { to: take.saveTo }),
        ...('manifest' in wanted ? { manifest: () => wanted.manifest } : {}),
        ...(content === undefined ? {} : { manifest: () => ({ kind: step.kind.name, content }) }),
        ...(decision.act === 'reuse' && decision.files !== undefined
          ? { files: decision.files }
          : {}),
      };
      const { act: action, reason } = decision;
      const why = whyOf(reason);
      return pricedTask(plan, { step, task, action, why, fingerprint, ...about });
    }
    default:
      return unreachable(answer);
  }
}
