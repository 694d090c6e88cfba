// CEL expressions: parsed once, checked for the names that they use, evaluated without side
// effects.
import { type ASTNode, type Environment, EvaluationError } from '@marcbachmann/cel-js';
import { isObject, type Json } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Code } from '../contract/codes.ts';
import { nearest, suggestion } from '../contract/yaml/diagnostic.ts';
import { deepestValue, fromCel, isPlain, TooDeep, tooDeep } from './cel-value.ts';
import { environment, inOurNames, roots, useRe2 } from './environment.ts';
import { budget, maxSize, withBudget } from './evaluation-budget.ts';
import { expressionFunctions } from './functions/all.ts';
import { childrenOf, type Reference, referencesOf } from './reference.ts';
import { resultNames } from './result-name.ts';

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
};

export interface Expression {
  readonly text: string;
  readonly references: readonly Reference[];
  /** CEL's static type: `bool`, `string`, `dyn` … */
  readonly type: string;
  /** The checked syntax tree. */
  tree(): ASTNode;
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
    const path = pathOf(program.ast);
    withBudget(program.ast, budget);
    return ok({
      text,
      references,
      tree: () => program.ast,
      type: check.type ?? 'dyn',
      evaluate(scope) {
        const known = path === undefined ? undefined : textAt(scope, path);
        if (known !== undefined) return ok(known);
        const unknown = strict ? firstUnknown(references, scope) : undefined;
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

/** A program without a meaning of its own, through which the library evaluates any node. */
const host = environment.parse('null');
host.check();
let hosted: ASTNode = host.ast;
Object.defineProperty(host.ast, 'evaluate', {
  value: (evaluator: unknown, _: unknown, context: unknown): unknown =>
    Reflect.apply(Reflect.get(hosted, 'evaluate'), hosted, [evaluator, hosted, context]),
});

/**
 * Evaluates a node of a checked tree by itself, within the evaluation that runs. `names`: the roots, and the variables that
 * macros around the node declare. Throws what the library throws.
 */
export function evaluateNode(node: ASTNode, names: Readonly<Record<string, unknown>>): unknown {
  hosted = node;
  return host(names);
}

let operations: Environment | undefined;
const operationsByText = new Map<string, ReturnType<Environment['parse']>>();

/**
 * The value of an operator or a function for these `args`, within the evaluation that runs: `args[0] + args[1]`. An error has
 * the place of the node.
 */
export function applyTo(args: readonly unknown[], text: string, node: ASTNode): unknown {
  let program = operationsByText.get(text);
  if (program === undefined) {
    operations ??= environment.clone().registerVariable('args', 'dyn');
    program = operations.parse(text);
    withBudget(program.ast, budget);
    operationsByText.set(text, program);
  }
  try {
    return program({ args });
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw new EvaluationError({ code: error.code, message: error.summary, node });
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
  return { code, message, start: from, end: Math.max(end, from + 1), hint };
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

/** Finds an output that does not exist, without the cost of an exception. */
function firstUnknown(
  references: readonly Reference[],
  { steps }: Scope,
): ExpressionError | undefined {
  for (const { root, key, field, start, end } of references) {
    if (root !== 'steps' || key === undefined || field === undefined) continue;
    const outputs = isPlain(steps) ? steps[key] : undefined;
    if (!isPlain(outputs) || !Object.hasOwn(outputs, field))
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

// Translates the CEL library's messages into sentences that say how to fix an expression.

/**
 * Translates a message of the library, or of anything else that an evaluation throws. `other` is the code of messages that
 * are not translated.
 */
function inWords(message: string, other: Code): Pick<ExpressionError, 'code' | 'message'> {
  for (const [code, pattern, words] of sentences) {
    const found = pattern.exec(message);
    if (found === null) continue;
    const parts = found.slice(1).map((part) => part ?? '');
    return { code: code === 'SL304' ? codeOfCall(...parts) : code, message: words(...parts) };
  }
  return { code: other, message };
}

type Words = (...parts: string[]) => string;

const asIs: Words = (message) => message;

const sentences: readonly (readonly [Code, RegExp, Words])[] = [
  ['SL313', /^Unsupported type: TooDeep$/, () => tooDeep],
  ['SL301', /^Unexpected token: EOF$/, () => 'the expression ends too early'],
  ['SL301', /^Unexpected token: (\w+)$/, (token) => `${signOf(token)} is not expected here`],
  ['SL301', /^Unexpected character: '?(.+?)'?$/, (sign) => `"${sign}" is not expected here`],
  ['SL301', /^Expected (\w+), got EOF$/, (token) => `${signOf(token)} is missing at the end`],
  [
    'SL301',
    /^Expected (\w+), got (\w+)$/,
    (one, other) => `${signOf(one)} is expected here, not ${signOf(other)}`,
  ],
  ['SL301', /^Unterminated string$/, () => 'the text has no closing quotation mark'],
  [
    'SL301',
    /^Invalid escape sequence: (.+)$/,
    (sequence) => `${sequence} is not a valid escape; write \\\\ for a backslash`,
  ],
  ['SL301', /^Reserved identifier: (.+)$/, (word) => `"${word}" is a reserved word of expressions`],
  ['SL215', /^Unknown variable: (.+)$/, (name) => `there is no "${name}"`],
  ['SL309', /^No such key: index out of bounds, index (-?\d+) >= size (\d+)$/, outOfRange],
  ['SL309', /^No such key: (.+)$/s, (key) => `there is no "${key}"`],
  ['SL304', /^found no matching overload for '(?:.+?\.)??(\w+)\((.*)\)'$/, unfitFunction],
  ['SL305', /^no such overload: (\S+) (\S+) (\S+)$/, unfitOperator],
  [
    'SL305',
    /^no such overload: ([!-])(\S+)$/,
    (sign, type) => `"${sign}" does not work on ${a(type)}`,
  ],
  [
    'SL305',
    /^Logical operator requires bool operands, got '(.+)'$/,
    (type) => `"&&" and "||" need true or false on both sides, not ${a(type)}`,
  ],
  [
    'SL305',
    /^(?:(\w+)\(.*\) (?:filter )?predicate|Ternary condition) must (?:return|be) bool, got '(.+)'$/,
    (name, type) =>
      `the condition${name === '' ? ' before "?"' : ` of ${name}()`} must be true or false, not ${a(type)}`,
  ],
  ['SL315', /^Cannot index type '(.+)'$/, (type) => `${a(type)} has no fields`],
  [
    'SL315',
    /^List index must be int, got '(.+)'$/,
    (type) => `a list has positions, not ${a(type)}`,
  ],
  [
    'SL305',
    /^Expression of type '(.+)' cannot be range of a comprehension/,
    (type) => `map(), filter(), all() and exists() need a list, not ${a(type)}`,
  ],
  ['SL305', /^Ternary branches must have the same type, got '(.+)' and '(.+)'$/, unlikeBranches],
  ['SL301', /^has\(\) invalid argument$/, () => 'has() needs a name with a field: has(item.title)'],
  ['SL313', /^(\w+)\(\) type error: cannot convert to \w+$/, unconvertible],
  ['SL307', /^(the expression (?:has too many parts|is nested too deeply))$/, asIs],
  ['SL308', /^(the expression (?:takes too long|creates a value).*)$/, asIs],
  ['SL306', /^(the pattern .*)$/s, asIs],
  ['SL312', /^(the result (?:is|has a type) .*)$/, asIs],
];

const signs: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  LPAREN: '"("',
  RBRACKET: '"]"',
  LBRACKET: '"["',
  RBRACE: '"}"',
  LBRACE: '"{"',
  COLON: '":"',
  COMMA: '","',
  DOT: '"."',
  QUESTION: '"?"',
  IDENTIFIER: 'a name',
  STRING: 'a text',
  NUMBER: 'a number',
  PLUS: '"+"',
  MINUS: '"-"',
  MULTIPLY: '"*"',
  DIVIDE: '"/"',
  MODULO: '"%"',
  EQ: '"=="',
  NE: '"!="',
  LT: '"<"',
  LE: '"<="',
  GT: '">"',
  GE: '">="',
  AND: '"&&"',
  OR: '"||"',
  NOT: '"!"',
  IN: '"in"',
};

const signOf = (token: string): string => signs[token] ?? token.toLowerCase();

function unlikeBranches(one: string, other: string): string {
  return `the values after "?" and ":" must have the same type, not ${a(one)} and ${a(other)}`;
}

function unconvertible(name: string): string {
  return `${name}() cannot convert this value`;
}

function outOfRange(index: string, size: string): string {
  return `there is no entry ${index}: the list has ${size}, counted from 0`;
}

/** A function that does not exist, or one that does not take these values. */
const codeOfCall = (name = ''): Code => (isFunction(name) ? 'SL305' : 'SL304');

const macros = ['has', 'all', 'exists', 'exists_one', 'map', 'filter'];

/** Names that people know from other languages, with the names here. */
const foreign: ReadonlyMap<string, string> = new Map([
  ['lower', 'lowerAscii'],
  ['toLowerCase', 'lowerAscii'],
  ['upper', 'upperAscii'],
  ['toUpperCase', 'upperAscii'],
  ['length', 'size'],
  ['len', 'size'],
  ['count', 'size'],
  ['includes', 'contains'],
  ['slugify', 'slug'],
  ['filename', 'basename'],
  ['extname', 'ext'],
  ['padStart', 'pad'],
  ['zfill', 'pad'],
  ['strftime', 'date'],
  ['toJSON', 'json'],
  ['coalesce', 'default'],
  ['limit', 'take'],
  ['unique', 'distinct'],
  ['round', 'math.round'],
  ['ceil', 'math.ceil'],
  ['floor', 'math.floor'],
  ['min', 'math.least'],
  ['max', 'math.greatest'],
]);

const functionNames = (): readonly string[] => [
  ...environment.getDefinitions().functions.map((one) => one.name),
  ...macros,
];

const isFunction = (name: string): boolean => functionNames().includes(name);

function unfitFunction(name: string, types: string): string {
  if (isFunction(name) && !foreign.has(name))
    return `${name}() does not work with (${types.replace(/dyn<(\w+)>/g, '$1').replace(/\bdyn\b/g, 'any')})`;
  return `there is no function "${name}"`;
}

/** What to do about a message of the library; undefined if only its code says so. */
function hintFor(message: string): string | undefined {
  const unknown = /^Unknown variable: (.+)$/.exec(message)?.[1];
  if (unknown !== undefined)
    return (
      suggestion(unknown, roots) ??
      `names begin with ${roots.join(', ')}; put a text in quotation marks`
    );
  if (/cannot be range of a comprehension/.test(message))
    return 'write the value in brackets: [value]';
  if (/^no such overload: \S+ \S+ \S+$/.test(message))
    return 'convert one with string(), int() or double()';
  return hintForCall(message);
}

/** A documented call. */
function callOf(name: string): string {
  const shown = expressionFunctions.flatMap(({ examples }) => examples.map(([text]) => text));
  const call = shown.find((text) => text.includes(`${name}(`));
  return call ?? (macros.includes(name) ? `list.${name}(x, …)` : `${name}(…)`);
}

/** How to write a call that the library refuses: by another name, as a method or not, or with other values. */
function hintForCall(message: string): string | undefined {
  const found = /^found no matching overload for '(.+?\.)??(\w+)\(/.exec(message);
  if (found === null) return undefined;
  const [, receiver, written = ''] = found;
  const near = written.length < 5 ? undefined : nearest(written, functionNames());
  const meant = foreign.get(written) ?? (isFunction(written) ? undefined : near);
  if (meant !== undefined) return `did you mean ${meant}(), as in ${callOf(meant)}?`;
  const name = written;
  const known = environment.getDefinitions().functions.filter((one) => one.name === name);
  const ofText = known.some((one) => one.receiverType !== null);
  const plain = known.some((one) => one.receiverType === null);
  if (receiver === undefined && ofText && !plain) return `write the value first: value.${name}(…)`;
  if (receiver !== undefined && plain && !ofText) return `write the value inside: ${name}(value)`;
  const entry = expressionFunctions.find((one) => one.name === name);
  const signatures = entry?.signatures ?? known.map(({ signature }) => signature);
  return signatures.length === 0 ? undefined : `write ${signatures.join(' or ')}`;
}

function unfitOperator(left: string, sign: string, right: string): string {
  const types = `${a(left)} and ${a(right)}`;
  return `"${sign}" does not work between ${types}`;
}

/**
 * `a string`, `an int`: a type with its article, without the library's mark for types that are known only at run time.
 */
function a(type: string): string {
  const plain = type.replace(/^dyn<(.+)>$/, '$1');
  return `${/^[aeiou]/.test(plain) ? 'an' : 'a'} ${plain}`;
}
