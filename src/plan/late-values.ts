// Values of a request that only the run will know: which fields, from which steps, and the price
// with the highest possible value in their place.

import { fieldOf, isObject, type JsonObject } from '../base/json.ts';
import { partOf, type Schema } from '../base/schema.ts';
import { maxAccepted } from '../contract/max-accepted.ts';
import type { Tool } from '../contract/tool.ts';
import type { LateValue } from '../core/plan-table.ts';
import type { Expression, Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { expressionsOf } from '../language/template.ts';
import type { Estimate } from './estimate.ts';

/** What a plan knows so far. */
export interface Known {
  readonly scope: Scope;
  /** True if the outputs of a step become known only during the run. */
  readonly comesLater: (step: string) => boolean;
  /** In a fan-out whose elements only the run will know: the step that tells them. */
  readonly elementsAfter: string | undefined;
}

/** A request to price. `known`: the known part of its body. */
interface Priced {
  readonly known: JsonObject;
  readonly scope: Scope;
  readonly late: readonly LateValue[];
}

interface Pricing {
  readonly late: readonly LateValue[];
  readonly estimate: Estimate;
  /** The request that the estimate is for. */
  readonly body: JsonObject;
}

export function lateValues(step: Step, plan: Known): readonly LateValue[] {
  const { condition } = step;
  const written = [
    ...(condition === undefined ? [] : [{ path: ['', '', 'if'], expression: condition }]),
    ...expressionsOf(step.with).map(({ path, expression }) => ({
      path: ['', '', ...path.slice(3)],
      expression,
    })),
  ];
  const late = new Map<string, LateValue>();
  for (const { path, expression } of written) {
    const from = sourceOf(expression, plan);
    if (from === undefined || expression.evaluate(plan.scope).ok) continue;
    const field = path.slice(2).join('.');
    late.set(field, { field, from });
  }
  return [...late.values()];
}

/** The step that decides the value of an expression, if its outputs become known only during the run. */
function sourceOf({ references }: Expression, plan: Known): string | undefined {
  for (const { root, key } of references) {
    if (root === 'each' && plan.elementsAfter !== undefined) return plan.elementsAfter;
    if (root === 'steps' && key !== undefined && plan.comesLater(key)) return key;
  }
  return undefined;
}

/**
 * The estimate of a request with late values. The step's own `estimate:` is an upper bound; without
 * one, a late number counts as the most that the expression and the tool allow.
 */
export function pricedWithBounds(
  step: Step,
  { known, scope, late }: Priced,
  estimate: (body: JsonObject) => Estimate,
): Pricing {
  const { tool } = step.kind;
  if (tool === undefined || step.estimate !== undefined)
    return { late, estimate: estimate(known), body: known };
  let bounded = known;
  const priced = late.map((value): LateValue => {
    const { field } = value;
    if (isChoice(tool.request, field)) bounded = withField(bounded, field.split('.'), '${{ … }}');
    if (!takesNumber(tool.request, field)) return value;
    const most = mostPossible(tool, bounded, field, ceilingOf(step, field, scope));
    if (most === undefined) return value;
    bounded = { ...bounded, [field]: most };
    return { ...value, pricedAs: most };
  });
  const found = estimate(bounded);
  const open = priced.find(
    ({ field, pricedAs }) =>
      isChoice(tool.request, field) || (pricedAs === undefined && takesNumber(tool.request, field)),
  );
  if (found.known || open === undefined) return { late: priced, estimate: found, body: bounded };
  const because = isChoice(tool.request, open.field)
    ? 'the price depends on it'
    : 'no limit is published for it';
  const why = `${open.field} is known only at run time (from ${open.from}), and ${because}`;
  return { late: priced, estimate: { known: false, why }, body: bounded };
}

/** The least known argument of the `math.least` that decides a field. */
function ceilingOf(step: Step, field: string, scope: Scope): number | undefined {
  const written = expressionsOf(step.with).find(({ path }) => path.slice(3).join('.') === field);
  const known = (written?.expression.ceilings ?? []).flatMap((ceiling) => {
    const found = ceiling.evaluate(scope);
    return found.ok && typeof found.value === 'number' ? [found.value] : [];
  });
  return known.length === 0 ? undefined : Math.min(...known);
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

/** A field that decides the price must not look as if it were left out. */
function withField(
  body: JsonObject,
  [key = '', ...rest]: readonly string[],
  value: string,
): JsonObject {
  const inner = body[key];
  return {
    ...body,
    [key]: rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest, value),
  };
}

/** True for a setting with a list of values, such as a model or a resolution, or a switch. */
function isChoice(schema: Schema, field: string): boolean {
  const { type, enum: values, examples } = partOf(schema, field.split('.')) ?? {};
  return type === 'boolean' || values !== undefined || examples !== undefined;
}

/** True for a number at the top level of a request, where the fields that decide prices are. */
function takesNumber(schema: Schema, field: string): boolean {
  const type = partOf(schema, [field])?.['type'];
  return type === 'number' || type === 'integer';
}
