// Whether a schema accepts a value, found by walking both. ajv compiles a schema first, which takes longer than all
// else that a short command does; so ajv is asked only about values that are not accepted here, because it words the
// errors, and after a thousand values. A test holds the two against each other.
import { isObject, type JsonObject } from './json.ts';

/** `Schema` of schema.ts, which imports this file. */
type Schema = Readonly<Record<string, unknown>>;

/** The schema has something that is not known here, so that ajv must decide. */
class UnknownKeyword extends Error {}

export function isAccepted(schema: Schema, value: unknown): boolean {
  try {
    return accepts(schema, value, schema);
  } catch (error) {
    if (error instanceof UnknownKeyword) return false;
    throw error;
  }
}

/** `root` holds the definitions that `$ref` names. */
function accepts(schema: unknown, value: unknown, root: Schema): boolean {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) throw new UnknownKeyword();
  for (const keyword in schema) {
    if (annotations.has(keyword) || keyword.startsWith('x-')) continue;
    const check = checks.get(keyword);
    if (check === undefined) throw new UnknownKeyword(keyword);
    if (!check(schema[keyword], value, schema, root)) return false;
  }
  return true;
}

/** Keywords that accept every value. `then` and `else` are read by `if`. */
const annotations: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$defs', 'title', 'description', 'default', 'examples'],
  ...['deprecated', 'enumDescriptions', 'then', 'else'],
]);

type Check = (wanted: unknown, value: unknown, schema: Schema, root: Schema) => boolean;

/** A keyword that says something about objects only. */
const ofObjects =
  (check: (wanted: unknown, value: JsonObject, schema: Schema, root: Schema) => boolean): Check =>
  (wanted, value, schema, root) =>
    !isObject(value) || check(wanted, value, schema, root);

const ofLists =
  (check: (wanted: unknown, value: readonly unknown[], root: Schema) => boolean): Check =>
  (wanted, value, _, root) =>
    !Array.isArray(value) || check(wanted, value, root);

const ofNumbers =
  (check: (wanted: number, value: number) => boolean): Check =>
  (wanted, value) =>
    typeof value !== 'number' || check(Number(wanted), value);

const ofTexts =
  (check: (wanted: unknown, value: string) => boolean): Check =>
  (wanted, value) =>
    typeof value !== 'string' || check(wanted, value);

const checks: ReadonlyMap<string, Check> = new Map([
  ['type', (wanted, value) => listOf(wanted).some((type) => isOfType(type, value))],
  [
    'enum',
    (wanted, value) =>
      listOf(wanted)
        .map(scalar)
        .some((one) => one === value),
  ],
  ['const', (wanted, value) => scalar(wanted) === value],
  ['anyOf', (wanted, value, _, root) => listOf(wanted).some((one) => accepts(one, value, root))],
  ['allOf', (wanted, value, _, root) => listOf(wanted).every((one) => accepts(one, value, root))],
  [
    'oneOf',
    (wanted, value, _, root) =>
      listOf(wanted).filter((one) => accepts(one, value, root)).length === 1,
  ],
  [
    'if',
    (wanted, value, schema, root) =>
      accepts(schema[accepts(wanted, value, root) ? 'then' : 'else'] ?? true, value, root),
  ],
  ['$ref', (wanted, value, _, root) => accepts(definition(wanted, root), value, root)],
  [
    'properties',
    ofObjects((wanted, value, _, root) =>
      Object.entries(objectOf(wanted)).every(
        ([key, part]) => value[key] === undefined || accepts(part, value[key], root),
      ),
    ),
  ],
  ['required', ofObjects((wanted, value) => listOf(wanted).every((key) => has(value, key)))],
  [
    'additionalProperties',
    ofObjects((wanted, value, schema, root) => {
      const known = objectOf(schema['properties'] ?? {});
      const patterns = Object.keys(objectOf(schema['patternProperties'] ?? {}));
      return Object.keys(value)
        .filter((key) => !Object.hasOwn(known, key))
        .filter((key) => !patterns.some((pattern) => expressionOf(pattern).test(key)))
        .every((key) => accepts(wanted, value[key], root));
    }),
  ],
  [
    'patternProperties',
    ofObjects((wanted, value, _, root) =>
      Object.entries(objectOf(wanted)).every(([pattern, part]) =>
        Object.keys(value)
          .filter((key) => expressionOf(pattern).test(key))
          .every((key) => accepts(part, value[key], root)),
      ),
    ),
  ],
  [
    'propertyNames',
    ofObjects((wanted, value, _, root) =>
      Object.keys(value).every((key) => accepts(wanted, key, root)),
    ),
  ],
  ['minProperties', ofObjects((wanted, value) => Object.keys(value).length >= Number(wanted))],
  ['maxProperties', ofObjects((wanted, value) => Object.keys(value).length <= Number(wanted))],
  ['items', ofLists((wanted, value, root) => value.every((entry) => accepts(wanted, entry, root)))],
  ['minItems', ofLists((wanted, value) => value.length >= Number(wanted))],
  ['maxItems', ofLists((wanted, value) => value.length <= Number(wanted))],
  ['minimum', ofNumbers((least, value) => value >= least)],
  ['maximum', ofNumbers((most, value) => value <= most)],
  ['exclusiveMinimum', ofNumbers((least, value) => value > least)],
  ['exclusiveMaximum', ofNumbers((most, value) => value < most)],
  // As ajv does it: a quotient that is written with an exponent is refused.
  ['multipleOf', ofNumbers((of, value) => Number.parseInt(`${value / of}`, 10) === value / of)],
  ['minLength', ofTexts((least, value) => sizeOf(value) >= Number(least))],
  ['maxLength', ofTexts((most, value) => sizeOf(value) <= Number(most))],
  ['pattern', ofTexts((pattern, value) => expressionOf(`${pattern}`).test(value))],
] satisfies readonly (readonly [string, Check])[]);

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

/** A value that `===` compares. */
function scalar(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) throw new UnknownKeyword();
  return value;
}

/** Characters, of which one may be two units of a string. */
function sizeOf(text: string): number {
  let size = 0;
  for (let at = 0; at < text.length; size++) at += (text.codePointAt(at) ?? 0) > 0xff_ff ? 2 : 1;
  return size;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function objectOf(value: unknown): Schema {
  if (!isObject(value)) throw new UnknownKeyword();
  return value;
}

const has = (value: JsonObject, key: unknown): boolean => value[`${key}`] !== undefined;

const definitions = '#/$defs/';

function definition(reference: unknown, root: Schema): unknown {
  const name = `${reference}`;
  if (!name.startsWith(definitions)) throw new UnknownKeyword();
  return objectOf(root['$defs'])[name.slice(definitions.length)];
}

const expressions = new Map<string, RegExp>();

export function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern) ?? newExpression(pattern);
  expressions.set(pattern, known);
  return known;
}

function newExpression(pattern: string): RegExp {
  const [, length] = /^\^\[0-9a-f\]\{(\d+)\}\$$/.exec(pattern) ?? [];
  return length === undefined ? new RegExp(pattern, 'u') : new HexDigits(pattern, Number(length));
}

/** So many hexadecimal digits. Every line of a state file has them, and this takes a quarter of the time of an expression. */
class HexDigits extends RegExp {
  readonly #length: number;

  constructor(pattern: string, length: number) {
    super(pattern, 'u');
    this.#length = length;
  }

  override test(text: string): boolean {
    if (text.length !== this.#length) return false;
    for (let at = 0; at < text.length; at++)
      if (isHexDigit[text.charCodeAt(at)] !== 1) return false;
    return true;
  }
}

/** By character code. */
const isHexDigit = Uint8Array.from({ length: 128 }, (_, code) =>
  /[0-9a-f]/.test(String.fromCharCode(code)) ? 1 : 0,
);
