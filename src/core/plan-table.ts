// The plan as plain data: for each step, what would run, what it would cost, and what is reused.
import type { Code } from '../contract/codes.ts';
import type { FileCounts } from './facts.ts';
import type { PriceSource } from './price.ts';

/**
 * What is decided (`decide.ts`), or how the task ends without a decision (`ending.ts`).
 * `maybe`: it depends on what an earlier step finds. `problem`: it cannot be done as things are.
 */
export type PlannedAction = Act | 'maybe' | 'problem' | 'skipped' | 'excluded' | 'blocked';

/** What is decided about a task. */
type Act = 'reuse' | 'begin' | 'attach' | 'copy' | 'store' | 'doubt' | 'lost' | 'keep' | 'defer';

/** The number of elements of a fan-out. `open`: only the run will know it. No `most`: there is no bound. */
export interface Times {
  readonly least: number;
  readonly most?: number;
  readonly open: boolean;
}

/** True if the outputs of the task become known only when the run has done it. */
export const comesLater = (action: PlannedAction): boolean =>
  action === 'begin' || action === 'maybe' || action === 'attach' || action === 'copy';

/** A value of a step's request that only the run will know. */
export interface PlannedLate {
  readonly step: string;
  /** A field of the request, such as `end_seconds`, or `if`. */
  readonly field: string;
  /** The step whose result decides the value. */
  readonly from: string;
  /** The value that the price is estimated with. */
  readonly pricedAs?: number | undefined;
}

export interface PlanRow {
  readonly step: string;
  readonly kind: string;
  /** The number of tasks by planned action. */
  readonly tasks: Readonly<Partial<Record<PlannedAction, number>>>;
  /**
   * Credits of the tasks that would be paid for, including tasks that may turn out to be
   * unnecessary.
   */
  readonly credits: number;
  /** Tasks that would be paid for and whose price is unknown. */
  readonly unpriced: number;
  /** Where the prices come from; absent if nothing would be paid for. */
  readonly prices?: readonly PriceSource[] | undefined;
  /** Fields of requests that are not set and decide the price: the dearest published values count. Absent if there are none. */
  readonly unset?: readonly string[] | undefined;
  /** The tasks among those of `reuse` that are the same as one of another item in this plan; absent if there are none. */
  readonly twins?: number | undefined;
  /** Credits that are set aside for tasks in doubt; absent if there are none. */
  readonly held?: number | undefined;
  /** For a step of a fan-out: the number of its elements, for one item. */
  readonly times?: Times | undefined;
  /** Fan-outs whose number of elements nobody can bound, so that `credits` lacks them, and the credits of one element. */
  readonly uncounted?: { readonly fanOuts: number; readonly each: number } | undefined;
}

export interface PlanNote {
  readonly task: string;
  readonly action: PlannedAction;
  readonly why: string;
  /** For a task that cannot run: `shotlist explain` says more about the code. */
  readonly code?: Code | undefined;
}

export interface Plan {
  readonly items: number;
  readonly rows: readonly PlanRow[];
  readonly credits: number;
  readonly unpriced: number;
  /** Fan-outs that would be paid for and whose number of elements nobody can bound. */
  readonly uncounted: number;
  /** Why prices are unknown, each reason once. */
  readonly unpricedWhy: readonly string[];
  /** Values that only the run will know, by step and field. Absent if there are none. */
  readonly late?: readonly PlannedLate[] | undefined;
  /** Steps that send fields under `extra:`, which this version does not know. Absent if there are none. */
  readonly unknownFields?: readonly PlannedExtra[] | undefined;
  /** Results of which there are several takes, and which one counts: the first hundred. Absent if there are none. */
  readonly takes?: readonly PlannedTake[] | undefined;
  /** What the user's receipts spare; absent if that is nothing. */
  readonly paidAlready?: PaidAlready;
  /** Files of reused downloads that are not here as recorded. */
  readonly files: FileCounts;
  /** Items with a task that cannot run. A run buys nothing for them; the other items continue. */
  readonly badItems: number;
  /**
   * Tasks that a person should look at: in doubt, lost, kept, unable to run. The first hundred of
   * `noted`.
   */
  readonly notes: readonly PlanNote[];
  readonly noted: number;
}

interface PlannedExtra {
  readonly step: string;
  /** Paths into the request: `style.mood`. */
  readonly fields: readonly string[];
}

export interface PlannedTake {
  readonly task: string;
  /** How many there are. */
  readonly known: number;
  /** The one that counts; 1 is the first. */
  readonly picked: number;
}

// What a plan need not pay for although the state file does not know of it, as the user's receipts say.

/** Who paid. `name`: the branch, or the path of the state file or pipeline file. */
export interface PaidBy {
  readonly by: 'branch' | 'state' | 'pipeline';
  readonly name: string;
}

export interface PaidSource extends PaidBy {
  readonly creations: number;
  /** YYYY-MM-DD: the first and the last day. */
  readonly first: string;
  readonly last: string;
}

/** Creations that the state file takes over from receipts. Those in doubt and those whose results are lost do not count. */
export interface PaidAlready {
  readonly creations: number;
  /** What they cost when they were paid for. */
  readonly credits: number;
  /** The first hundred, the largest first. */
  readonly sources: readonly PaidSource[];
  /** ISO 8601: when the receipts were read. */
  readonly at: string;
}

/** What the receipts say of one task, and what follows. */
export interface PaidTask extends PaidBy {
  readonly follows: 'adopted' | 'copied' | 'lost' | 'doubt';
  /** ISO 8601. */
  readonly at: string;
  readonly project?: string;
  readonly credits?: number;
  /** The files that are copied. Empty if the store has them. */
  readonly files?: readonly string[];
}
