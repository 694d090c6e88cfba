// What a creation may cost before it is sent: by what was charged for the same kind of order, else by the price list or the
// step's `estimate:`.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { partOf } from '../base/schema.ts';
import { mostCredits } from '../contract/api/bounds.ts';
import { maxAccepted } from '../contract/max-accepted.ts';
import { measureOf, priceOf } from '../contract/price.ts';
import type { Tool } from '../contract/tool.ts';
import type { Step } from '../language/pipeline.ts';
import type { Measure } from '../model/record/line.ts';
import type { PriceSource } from '../plan/estimate.ts';
import { isKnown, isNamedObject, type Named } from './names.ts';
import { knownPart } from './request.ts';

export interface Price {
  /** At most; undefined if nothing says it, which is never taken for zero. */
  readonly credits: number | undefined;
  readonly measure: Measure;
  readonly from: PriceSource | undefined;
  /** Why there is no price, as a sentence without its end. */
  readonly why: string;
  /** Fields that decide the price and are not set: their dearest published values count. */
  readonly unset: readonly string[];
}

/** The highest charge for one unit of a measure; undefined: it was never bought. */
export interface Charges {
  dearest(measure: Measure): number | undefined;
}

/** Undefined for a step that costs nothing. `request`: with names in place of what other tasks make. */
export function priceOfStep(step: Step, request: Named, charges: Charges): Price | undefined {
  const { tool } = step.kind;
  if (tool === undefined) return undefined;
  const known = knownPart(request);
  const sure = isObject(known) ? known : {};
  const body = step.estimate === undefined ? withBounds(tool, sure, openFields(request)) : sure;
  const listed = priceOf(tool, body);
  const measure = measureOf(tool.name, body, listed);
  const { estimate } = step;
  const price = (credits: number | undefined, from: Price['from']): Price => ({
    credits: credits === undefined ? undefined : Math.min(credits, mostCredits),
    measure,
    from,
    why: listed.known ? '' : listed.why,
    unset: from === 'list' && listed.known ? (listed.unset ?? []) : [],
  });
  const seen = chargeFor(measure, charges);
  // What was free so far may not stay free: then the list or the step decides.
  if (seen > 0) return price(seen, 'charges');
  if (!listed.known) return price(estimate, estimate === undefined ? undefined : 'estimate');
  // A published price is not taken for less; where it is only a bound, the step knows better.
  const isStated =
    estimate !== undefined && (listed.unset === undefined ? estimate > listed.credits : true);
  return isStated ? price(estimate, 'estimate') : price(listed.credits, 'list');
}

/** By the dearest charge so far; 0 if there was none. */
export const chargeFor = (measure: Measure, charges: Charges): number =>
  Math.ceil((charges.dearest(measure) ?? 0) * measure.amount - 1e-6);

/** The fields of which only the run knows the value, such as `end_seconds` and `style.model`. */
function openFields(value: Named, path: readonly string[] = []): readonly string[] {
  if (isKnown(value)) return [];
  if (!isNamedObject(value)) return [path.join('.')];
  return Object.entries(value).flatMap(([name, field]) => openFields(field, [...path, name]));
}

/** Open fields count with the most that the tool accepts; a choice that is open has no price. */
function withBounds(tool: Tool, body: JsonObject, open: readonly string[]): JsonObject {
  let bounded = body;
  for (const field of open) {
    const { type, enum: values, examples } = partOf(tool.request, field.split('.')) ?? {};
    const isChoice = type === 'boolean' || values !== undefined || examples !== undefined;
    const isNumber = type === 'number' || type === 'integer';
    const most = isNumber && !isChoice ? maxAccepted(tool, bounded, field) : undefined;
    if (isChoice) bounded = withField(bounded, field.split('.'), '${{ … }}');
    else if (most !== undefined) bounded = withField(bounded, field.split('.'), most);
  }
  return bounded;
}

function withField(
  body: JsonObject,
  [key = '', ...rest]: readonly string[],
  value: Json,
): JsonObject {
  const inner = body[key];
  if (rest.length === 0) return { ...body, [key]: value };
  return { ...body, [key]: withField(isObject(inner) ? inner : {}, rest, value) };
}
