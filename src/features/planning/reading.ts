// What a person reads about a plan beside its numbers: why the tasks run, how long it may take, what the budget allows.

import { creditDollarsOn } from '../../contract/api/tier.ts';
import { usualDurations } from '../../core/durations.ts';
import { type Forecast, forecastOf } from '../../core/forecast.ts';
import type { Plan, PlannedAction } from '../../core/plan-table.ts';
import { projectsOn } from '../../core/slots.ts';
import { Spending } from '../../core/spending.ts';
import type { Explanation, PlanReason, Reasons } from '../../core/why.ts';
import type { Planning } from './planning.ts';

export interface PlanReading {
  /** True if a run would do anything. */
  readonly hasWork: boolean;
  /** Why tasks run, the most frequent reason first. */
  readonly reasons: readonly PlanReason[];
  /** Absent if no tool has anything to do, or if only the run will know how much. */
  readonly forecast?: Forecast;
  /** The most credits that a run may spend; absent without a budget. */
  readonly budget?: number;
  /** What sets the budget. */
  readonly budgetFrom?: 'budget.credits' | '--budget';
  /** True if neither the pipeline nor `--budget` caps a run in any way. */
  readonly isUncapped: boolean;
  /** For how many items the caps are enough; absent if they are enough for all. */
  readonly enough?: Enough;
  /** The price of a credit in US dollars; absent if it is not known, and in a rehearsal. */
  readonly creditDollars?: number | undefined;
  /** How many items have something to pay for, or to wait for. */
  readonly itemsToDo: number;
  /** `--explain`: absent if the plan has no such task. */
  readonly explanation?: Explanation;
}

/** For how many items the caps are enough. */
interface Enough {
  readonly items: number;
  /** The first of these items, in the order in which a run buys them. */
  readonly bought: readonly string[];
  /** The items that something must be paid for. */
  readonly of: number;
  /** Items that no run can finish, because they alone need more than a cap, or than the account has: the first of them. */
  readonly tooDear: readonly {
    readonly item: string;
    readonly credits: number;
    readonly than: 'cap' | 'account';
  }[];
  readonly tooDearCount: number;
}

interface ReadingTerms {
  /** The account's plan, if it is known. */
  readonly tier: string | undefined;
  /** The account's credits, if they are known. */
  readonly balance?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly rehearsal: boolean;
}

export async function readPlan(
  planning: Planning,
  reasons: Reasons,
  terms: ReadingTerms,
): Promise<PlanReading> {
  const { bound, planned, caps } = planning;
  const { plan } = planned;
  const { tier, rehearsal } = terms;
  const { budget } = bound.pipeline;
  const forecast = forecastFor(planning, terms);
  const enough = await enoughFor(planning, terms);
  return {
    hasWork: worksOn(plan) || planned.owed.length > 0 || planning.hasNews,
    reasons: reasons.reasons,
    forecast,
    isUncapped: [caps.run, ...Object.values(budget)].every((cap) => cap === undefined),
    budget: caps.run,
    budgetFrom:
      caps.run === undefined
        ? undefined
        : caps.run === budget.credits
          ? 'budget.credits'
          : '--budget',
    enough,
    creditDollars: rehearsal ? undefined : creditDollarsOn(tier),
    itemsToDo: planned.itemsToDo,
  };
}

const actions: readonly PlannedAction[] = ['begin', 'maybe', 'attach', 'copy', 'store'];

const worksOn = ({ rows }: Plan): boolean =>
  rows.some(({ tasks }) => actions.some((action) => (tasks[action] ?? 0) > 0));

/** A rehearsal takes no time, and says nothing about the hosted service. */
function forecastFor(
  { bound, planned, ledger }: Planning,
  { tier, rehearsal }: ReadingTerms,
): Forecast | undefined {
  if (!worksOn(planned.plan)) return undefined;
  const { limits } = bound.pipeline;
  const usual = rehearsal ? {} : usualDurations(ledger.jobs());
  return forecastOf(planned.plan.rows, { limits, generations: projectsOn(tier), usual });
}

const maxListed = 20;

/** The same rule as a run's. Undefined if the caps are enough for all items, or if there is none. */
async function enoughFor(
  { bound, planned, caps, ledger, goesOn, spent }: Planning,
  { balance, now }: ReadingTerms,
): Promise<Enough | undefined> {
  if (bound.pipeline.items.kind === 'one') return undefined;
  const { plan, needs, begun, bad } = planned;
  const isShort = balance !== undefined && balance < plan.credits;
  const spending = new Spending({
    ledger,
    run: () => goesOn,
    caps: { ...caps, balance: isShort ? spent + balance : undefined },
    needs,
    begun,
    now: () => now,
    isPlan: true,
  });
  if (!spending.isCapped) return undefined;
  await spending.admit('');
  const { most = Number.POSITIVE_INFINITY, of: least } = spending.tightest ?? {};
  const all = [...needs.keys()].filter((item) => item !== '' && !bad.has(item));
  const order = [
    ...all.filter((item) => begun.has(item)),
    ...all.filter((item) => !begun.has(item)),
  ];
  let [items, of] = [0, 0];
  const firstBought: string[] = [];
  const tooDear: Enough['tooDear'][number][] = [];
  for (const item of order) {
    const { remaining: credits } = spending.costOf(item);
    if (credits === 0) continue;
    of += 1;
    const may = await spending.admit(item);
    if (may === true) {
      items += 1;
      if (firstBought.length < maxListed) firstBought.push(item);
    } else if (credits > most)
      tooDear.push({ item, credits, than: least === 'balance' ? 'account' : 'cap' });
    else if (may.held?.by === 'item') tooDear.push({ item, credits, than: 'cap' });
  }
  if (items === of) return undefined;
  return {
    items,
    bought: firstBought,
    of,
    tooDear: tooDear.slice(0, maxListed),
    tooDearCount: tooDear.length,
  };
}
