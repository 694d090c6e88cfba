// Plans a task that waits for outputs that only the run will make.

import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import type { JobLine } from '../model/line.ts';
import type { TaskId } from '../model/task.ts';
import { conditionHolds } from '../model/task-request.ts';
import type { TaskProblem } from './ask.ts';
import { type Decision, decideDelete } from './decide.ts';
import { knownBody } from './late-values.ts';
import { isUnsettled, type PlannedTask } from './planned-action.ts';
import type { PlanContext } from './planning.ts';
import { whyOf } from './reason.ts';

/** A plan in progress: what is known about the steps so far. */
export interface Unfinished {
  readonly context: PlanContext;
  readonly scope: Scope;
  of(step: string): PlannedTask | undefined;
  /** True if this step's outputs become known only during the run. */
  comesLater(step: string): boolean;
  /** In a fan-out whose elements only the run will know: the step that tells them. */
  readonly elementsAfter: string | undefined;
  /** True if a delete must wait for this step. */
  holdsUp(step: string): boolean;
  /** The downloads that must be safe before a delete. */
  saversOf(step: Step): readonly PlannedTask[];
}

type Kept = Extract<Decision, { readonly act: 'keep' | 'defer' }>;

/** A download or a delete of a project that this run makes or fetches first. */
export function plannedAfterwards(
  plan: Unfinished,
  step: Step,
  task: TaskId,
  uncertain: string,
): PlannedTask {
  const { scope, context } = plan;
  const holds = conditionHolds(step, scope);
  if (holds.ok && !holds.value) return { step, task, action: 'skipped', why: 'its if: is false' };
  const { of = '', kind } = step;
  const source = plan.of(of);
  const fingerprint = source?.fingerprint;
  // What is known of a result does not hold for the one that is bought in its place.
  const isNew = source?.action === 'begin';
  const job = fingerprint === undefined || isNew ? undefined : context.jobOf(fingerprint);
  const known = fingerprint === undefined ? {} : { fingerprint };
  if (holds.ok && kind.operation === 'delete' && job?.state === 'deleted')
    return { step, task, action: 'reuse', why: 'deleted before', ...known };
  // A delete whose project may be skipped is skipped with it.
  const kept = plan.of(of)?.action === 'maybe' ? undefined : keeps(plan, step, job);
  if (kept !== undefined) return { step, task, action: kept.act, why: whyOf(kept.reason) };
  const { to } = knownBody(step, scope);
  const perhaps = [plan.of(of), ...plan.saversOf(step)].some(
    (before) => before?.action === 'maybe',
  );
  const action = holds.ok && !perhaps ? 'begin' : 'maybe';
  const place = typeof to === 'string' ? { to } : {};
  return { step, task, action, why: `after ${uncertain}`, ...place, ...known };
}

/** Set if a delete will keep its project although some of the steps that it waits for have not run yet. */
function keeps(plan: Unfinished, step: Step, job: JobLine | undefined): Kept | undefined {
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
export function unknownIn(
  plan: Unfinished,
  step: Step,
  { expression }: TaskProblem,
): string | undefined {
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

const isDownload = ({ context }: Unfinished, name: string): boolean =>
  context.steps.some((step) => step.name === name && step.kind.operation === 'download');
