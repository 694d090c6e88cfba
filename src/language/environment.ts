// The CEL environment of pipelines: the root names, and the functions that differ from the
// library's.
import { type ASTNode, Environment, EvaluationError } from '@marcbachmann/cel-js';
import { RE2JS, RE2JSException } from 're2js';
import { err, ok, type Result } from '../base/result.ts';
import { grouped } from '../base/text.ts';
import { budget, type EvaluationBudget } from './evaluation-budget.ts';
import { addFunctions } from './functions/all.ts';

// Regular expressions in CEL: RE2, as CEL requires, so that no pattern can backtrack.

/** The longest pattern, in characters. */
const longest = 1000;
/** The approximate size that a pattern may have with its repetitions expanded, in characters. */
const widest = 20_000;
/** The most compiled patterns to keep: pipelines use the same few again and again. */
const kept = 100;

const compiled = new Map<string, RE2JS>();

/** The compiled pattern, or a sentence that says why it is not valid. */
function patternOf(text: string, budget?: EvaluationBudget): Result<RE2JS, string> {
  const known = compiled.get(text);
  if (known !== undefined) return ok(known);
  if (text.length > longest)
    return err(`the pattern is longer than ${grouped(longest)} characters`);
  const width = widthOf(text);
  if (width > widest) return err(`the pattern repeats too much: ${shown(text)}`);
  budget?.spend(100 + 2 * width);
  try {
    const pattern = RE2JS.compile(text);
    if (compiled.size >= kept) compiled.clear();
    compiled.set(text, pattern);
    return ok(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const reason = error.message.replace(/^error parsing regexp: /, '').slice(0, 100);
    const foreign = /\(\?[=!<]|invalid escape sequence: `\\[1-9]/.test(reason);
    const cure = foreign ? '; RE2 does not support look-around and back-references' : '';
    return err(`the pattern ${shown(text)} is not valid: ${reason}${cure}`);
  }
}

/** True if the pattern matches any part of the text. */
function matches(pattern: RE2JS, text: string, budget: EvaluationBudget): boolean {
  budget.spend((text.length * pattern.programSize()) / 10);
  return pattern.test(text);
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 60));

/**
 * An upper bound of the expanded size: repetitions of groups multiply, repetitions of single
 * characters add up.
 */
function widthOf(text: string): number {
  let single = 1;
  let groups = 1;
  for (const { 1: before, 2: least = '', 3: most = '' } of text.matchAll(
    /(.?)\{(\d+)(?:,(\d*))?\}/gs,
  )) {
    const times = Math.max(Number(least), Number(most), 1);
    if (before === ')') groups *= times;
    else single += times;
  }
  return text.length * single * Math.min(groups, 1000);
}

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
