// The elements of a fan-out: the values of its list, and what expressions see of one.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Scope } from '../language/expression.ts';
import type { FanOut } from '../language/pipeline.ts';
import { fill, type TemplateError } from '../language/template.ts';

/** The most elements of one list. */
export const mostElements = 1000;

/** The values of a list, by content or live, as the scope is. */
export function elementsOf(
  { step, list }: FanOut,
  scope: Scope,
): Result<readonly Json[], TemplateError> {
  const filled = fill(list, scope);
  if (!filled.ok) return filled;
  const { value } = filled;
  if (Array.isArray(value) && value.length <= mostElements) return ok(value);
  const path = ['steps', step, 'for_each'];
  const text = list.kind === 'expression' ? list.expression.text : '';
  const place = { path, text, start: 0, end: text.length };
  if (!Array.isArray(value)) {
    const message = `for_each must be a list, not ${JSON.stringify(value).slice(0, 80)}`;
    return err({ ...place, code: 'SL314', message, hint: 'write [value] for a list of one' });
  }
  const message = `for_each has ${value.length} elements, and at most ${mostElements} are allowed`;
  return err({ ...place, code: 'SL229', message, hint: `take the first: .take(${mostElements})` });
}

/** The value of `each`: the fields of the element, if it has any, the element itself, and its index. */
export function eachOf(element: Json, index: number): JsonObject {
  return { ...(isObject(element) ? element : {}), value: element, index };
}
