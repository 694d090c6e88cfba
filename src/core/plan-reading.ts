// What a person reads about a plan beside its numbers: why the tasks run, how long it may take, what the budget allows.

import type { Forecast } from './forecast.ts';
import type { Explanation, PlanReason } from './plan-reason.ts';

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
export interface Enough {
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
