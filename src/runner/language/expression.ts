// CEL expressions: parsed once, checked for the names that they use, evaluated without side
// effects.
import type { ASTNode } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';

import type { Code } from '../../contract/codes/all.ts';

import { deepestValue, fromCel, isPlain, TooDeep } from './cel-value.ts';
import { environment, inOurNames, useRe2 } from './environment.ts';
import { budget, maxSize, withBudget } from './evaluation-budget.ts';
import { hintFor, inWords } from './expression-words.ts';
import { childrenOf, gathered, type Reference, referencesOf } from './reference.ts';
import { resultNames } from './result-name.ts';
import { ceilingsIn } from './upper-limits.ts';

/** What went wrong, and where in the expression's text (offsets, end exclusive). */
export interface ExpressionError {
  readonly code: Code;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hint?: string;
}

/**
 * The names that an evaluation sees. Whole numbers are bigints. `each` exists only in a fan-out.
 */
export type Scope = Readonly<
  Record<Exclude<Reference['root'], 'result' | 'matrix' | 'each'>, unknown>
> & {
  readonly matrix?: unknown;
  readonly each?: unknown;
  /** Steps whose outputs are not all known yet: nobody can tell whether another output exists. */
  readonly open?: ReadonlySet<string>;
};

export interface Expression {
  readonly text: string;
  readonly references: readonly Reference[];
  /** CEL's static type: `bool`, `string`, `dyn` … */
  readonly type: string;
  /** Its value, a number, is greater than the value of none of these. */
  readonly ceilings: readonly Expression[];
  evaluate(scope: Scope): Result<Json, ExpressionError>;
}

export function parseExpression(text: string): Result<Expression, ExpressionError> {
  if (text.trim() === '')
    return err({ code: 'SL303', message: 'the expression is empty', start: 0, end: text.length });
  try {
    const program = environment.parse(text);
    const pattern = sendToRe2(program.ast);
    if (pattern !== undefined) return err(pattern);
    const check = program.check();
    if (!check.valid) return err(errorOf(check.error, text, 'SL305'));
    const references = referencesOf(program.ast);
    const strict = isStrict(program.ast);
    const ceilings = ceilingsIn(program.ast, text).flatMap((part) => {
      const parsed = parseExpression(part);
      return parsed.ok ? [parsed.value] : [];
    });
    const path = pathOf(program.ast);
    withBudget(program.ast, budget);
    return ok({
      text,
      references,
      ceilings,
      type: check.type ?? 'dyn',
      evaluate(scope) {
        const known = path === undefined ? undefined : textAt(scope, path);
        if (known !== undefined) return ok(known);
        const unknown = firstUnknown(references, scope, strict);
        if (unknown !== undefined) return err(unknown);
        try {
          budget.start();
          const value: unknown = program({ ...scope, result: resultNames });
          budget.check();
          budget.sizeOf(value);
          return ok(fromCel(value));
        } catch (error) {
          return err(errorOf(error, text));
        }
      },
    });
  } catch (error) {
    return err(errorOf(error, text, 'SL301'));
  }
}

/** `item.path` and the like, which most expressions are: the names from left to right. */
function pathOf(node: ASTNode): readonly string[] | undefined {
  if (node.op === 'id') return [node.args];
  const of = node.op === '.' ? pathOf(node.args[0]) : undefined;
  return of === undefined || node.op !== '.' ? undefined : [...of, node.args[1]];
}

/** The text there, which costs nothing to find out. Undefined: anything else, of which the evaluator must judge. */
function textAt(scope: Scope, path: readonly string[]): string | undefined {
  let value: unknown = scope;
  for (const name of path) {
    if (!isPlain(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return typeof value === 'string' && value.length < maxSize ? value : undefined;
}

/**
 * Redirects every call of `matches` to RE2. An invalid literal pattern is an error, with its place.
 */
function sendToRe2(node: ASTNode): ExpressionError | undefined {
  const message = useRe2(node);
  if (message !== undefined && node.op === 'rcall') {
    const { start, end } = node.args[2][0] ?? node;
    return { code: 'SL306', message, start, end };
  }
  for (const child of childrenOf(node)) {
    const found = sendToRe2(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The error of the library, in our words. `other`: the code of an error that we have no words for. */
export function errorOf(error: unknown, text: string, other: Code = 'SL313'): ExpressionError {
  if (!(error instanceof Error)) throw error;
  const { code, message } = inWords(inOurNames(summaryOf(error)), other);
  const range = 'range' in error && isObject(error.range) ? error.range : undefined;
  const start = typeof range?.['start'] === 'number' ? range['start'] : 0;
  const end = typeof range?.['end'] === 'number' ? range['end'] : text.length;
  const from = Math.min(start, text.length);
  const hint = hintFor(summaryOf(error));
  return {
    ...{ code, message, start: from, end: Math.max(end, from + 1) },
    ...(hint === undefined ? {} : { hint }),
  };
}

function summaryOf(error: Error): string {
  if (error instanceof RangeError && error.message.includes('call stack'))
    return 'the expression is nested too deeply';
  if (!('summary' in error) || typeof error.summary !== 'string') return error.message;
  if (/maxAstNodes/.test(error.summary)) return 'the expression has too many parts';
  if (/maxDepth/.test(error.summary)) return 'the expression is nested too deeply';
  return error.summary;
}

/**
 * True if an expression needs every name in it: it has no condition and does not ask whether a name
 * exists.
 */
function isStrict(node: ASTNode): boolean {
  if (node.op === '||' || node.op === '&&' || node.op === '?:') return false;
  if (node.op === 'call' && (node.args[0] === 'has' || node.args[0] === 'default')) return false;
  return childrenOf(node).every(isStrict);
}

/**
 * Finds an output that does not exist yet, the most common failure of a plan, without the cost of
 * an exception. An expression with a condition may do without it, but not if the expression asks
 * whether the output exists while the step has yet to run.
 */
function firstUnknown(
  references: readonly Reference[],
  { steps, open }: Scope,
  strict: boolean,
): ExpressionError | undefined {
  for (const { root, key, field, asked, start, end } of references) {
    if (root !== 'steps' || key === undefined || field === undefined) continue;
    if (!strict && !(asked && open?.has(key))) continue;
    const outputs = isPlain(steps) ? steps[key] : undefined;
    const isOpen = asked && field === gathered && open?.has(key) === true;
    if (isOpen || !isPlain(outputs) || !Object.hasOwn(outputs, field))
      return { code: 'SL309', message: `there is no "${field}"`, start, end };
  }
  return undefined;
}

/** Converts JSON for CEL: whole numbers become ints (bigint), so that `item.n + 1` adds ints. */
export const toCel = (value: Json | undefined): unknown => celOf(value, 0);

function celOf(value: Json | undefined, depth: number): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepestValue) return new TooDeep();
  if (Array.isArray(value)) return value.map((entry) => celOf(entry, depth + 1));
  const entries = Object.entries(value).map(([key, v]): [string, unknown] => [
    key,
    celOf(v, depth + 1),
  ]);
  // The library tells an object from other values by this field.
  return Object.hasOwn(value, 'constructor') ? new Map(entries) : Object.fromEntries(entries);
}
