// What a plan knows about the elements of a fan-out.
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Scope } from '../language/expression.ts';
import type { FanOut, Step } from '../language/pipeline.ts';
import { expressionRemedy, expressionsOf } from '../language/template.ts';
import { elementsOf } from '../model/element.ts';
import type { TaskProblem } from './ask.ts';
import { type Known, knownBody } from './late-values.ts';
import type { Times } from './planned-action.ts';

export type Opening =
  | { readonly is: 'open'; readonly elements: readonly Json[] }
  /** Only the run will know the list, after this step. */
  | { readonly is: 'unknown'; readonly after: string; readonly times: Times }
  | { readonly is: 'problem'; readonly problem: TaskProblem };

export function openingOf(
  fan: FanOut,
  known: Pick<Known, 'scope' | 'comesLater'>,
  steps: readonly Step[],
): Opening {
  const { scope } = known;
  const elements = elementsOf(fan, scope);
  const after = unknownIn(fan, known);
  // An expression may tolerate that an output is missing, and then have another value than in the run.
  if (after !== undefined) return { is: 'unknown', after, times: timesOf(fan, { scope, steps }) };
  if (elements.ok) return { is: 'open', elements: elements.value };
  const { error } = elements;
  const message = error.message.startsWith('for_each')
    ? error.message
    : `in the expression ${error.text.trim()}: ${error.message}`;
  return {
    is: 'problem',
    problem: { code: error.code, message, hint: expressionRemedy(error), expression: error },
  };
}

/** The step whose later outputs the list lacks. */
function unknownIn(
  { list }: FanOut,
  known: Pick<Known, 'scope' | 'comesLater'>,
): string | undefined {
  const { scope } = known;
  for (const { expression } of expressionsOf(list)) {
    const open = expression.references.find(({ root, key }) => {
      return root === 'steps' && key !== undefined && known.comesLater(key);
    });
    if (open?.key === undefined) continue;
    const names = outputNames(scope.steps, open.key);
    const isKnown = open.field !== undefined && names.includes(open.field);
    if (!isKnown || !expression.evaluate(scope).ok) return open.key;
  }
  return undefined;
}

function outputNames(steps: unknown, step: string): readonly string[] {
  const all: Readonly<Record<string, unknown>> = typeof steps === 'object' ? { ...steps } : {};
  const outputs = all[step];
  return typeof outputs === 'object' && outputs !== null ? Object.keys(outputs) : [];
}

/** How many elements there may be, as far as the pipeline says so. */
export function timesOf(
  { list }: FanOut,
  { scope, steps }: { readonly scope: Scope; readonly steps: readonly Step[] },
): Times {
  if (list.kind === 'list')
    return { least: list.items.length, most: list.items.length, open: true };
  if (list.kind !== 'expression') return { least: 0, open: true };
  const { text } = list.expression;
  const taken = /\.take\((\d+)\)\s*$/.exec(text)?.[1];
  if (taken !== undefined) return { least: 0, most: Number(taken), open: true };
  const [, dotted, quoted] = /^\s*steps(?:\.(\w+)|\["([^"]+)"\])\.downloads\s*$/.exec(text) ?? [];
  const source = steps.find(({ name }) => name === (dotted ?? quoted));
  if (source === undefined) return { least: 0, open: true };
  const most = resultCount(source, knownBody(source, scope)) ?? mostResults(source);
  return { least: 0, open: true, most };
}

/** The number of results that a request asks for. */
export function resultCount(step: Step, body: JsonObject): number | undefined {
  if (countSchema(step) === undefined) return undefined;
  const count = body['image_count'];
  return typeof count === 'number' && Number.isInteger(count) && count > 0 ? count : undefined;
}

function mostResults(step: Step): number | undefined {
  const { maximum, enum: allowed } = countSchema(step) ?? {};
  if (typeof maximum === 'number') return maximum;
  const counts = Array.isArray(allowed) ? allowed.filter((one) => typeof one === 'number') : [];
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** The schema of the field that says how many results a request makes. */
function countSchema({ kind }: Step): JsonObject | undefined {
  const { properties } = kind.with;
  const schema = isObject(properties) ? properties['image_count'] : undefined;
  return isObject(schema) ? schema : undefined;
}

/** True if a request of this step says how many results it makes. */
export const countsResults = (step: Step): boolean => countSchema(step) !== undefined;
