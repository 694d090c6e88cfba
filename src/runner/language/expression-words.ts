// Translates the CEL library's messages into sentences that say how to fix an expression.
import { nearest } from '../../contract/yaml/diagnostic.ts';
import { environment, roots } from './environment.ts';

/** Translates a message of the library, or of anything else that an evaluation throws. */
export function inWords(message: string): string {
  for (const [pattern, words] of sentences) {
    const found = pattern.exec(message);
    if (found !== null) return words(...found.slice(1).map((part) => part ?? ''));
  }
  return message;
}

type Words = (...parts: string[]) => string;

const sentences: readonly (readonly [RegExp, Words])[] = [
  [/^Unexpected token: EOF$/, () => 'the expression ends too early'],
  [/^Unexpected token: (\w+)$/, (token) => `${signOf(token)} is not expected here`],
  [/^Unexpected character: '?(.+?)'?$/, (sign) => `"${sign}" is not expected here`],
  [/^Expected (\w+), got EOF$/, (token) => `${signOf(token)} is missing at the end`],
  [
    /^Expected (\w+), got (\w+)$/,
    (one, other) => `${signOf(one)} is expected here, not ${signOf(other)}`,
  ],
  [/^Unterminated string$/, () => 'the text has no closing quotation mark'],
  [
    /^Invalid escape sequence: (.+)$/,
    (sequence) => `${sequence} is not a valid escape; write \\\\ for a backslash`,
  ],
  [/^Reserved identifier: (.+)$/, (word) => `"${word}" is a reserved word of expressions`],
  [/^Unknown variable: (.+)$/, unknownName],
  [/^No such key: index out of bounds, index (-?\d+) >= size (\d+)$/, outOfRange],
  [/^No such key: (.+)$/s, (key) => `there is no "${key}"`],
  [/^found no matching overload for '(?:.+?\.)??(\w+)\((.*)\)'$/, unfitFunction],
  [/^no such overload: (\S+) (\S+) (\S+)$/, unfitOperator],
  [/^no such overload: ([!-])(\S+)$/, (sign, type) => `"${sign}" does not work on ${a(type)}`],
  [
    /^Logical operator requires bool operands, got '(.+)'$/,
    (type) => `"&&" and "||" need true or false on both sides, not ${a(type)}`,
  ],
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

function unknownName(name: string): string {
  const near = nearest(name, roots);
  const cure =
    near === undefined ? `names begin with ${roots.join(', ')}` : `did you mean "${near}"?`;
  return `there is no "${name}" (${cure})`;
}

function outOfRange(index: string, size: string): string {
  return `there is no entry ${index}: the list has ${size}, counted from 0`;
}

const macros = ['has', 'all', 'exists', 'exists_one', 'map', 'filter'];

function unfitFunction(name: string, types: string): string {
  const known = [...environment.getDefinitions().functions.map((one) => one.name), ...macros];
  if (known.includes(name))
    return `${name}() does not work with (${types.replace(/dyn<(\w+)>/g, '$1')})`;
  const near = name.length < 5 ? undefined : nearest(name, known);
  return `there is no function "${name}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`;
}

function unfitOperator(left: string, sign: string, right: string): string {
  const types = `${a(left)} and ${a(right)}`;
  return `"${sign}" does not work between ${types}: convert one with string(), int() or double()`;
}

/**
 * `a string`, `an int`: a type with its article, without the library's mark for types that are known only at run time.
 */
function a(type: string): string {
  const plain = type.replace(/^dyn<(.+)>$/, '$1');
  return `${/^[aeiou]/.test(plain) ? 'an' : 'a'} ${plain}`;
}
