// Adds to a planned task what it may cost, and which of its values only the run will know.
import type { Step } from '../language/pipeline.ts';
import type { Unfinished } from './afterwards.ts';
import { knownBody, lateValues, pricedWithBounds } from './late-values.ts';
import type { PlannedTask } from './planned-action.ts';

/** The plan that a task belongs to, for its price. */
interface Pricing extends Pick<Unfinished, 'scope' | 'context' | 'comesLater' | 'elementsAfter'> {
  /** What makes two tasks certainly share a job, although the job is not known yet (`alike.ts`). */
  alike(step: Step): string | undefined;
}

export function pricedTask(plan: Pricing, planned: PlannedTask): PlannedTask {
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
    ...{ estimate: priced.estimate, priced: priced.body },
    ...(late.length === 0 ? {} : { late: priced.late }),
    ...(alike === undefined ? {} : { alike }),
  };
}
