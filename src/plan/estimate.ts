// Estimates the price of one creation before it is sent: from charges in the journal, or else from
// the price list or the step's `estimate:`, whichever is higher.

import type { JsonObject } from '../base/json.ts';
import { mostCredits } from '../contract/api/bounds.ts';
import { type Measured, measureOf, type Price, priceOf } from '../contract/price.ts';
import type { PriceSource } from '../core/price.ts';
import type { Step } from '../language/pipeline.ts';
import type { Ledger } from '../model/ledger.ts';

export type Estimate =
  | {
      readonly known: true;
      readonly credits: number;
      readonly from?: PriceSource;
      /** Fields that are not set: their dearest published values count. */
      readonly unset?: readonly string[];
    }
  /**
   * No history, no published price, no `estimate:`. With a budget or in a rehearsal, the plan is
   * refused.
   */
  | { readonly known: false; readonly why: string };

/** The basis of an estimate, as plain data, so that an order can be estimated again later. */
export interface Expectation {
  readonly kind: string;
  readonly measure: Measured;
  /** Credits by the price list or by the step's `estimate:`, whichever is higher. */
  readonly otherwise?: number;
  /** Why the price list has no price. */
  readonly why: string;
}

/** Undefined if the step is free. */
export function expectationOf(step: Step, body: JsonObject): Expectation | undefined {
  const { tool } = step.kind;
  if (tool === undefined) return undefined;
  const listed = priceOf(tool, body);
  const otherwise = publishedOrStated(listed, step.estimate);
  return {
    kind: tool.name,
    measure: measureOf(tool.name, body, listed),
    why: listed.known ? '' : listed.why,
    otherwise,
  };
}

/** A published price is not taken for less; where it is only a bound, because fields are not set, the step knows better. */
function publishedOrStated(listed: Price, stated: number | undefined): number | undefined {
  if (!listed.known) return stated;
  return listed.unset === undefined
    ? Math.max(listed.credits, stated ?? 0)
    : (stated ?? listed.credits);
}

/**
 * Credits of one creation, rounded up. The highest charge for the same kind of order comes first,
 * by its size; then the published price, then the step's `estimate:`, both raised by the factor by
 * which a charge of this step kind exceeded its reserve the most.
 */
export function estimated(expectation: Expectation, ledger: Pick<Ledger, 'rates'>): Estimate {
  const estimate = expected(expectation, ledger);
  // A higher charge is not believable, so no more is reserved.
  return estimate.known
    ? { known: true, credits: Math.min(estimate.credits, mostCredits) }
    : estimate;
}

function expected(expectation: Expectation, { rates }: Pick<Ledger, 'rates'>): Estimate {
  const { kind, measure, otherwise, why } = expectation;
  const seen = rates.expected(measure);
  // Something that was free so far may not stay free: then the list or the step decides.
  if (seen !== undefined && seen > 0) return { known: true, credits: seen };
  if (otherwise === undefined) return { known: false, why };
  // Listed as free, but charged once: never take the price as zero again.
  if (otherwise === 0) return { known: true, credits: rates.dearest(kind) };
  return { known: true, credits: Math.ceil(otherwise * rates.overrun(kind) - 1e-6) };
}

export function estimateOf(step: Step, body: JsonObject, ledger: Pick<Ledger, 'rates'>): Estimate {
  const expectation = expectationOf(step, body);
  return expectation === undefined ? { known: true, credits: 0 } : estimated(expectation, ledger);
}

/** The same, with the source of the price. */
export function pricedEstimate(
  step: Step,
  body: JsonObject,
  ledger: Pick<Ledger, 'rates'>,
): Estimate {
  const { tool } = step.kind;
  const expectation = expectationOf(step, body);
  const estimate = estimateOf(step, body, ledger);
  if (tool === undefined || expectation === undefined || !estimate.known) return estimate;
  const { measure, otherwise, kind } = expectation;
  const { rates } = ledger;
  const isSeen = (rates.expected(measure) ?? 0) > 0 || otherwise === 0 || rates.overrun(kind) > 1;
  if (isSeen) return { ...estimate, from: 'charges' };
  const listed = priceOf(tool, body);
  const isListed = listed.known && publishedOrStated(listed, step.estimate) === listed.credits;
  if (!isListed) return { ...estimate, from: 'estimate' };
  return {
    ...estimate,
    from: 'list',
    unset: listed.unset,
  };
}
