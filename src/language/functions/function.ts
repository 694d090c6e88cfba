// The description of a function of expressions: the same data registers it and documents it.
import { EvaluationError, type RegisteredFunctionHandler } from '@marcbachmann/cel-js';
import type { Json } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';

export interface ExpressionFunction {
  readonly name: string;
  /** In CEL's words; a method names its receiver first: `list.take(int): list`. */
  readonly signatures: readonly string[];
  readonly description: string;
  /** Expressions with their values, in which `item` is `{ name: 'Ada' }`. A test evaluates them. */
  readonly examples: readonly (readonly [expression: string, value: Json])[];
  /** By signature. Absent for a function of the CEL library. */
  readonly overloads?: Readonly<Record<string, RegisteredFunctionHandler>>;
}

/** A function of ours: its signatures are those that are registered. */
export function ours(
  name: string,
  overloads: Readonly<Record<string, RegisteredFunctionHandler>>,
  about: Pick<ExpressionFunction, 'description' | 'examples'> & {
    /** Replaces the registered signatures, where these say less than people need. */
    readonly signatures?: readonly string[];
  },
): ExpressionFunction {
  return { name, signatures: Object.keys(overloads), ...about, overloads };
}

/** Ends the evaluation with a sentence, at the place of the call. */
export function stop(message: string): never {
  throw new EvaluationError(message);
}

export function orStop<Value>(result: Result<Value, string>): Value {
  return result.ok ? result.value : stop(result.error);
}
