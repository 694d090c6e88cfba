// What each item may still cost, by the plan. Under a cap, an item begins only if all of that fits, so that no credits go to
// items that the cap then leaves unfinished.
import type { Enough } from '../core/plan-reading.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import { type Expectation, expectationOf } from './estimate.ts';
import type { PlannedTask } from './planned-action.ts';

/** A task that is still to be paid for. */
export interface Need {
  readonly step: string;
  readonly expectation: Expectation;
  /** Tasks with the same content are paid for once. Undefined if nobody can know it yet. */
  readonly content: string | undefined;
  /** The most elements that the task stands for until its fan-out opens. */
  readonly times: number;
}

interface ItemNeed {
  /** By task. */
  readonly needs: ReadonlyMap<string, Need>;
  /** Credits that earlier runs spent on the item, or set aside for it. */
  readonly spent: number;
}

const nothing: ItemNeed = { needs: new Map(), spent: 0 };

/** Undefined if there is no such job. */
type CreditsOf = (fingerprint: Fingerprint) => number | undefined;

export class ItemNeeds {
  /** In the order of the items; the key "" stands for the shared steps. */
  readonly #items = new Map<string, ItemNeed>();
  readonly #expectations = new Map<string, Expectation>();
  readonly #creditsOf: CreditsOf;

  constructor(creditsOf: CreditsOf) {
    this.#creditsOf = creditsOf;
  }

  add(key: string, tasks: readonly PlannedTask[]): void {
    const needs = new Map<string, Need>();
    let spent = 0;
    for (const planned of tasks) {
      const { step, task, action, fingerprint, alike, times, take } = planned;
      const need = this.#needOf(planned);
      if (need !== undefined)
        needs.set(task, {
          step: step.name,
          expectation: need,
          content: fingerprint ?? alike,
          times: times?.open === true ? Math.max(1, times.most ?? times.least) : 1,
        });
      else if (step.kind.tool !== undefined && fingerprint !== undefined && action !== 'blocked')
        spent += (this.#creditsOf(fingerprint) ?? 0) + (take?.others ?? 0);
    }
    if (needs.size > 0) this.#items.set(key, { needs, spent });
  }

  of(key: string): ItemNeed {
    return this.#items.get(key) ?? nothing;
  }

  /** Credits for all that the item needs, whoever pays for it. `creditsOf`: the most that a task may take. */
  costOf(key: string, creditsOf: (expectation: Expectation) => number): number {
    let sum = 0;
    for (const { expectation, times } of this.of(key).needs.values())
      sum += creditsOf(expectation) * times;
    return sum;
  }

  /** The keys of the items that need something, in order; without the shared steps. */
  get items(): readonly string[] {
    return [...this.#items.keys()].filter((key) => key !== '');
  }

  /** Equal ones are kept once: a hundred thousand items have few different requests. */
  #needOf({ step, action, priced }: PlannedTask): Expectation | undefined {
    if (priced === undefined || (action !== 'begin' && action !== 'maybe')) return undefined;
    const expectation = expectationOf(step, priced);
    if (expectation === undefined) return undefined;
    const key = JSON.stringify(expectation);
    const known = this.#expectations.get(key) ?? expectation;
    this.#expectations.set(key, known);
    return known;
  }
}

/** What the caps leave to begin with. */
export interface Room {
  /** Credits that are left, and the most that the cap ever leaves; undefined without such a cap. */
  readonly run: { readonly left: number; readonly most: number } | undefined;
  /** `budget.per_item`, in credits. */
  readonly perItem: number | undefined;
}

const maxListed = 20;

/**
 * The same rule as a run's: the shared steps first, then the items in order, each only if all that it needs fits.
 * `creditsOf`: the most that a task may take, by current knowledge.
 */
export function enoughFor(
  needs: ItemNeeds,
  order: Iterable<string>,
  { run, perItem }: Room,
  creditsOf: (expectation: Expectation) => number,
): Enough {
  const bought = new Set<string>();
  const costOf = (key: string, keep: boolean): number => {
    let sum = 0;
    for (const { expectation, content, times } of needs.of(key).needs.values()) {
      if (content !== undefined && bought.has(content)) continue;
      if (keep && content !== undefined) bought.add(content);
      sum += creditsOf(expectation) * times;
    }
    return sum;
  };
  let left = (run?.left ?? Infinity) - costOf('', true);
  let isOver = left < 0;
  let [items, of] = [0, 0];
  const tooDear: { item: string; credits: number }[] = [];
  for (const item of order) {
    const credits = costOf(item, false);
    if (credits === 0) continue;
    of += 1;
    const { spent } = needs.of(item);
    if (
      credits > (run?.most ?? Infinity) ||
      spent + needs.costOf(item, creditsOf) > (perItem ?? Infinity)
    ) {
      tooDear.push({ item, credits });
    } else if (!isOver && credits <= left) {
      left -= credits;
      items += 1;
      costOf(item, true);
    } else isOver = true;
  }
  return { items, of, tooDear: tooDear.slice(0, maxListed), tooDearCount: tooDear.length };
}
