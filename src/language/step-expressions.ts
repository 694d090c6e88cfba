// All expressions of a step: in its request, in its `if:`, and in the list of its fan-out.
import type { Path } from '../contract/yaml/place.ts';
import type { Expression } from './expression.ts';
import type { Step } from './pipeline.ts';
import { expressionsOf } from './template-expressions.ts';

export interface PlacedExpression {
  readonly path: Path;
  readonly expression: Expression;
}

/** The expressions that a step has in the file. The list of a fan-out belongs to its first step. */
export function expressionsIn(step: Step): readonly PlacedExpression[] {
  const { name, condition, fan } = step;
  return [
    ...expressionsOf(step.with),
    ...(condition === undefined ? [] : [{ path: ['steps', name, 'if'], expression: condition }]),
    ...(fan?.step === name ? expressionsOf(fan.list) : []),
  ];
}
