// What a plan knows about the elements of a fan-out.

import type { Json } from '../base/json.ts';
import type { Times } from '../core/planned-action.ts';
import { timesOf } from '../core/result-count.ts';
import type { TaskProblem } from '../core/task-problem.ts';
import type { FanOut, Step } from '../language/pipeline.ts';
import { expressionRemedy, expressionsOf } from '../language/template.ts';
import { elementsOf } from '../model/element.ts';
import type { Known } from './late-values.ts';

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
