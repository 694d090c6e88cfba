// CEL expressions: parsed once, checked for the names that they use, evaluated without side
// effects.
import type { ASTNode } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Code } from '../../contract/codes/all.ts';
import { budget, environment, inOurNames, roots, useRe2 } from './environment.ts';
import { withBudget } from './evaluation-budget.ts';
import { inWords } from './expression-words.ts';
import { resultNames } from './result-name.ts';

/** What went wrong, and where in the expression's text (offsets, end exclusive). */
export interface ExpressionError {
  readonly code: Code;
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** A name that an expression uses: `steps.photo.file_path`, `item.path`, `inputs.actor`. */
export interface Reference {
  readonly root: (typeof roots)[number];
  /** The first key below the root; absent when the whole root is used. */
  readonly key?: string;
  /** The second key. */
  readonly field?: string;
  readonly start: number;
  readonly end: number;
}

/** The names that an evaluation sees. Whole numbers are bigints. */
export type Scope = Readonly<Record<Exclude<Reference['root'], 'result'>, unknown>>;

export interface Expression {
  readonly text: string;
  readonly references: readonly Reference[];
  /** CEL's static type: `bool`, `string`, `dyn` … */
  readonly type: string;
  evaluate(scope: Scope): Result<Json, ExpressionError>;
}

const isRoot = (name: string): name is Reference['root'] => roots.some((root) => root === name);

export function parseExpression(text: string): Result<Expression, ExpressionError> {
  if (text.trim() === '')
    return err({ code: 'SL303', message: 'the expression is empty', start: 0, end: text.length });
  try {
    const program = environment.parse(text);
    const pattern = sendToRe2(program.ast);
    if (pattern !== undefined) return err(pattern);
    const check = program.check();
    if (!check.valid) return err(errorOf(check.error, text, 'SL305'));
    const references: Reference[] = [];
    collect(program.ast, references);
    const strict = isStrict(program.ast);
    withBudget(program.ast, budget);
    return ok({
      text,
      references,
      type: check.type ?? 'dyn',
      evaluate(scope) {
        const unknown = strict ? firstUnknown(references, scope.steps) : undefined;
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

function errorOf(error: unknown, text: string, other: Code = 'SL313'): ExpressionError {
  if (!(error instanceof Error)) throw error;
  const { code, message } = inWords(inOurNames(summaryOf(error)), other);
  const range = 'range' in error && isObject(error.range) ? error.range : undefined;
  const start = typeof range?.['start'] === 'number' ? range['start'] : 0;
  const end = typeof range?.['end'] === 'number' ? range['end'] : text.length;
  return { code, message, start: Math.min(start, text.length), end: Math.max(end, start + 1) };
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
  if (node.op === 'call' && node.args[0] === 'has') return false;
  return childrenOf(node).every(isStrict);
}

/**
 * Finds an output that does not exist yet, the most common failure of a plan, without the cost of
 * an exception.
 */
function firstUnknown(
  references: readonly Reference[],
  steps: unknown,
): ExpressionError | undefined {
  for (const { root, key, field, start, end } of references) {
    if (root !== 'steps' || key === undefined || field === undefined) continue;
    const outputs = isPlain(steps) ? steps[key] : undefined;
    if (!isPlain(outputs) || !Object.hasOwn(outputs, field))
      return { code: 'SL309', message: `there is no "${field}"`, start, end };
  }
  return undefined;
}

/**
 * Collects the chains that begin at a root. A variable that a macro declares (`f` in `map(f, …)`)
 * is not a root.
 */
function collect(node: ASTNode, into: Reference[], declared: readonly string[] = []): void {
  const chain = chainOf(node);
  if (chain !== undefined && isRoot(chain.root) && !declared.includes(chain.root)) {
    into.push({
      root: chain.root,
      ...(chain.keys[0] === undefined ? {} : { key: chain.keys[0] }),
      ...(chain.keys[1] === undefined ? {} : { field: chain.keys[1] }),
      start: node.start,
      end: node.end,
    });
    return;
  }
  const variable = macroVariable(node);
  if (node.op === 'rcall' && variable !== undefined) {
    collect(node.args[1], into, declared);
    for (const inner of node.args[2].slice(1)) collect(inner, into, [...declared, variable]);
    return;
  }
  for (const child of childrenOf(node)) collect(child, into, declared);
}

const macros = ['map', 'filter', 'all', 'exists', 'exists_one'];

/** The variable that a macro call declares for its other arguments. */
function macroVariable(node: ASTNode): string | undefined {
  if (node.op !== 'rcall' || !macros.includes(node.args[0])) return undefined;
  const [first] = node.args[2];
  return first?.op === 'id' ? first.args : undefined;
}

interface Chain {
  readonly root: string;
  readonly keys: readonly string[];
}

function chainOf(node: ASTNode): Chain | undefined {
  if (node.op === 'id') return { root: node.args, keys: [] };
  if (node.op === '.') return extended(node.args[0], node.args[1]);
  if (node.op === '[]') {
    const key = node.args[1];
    return key.op === 'value' && typeof key.args === 'string'
      ? extended(node.args[0], key.args)
      : undefined;
  }
  return undefined;
}

function extended(object: ASTNode, key: string): Chain | undefined {
  const chain = chainOf(object);
  return chain === undefined ? undefined : { root: chain.root, keys: [...chain.keys, key] };
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  const found: ASTNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) found.push(value);
  };
  visit(node.args);
  return found;
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** Converts JSON for CEL: whole numbers become ints (bigint), so that `item.n + 1` adds ints. */
export function toCel(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, toCel(v)]));
  return value;
}

function fromCel(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw new RangeError(`the result is ${value}, which JSON cannot represent`);
    return value;
  }
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, v]) => [String(key), fromCel(v)]));
  if (isPlain(value))
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, fromCel(v)]));
  throw new RangeError(
    `the result has a type that JSON cannot represent: convert it with string()`,
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
