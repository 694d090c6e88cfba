// What a person reads about a plan beside its numbers: why the tasks run, how long it may take, what the budget allows.

import { calendarCaps } from '../../core/calendar-budget.ts';
import { forecastOf, RunHistory } from '../../core/forecast.ts';
import type { PlanReading } from '../../core/plan-reading.ts';
import type { Explanation } from '../../core/plan-reason.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { PlannedAction } from '../../core/planned-action.ts';
import { committed } from '../../model/ledger.ts';
import type { KeptManifest } from '../../model/manifest.ts';
import { estimated } from '../../plan/estimate.ts';
import { enoughFor } from '../../plan/needs.ts';
import { explanationOf } from '../../plan/plan-reasons.ts';
import { SpendingLimits } from '../../plan/spending-limits.ts';
import { readManifests } from '../../state/manifests.ts';
import type { Prepared } from './prepare.ts';

export interface ReadingTerms {
  /** The most projects at once on the account's plan; undefined: unlimited, or not known. */
  readonly generations: number | undefined;
  /** The price of a credit in US dollars, if it is known. */
  readonly creditDollars: number | undefined;
  readonly budget: number | undefined;
  /** The account's credits, if they are known. */
  readonly balance?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly rehearsal: boolean;
}

/** Reads manifests, and only those that it needs. */
export async function readPlan(
  prepared: Prepared,
  { generations, creditDollars, budget, balance, now, rehearsal }: ReadingTerms,
): Promise<PlanReading> {
  const { bound, paths, state, planned, earlier } = prepared;
  const { plan, reasons } = planned;
  const { ledger } = state;
  const history = new RunHistory(ledger.runs());
  // A run records what it adopts, also a doubt: until then, the other commands do not know of it.
  const { hasAdopted } = prepared.remembered;
  const hasWork = worksOn(plan) || earlier.runs.length > 0 || hasAdopted;
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
    forecast,
    isUncapped: [budget, ...Object.values(bound.pipeline.budget)].every((cap) => cap === undefined),
    ...(budget === undefined
      ? {}
      : {
          budget,
          budgetFrom: budget === bound.pipeline.budget.credits ? 'budget.credits' : '--budget',
        }),
    ...(await enoughBy(prepared, { budget, balance, now })),
    ...(creditDollars === undefined || rehearsal ? {} : { creditDollars }),
    itemsToDo: planned.itemsToDo,
    ...(asked === undefined
      ? {}
      : {
          explanation: {
            ...explanationOf(asked, reasons.earlier(asked.planned.task), manifests),
            ...paidFor(prepared, asked.planned.fingerprint),
          },
        }),
  };
}

/** Empty if the receipts say nothing of it. */
function paidFor(
  { remembered }: Prepared,
  fingerprint: string | undefined,
): Pick<Explanation, 'paid'> {
  const paid = fingerprint === undefined ? undefined : remembered.told(fingerprint);
  return paid === undefined ? {} : { paid };
}

/** Empty if the caps are enough for all items, or if there is none. */
async function enoughBy(
  { bound, state: { ledger }, planned, findNeeds }: Prepared,
  { budget, balance, now }: Pick<ReadingTerms, 'budget' | 'balance' | 'now'>,
): Promise<Pick<PlanReading, 'enough'>> {
  const { plan, inProgress } = planned;
  const short = balance !== undefined && balance < plan.credits;
  const needs = short ? await findNeeds() : planned.needs;
  if (needs === undefined || bound.pipeline.items.kind === 'one') return {};
  const limits = new SpendingLimits({
    ledger,
    total: budget,
    calendar: calendarCaps(bound.pipeline),
    balance: short ? committed(ledger.account) + balance : undefined,
  });
  const room = { run: limits.room({ open: 0, now }), perItem: bound.pipeline.budget.perItem };
  const all = needs.items;
  const order = [
    ...all.filter((item) => inProgress.has(item)),
    ...all.filter((item) => !inProgress.has(item)),
  ];
  const enough = enoughFor(needs, order, room, (expectation) => {
    const estimate = estimated(expectation, ledger);
    return estimate.known ? estimate.credits : 0;
  });
  return enough.items < enough.of ? { enough } : {};
}

const actions: readonly PlannedAction[] = ['begin', 'maybe', 'attach', 'copy', 'store'];

const worksOn = ({ rows }: Plan): boolean =>
  rows.some(({ tasks }) => actions.some((action) => (tasks[action] ?? 0) > 0));
