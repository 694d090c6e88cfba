// What a person reads about a plan beside its numbers: why the tasks run, how long it may take, what the budget allows.
import { readManifests } from '../../adapters/state/manifests.ts';
import { explanationOf } from '../../plan/explanation.ts';
import { forecastOf, RunHistory } from '../../plan/forecast.ts';
import type { Plan } from '../../plan/plan.ts';
import type { PlanReading } from '../../plan/plan-reading.ts';
import type { PlannedAction } from '../../plan/planned-action.ts';
import type { KeptManifest } from '../../task/manifest.ts';
import type { Prepared } from './prepare.ts';

export interface ReadingTerms {
  /** The most projects at once on the account's plan; undefined: unlimited, or not known. */
  readonly generations: number | undefined;
  /** The price of a credit in US dollars, if it is known. */
  readonly creditDollars: number | undefined;
  readonly budget: number | undefined;
  readonly rehearsal: boolean;
}

/** Reads manifests, and only those that it needs. */
export async function readPlan(
  { bound, paths, state, planned }: Prepared,
  { generations, creditDollars, budget, rehearsal }: ReadingTerms,
): Promise<PlanReading> {
  const { plan, reasons, toDo } = planned;
  const { ledger } = state;
  const history = new RunHistory(ledger.runs());
  const hasWork = worksOn(plan);
  if (hasWork || reasons.explained !== undefined) {
    const passing = function* () {
      for (const job of ledger.jobs()) {
        history.add(job);
        yield job;
      }
    };
    reasons.lookAt(passing());
  }
  let manifests: ReadonlyMap<string, KeptManifest> = new Map();
  // First those of the tasks, then those of what they use.
  for (const round of [1, 2]) {
    const wanted = reasons.wanted(manifests);
    if (wanted.size <= manifests.size && round > 1) break;
    if (wanted.size > 0) manifests = await readManifests(paths.manifests, (job) => wanted.has(job));
  }
  const { limits } = bound.pipeline;
  const terms = { limits, generations };
  // A rehearsal takes no time, and says nothing about the hosted service.
  const forecast = forecastOf(plan.rows, terms, rehearsal ? undefined : history);
  const asked = reasons.explained;
  return {
    hasWork,
    reasons: reasons.reasons(manifests),
    ...(forecast === undefined ? {} : { forecast }),
    ...(budget === undefined ? {} : { budget }),
    ...(creditDollars === undefined || rehearsal ? {} : { creditDollars }),
    itemsToDo: { count: toDo.count, first: toDo.first },
    ...(asked === undefined
      ? {}
      : { explanation: explanationOf(asked, reasons.earlier(asked.planned.task), manifests) }),
  };
}

const actions: readonly PlannedAction[] = ['begin', 'maybe', 'attach', 'copy', 'store'];

const worksOn = ({ rows }: Plan): boolean =>
  rows.some(({ tasks }) => actions.some((action) => (tasks[action] ?? 0) > 0));
