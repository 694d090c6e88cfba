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
 * Credits of one task, rounded up: the published price, else the step's `estimate:`. A kind that was ever charged
 * above its estimate is estimated higher by as much; without a price that counts, by the dearest charge seen.
 */
export function estimateOf(step: Step, body: JsonObject, ledger: Ledger): Estimate {
  const { tool } = step.kind;
  if (tool === undefined) return { known: true, credits: 0 };
  const listed = priceOf(tool.name, body);
  const seen = ledger.dearest(tool.name);
  if (!listed.known && step.estimate === undefined && seen === undefined)
    return { known: false, why: listed.why };
  const expected = listed.known ? listed.credits : (step.estimate ?? 0);
  const raised = Math.ceil(expected * ledger.overrun(tool.name));
  const leans = !listed.known || listed.credits === 0;
  return { known: true, credits: leans ? Math.max(raised, seen ?? 0) : raised };
}
