// The question before a run buys.
import type { Plan } from '../../plan/plan.ts';
import type { PlanReading } from '../../plan/plan-reading.ts';

/** What a person sees before a run buys. The `planned` event has told the plan. */
export interface RunQuestion {
  readonly plan: Plan;
  readonly reading: PlanReading;
  /** The question is asked because the plan may take more credits than this. */
  readonly above: number;
}
