// What a creation may cost before it is sent: by what was charged for the same kind of order, else by the price list or the
// step's `estimate:`.
import { fieldOf, isObject, type Json, type JsonObject } from '../base/json.ts';
import { partOf } from '../base/schema.ts';
import { mostCredits } from '../contract/api/bounds.ts';
import { maxAccepted } from '../contract/max-accepted.ts';
import { measureOf, priceOf } from '../contract/price.ts';
import type { Tool } from '../contract/tool.ts';
import type { Step } from '../language/pipeline.ts';
import type { Measure } from '../model/record/line.ts';
import { isKnown, isList, isNamedObject, type Named, Opaque, Ref } from './names.ts';
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
  /** Fields of which only the run knows the value. `pricedAs`: the most that it may be. */
  readonly late: readonly (OpenField & { readonly pricedAs: number | undefined })[];
}

/** The highest charge for one unit of a measure; undefined: it was never bought. */
interface Charges {
  dearest(measure: Measure): number | undefined;
}

/** Undefined for a step that costs nothing. `request`: with names in place of what other tasks make. */
export function priceOfStep(step: Step, request: Named, charges: Charges): Price | undefined {
  const { tool } = step.kind;
  if (tool === undefined) return undefined;
  const known = knownPart(request);
  const sure = isObject(known) ? known : {};
  const open = [...openFields(request)];
  const { body, bounds } =
    step.estimate === undefined
      ? withBounds(tool, sure, open)
      : { body: sure, bounds: new Map<string, number>() };
  const listed = priceOf(tool, body);
  const measure = measureOf(tool.name, body, listed);
  const { estimate } = step;
  const price = (credits: number | undefined, from: Price['from']): Price => ({
    credits: credits === undefined ? undefined : Math.min(credits, mostCredits),
    measure,
    from,
    why: listed.known ? '' : listed.why,
    unset: from === 'list' && listed.known ? (listed.unset ?? []) : [],
    late: open
      .filter(({ value }) => !isAddress(value))
      .map(({ field, value }) => ({ field, value, pricedAs: bounds.get(field) })),
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

/** A field of which only the run knows the value, such as `end_seconds` or `style.model`. */
interface OpenField {
  readonly field: string;
  readonly value: Named;
}

function* openFields(value: Named, path: readonly string[] = []): Generator<OpenField> {
  if (isKnown(value)) return;
  if (isNamedObject(value))
    for (const [name, field] of Object.entries(value)) yield* openFields(field, [...path, name]);
  else yield { field: path.join('.'), value };
}

/** What is passed on as it is: nobody asks what it will be. */
function isAddress(value: Named): boolean {
  if (isKnown(value)) return true;
  if (isList(value)) return value.every(isAddress);
  if (isNamedObject(value)) return Object.values(value).every(isAddress);
  return value instanceof Ref && /(^|\/)(file_path|url|id)$/.test(value.path);
}

/** Open fields count with the most that the expression and the tool allow; a choice that is open has no price. */
function withBounds(tool: Tool, sure: JsonObject, open: readonly OpenField[]) {
  const bounds = new Map<string, number>();
  let body = sure;
  for (const { field, value } of open) {
    const { type, enum: values, examples } = partOf(tool.request, field.split('.')) ?? {};
    const isChoice = type === 'boolean' || values !== undefined || examples !== undefined;
    const isNumber = type === 'number' || type === 'integer';
    if (isChoice) body = withField(body, field.split('.'), '${{ … }}');
    if (isChoice || !isNumber) continue;
    const most = mostPossible(tool, body, field, ceilingOf(value));
    if (most === undefined) continue;
    body = withField(body, field.split('.'), most);
    bounds.set(field, most);
  }
  return { body, bounds };
}

/** The least known argument of a `math.least`. */
function ceilingOf(value: Named): number | undefined {
  if (!(value instanceof Opaque) || value.op !== 'math.least') return undefined;
  const known = value.args
    .flat()
    .filter((one) => typeof one === 'number' || typeof one === 'bigint');
  return known.length === 0 ? undefined : Math.min(...known.map(Number));
}

/** A clip is longest if it starts early, so a ceiling says nothing about its start. */
function mostPossible(
  tool: Tool,
  body: JsonObject,
  field: string,
  ceiling: number | undefined,
): number | undefined {
  const most = maxAccepted(tool, body, field);
  if (ceiling === undefined || field === 'start_seconds') return most;
  const start = fieldOf(body, 'start_seconds');
  const least = field === 'end_seconds' && typeof start === 'number' ? start : 0;
  // The run refuses a value this small.
  if (ceiling <= least) return most;
  return most === undefined ? ceiling : Math.min(most, ceiling);
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

/** Where a price comes from: earlier charges, the price list, or the step's `estimate:`. */
export type PriceSource = 'charges' | 'list' | 'estimate';
