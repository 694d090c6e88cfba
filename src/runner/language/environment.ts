// The CEL environment of pipelines: the root names, and the functions that differ from the
// library's.
import { type ASTNode, Environment, EvaluationError } from '@marcbachmann/cel-js';
import { budget } from './evaluation-budget.ts';
import { addFunctions } from './functions/all.ts';
import { matches, patternOf } from './pattern.ts';

export const roots = ['item', 'matrix', 'inputs', 'env', 'steps', 'run', 'result', 'each'] as const;

/** Replaces calls of `matches`, because the library's own uses a backtracking engine. */
const re2 = 'matchesRe2';

/** An environment with all functions, in which every root is dynamic. */
export function newEnvironment(): Environment {
  const made = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 10_000, maxDepth: 100 },
  });
  for (const root of roots) made.registerVariable(root, 'dyn');
  made.registerFunction(`string.${re2}(string): bool`, (text: string, pattern: string) => {
    const found = patternOf(pattern, budget);
    if (!found.ok) throw new EvaluationError(found.error);
    return matches(found.value, text, budget);
  });
  addFunctions(made);
  return made;
}

/** The environment that evaluates expressions: dynamic, so that a value may be of any type. */
export const environment = newEnvironment();

/** Redirects a call of `matches` to RE2. Returns the error of a literal pattern, if it has one. */
export function useRe2(node: ASTNode): string | undefined {
  if (node.op !== 'rcall' || node.args[0] !== 'matches' || node.args[2].length !== 1)
    return undefined;
  node.args[0] = re2;
  const [pattern] = node.args[2];
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return undefined;
  const found = patternOf(pattern.args);
  return found.ok ? undefined : found.error;
}

/** Translates a message of the library to the names that the pipeline uses. */
export const inOurNames = (message: string): string => message.replaceAll(re2, 'matches');
