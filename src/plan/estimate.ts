// What one creation will cost, before it is sent: the price list, corrected by what was really charged.
import { priceOf } from '../api/price.ts';
import type { JsonObject } from '../base/json.ts';
import type { Ledger } from '../journal/ledger.ts';
import type { Step } from '../language/pipeline.ts';

export type Estimate =
  | { readonly known: true; readonly credits: number }
  /** No published price, no `estimate:`, no history: under a budget the plan is refused. */
  | { readonly known: false; readonly why: string };

/**
 * Credits of one task, rounded up. In this order: the published price, the larger of the step's `estimate:`
 * and the dearest charge seen. A kind that was ever charged above its estimate is estimated higher by as much.
 */
export function estimateOf(step: Step, body: JsonObject, ledger: Ledger): Estimate {
  const { tool } = step.kind;
  if (tool === undefined) return { known: true, credits: 0 };
  const listed = priceOf(tool.name, body);
  if (listed.known) return raised(listed.credits, step, ledger);
  const seen = ledger.dearest(tool.name);
  if (step.estimate === undefined && seen === undefined) return { known: false, why: listed.why };
  return raised(Math.max(step.estimate ?? 0, seen ?? 0), step, ledger);
}

function raised(credits: number, step: Step, ledger: Ledger): Estimate {
  return { known: true, credits: Math.ceil(credits * ledger.overrun(step.kind.name)) };
}
