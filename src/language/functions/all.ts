// All functions of expressions: registered in the environment, and listed in the documentation.
import type { Environment } from '@marcbachmann/cel-js';
import { fileFunctions } from './file-functions.ts';
import type { ExpressionFunction } from './function.ts';
import { listFunctions } from './list-functions.ts';
import { addNumbers, numberFunctions } from './number-functions.ts';
import { textFunctions } from './text-functions.ts';
import { valueFunctions } from './value-functions.ts';

/** By the heading under which the documentation lists them. */
export const functionGroups: Readonly<Record<string, readonly ExpressionFunction[]>> = {
  'File names': fileFunctions,
  'Texts and dates': textFunctions,
  Lists: listFunctions,
  Numbers: numberFunctions,
  'Any value': valueFunctions,
};

export const expressionFunctions: readonly ExpressionFunction[] =
  Object.values(functionGroups).flat();

export function addFunctions(environment: Environment): void {
  addNumbers(environment);
  for (const { overloads = {} } of expressionFunctions)
    for (const [signature, handler] of Object.entries(overloads))
      environment.registerFunction(signature, handler);
}
