// Translates the CEL library's messages into sentences that say how to fix an expression.
import type { Code } from '../../contract/codes/all.ts';
import { nearest, suggestion } from '../../contract/yaml/diagnostic.ts';
import { tooDeep } from './cel-value.ts';
import { environment, roots } from './environment.ts';
import { expressionFunctions } from './functions/all.ts';

interface Worded {
  readonly code: Code;
  readonly message: string;
}

/**
 * Translates a message of the library, or of anything else that an evaluation throws. `other` is the code of messages that
 * are not translated.
 */
export function inWords(message: string, other: Code = 'SL313'): Worded {
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
export function hintFor(message: string): string | undefined {
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
