// Which planned tasks have nothing to do in a tick now: if all of them rest, the tick asks the service nothing.
import type { Ledger } from '../../journal/ledger.ts';
import type { Pipeline } from '../../language/pipeline.ts';
import { finalFailure } from '../../plan/final-failure.ts';
import { Generations } from '../../plan/generations.ts';
import type { PlannedTask } from '../../plan/planned-action.ts';
import type { LastLooks } from '../../run/jobs/last-looks.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import { generationLimits } from './generation-limits.ts';

export interface RestContext {
  readonly pipeline: Pipeline;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly looks: LastLooks;
  /** The account's tier, as an earlier tick learned it. */
  readonly tier: string | undefined;
}

/** True for a task that a tick cannot bring forward now. The steps before the task are over. */
export function restingTasks(context: RestContext): (planned: PlannedTask) => boolean {
  const { pipeline, ledger, clock, looks, tier } = context;
  const limits = generationLimits(pipeline.limits, tier, 'tick');
  const generations = new Generations({
    ledger,
    now: () => clock.now(),
    steps: pipeline.steps,
    limits,
  });
  const { isFull } = generations;
  const now = clock.now();
  return ({ step, action, fingerprint }) => {
    const job = fingerprint === undefined ? undefined : ledger.job(fingerprint);
    if (action === 'attach') {
      const { project, kind, at } = job ?? {};
      if (project === undefined || kind === undefined || at === undefined) return false;
      return !looks.isDue({ project, kind, since: Date.parse(at) }, now);
    }
    if (action !== 'begin') return false;
    switch (step.kind.operation) {
      case 'upload':
      case 'detect':
        return isFull;
      case 'create':
        return (
          !generations.hasRoom(step.kind.name) || finalFailure(job, step.attempts) !== undefined
        );
      default:
        return false;
    }
  };
}
