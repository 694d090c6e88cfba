// Whether a schema accepts a value, told by one function for each keyword, made when it is first needed. ajv compiles a
// schema first, which takes longer than everything else in a short command. So ajv is asked only about values that are refused
// here, because it words the errors, and once there have been very many values. A test compares the two.
import { entryOf, isObject, type JsonObject } from './json.ts';

/** `Schema` of schema.ts, which imports this file. */
type Schema = Readonly<Record<string, unknown>>;

/** The schema has something that is not known here, so that ajv must decide. */
class UnknownKeyword extends Error {}

type Accepts = (value: unknown) => boolean;

/** False also for what ajv must decide. */
export function acceptanceOf(schema: Schema): Accepts {
  const accepts = acceptanceIn(schema, schema);
  return (value) => {
    try {
      return accepts(value);
    } catch (error) {
      if (error instanceof UnknownKeyword) return false;
      throw error;
    }
  };
}

/** `root` holds the definitions that `$ref` names. */
function acceptanceIn(root: Schema, schema: unknown): Accepts {
  if (typeof schema === 'boolean') return () => schema;
  let known: readonly Accepts[] | undefined;
  return (value) => {
    known ??= checksOf(root, schema);
    for (const accepts of known) if (!accepts(value)) return false;
    return true;
  };
}

function checksOf(root: Schema, schema: unknown): readonly Accepts[] {
  if (!isObject(schema)) throw new UnknownKeyword();
  return Object.entries(schema)
    .filter(([keyword]) => !annotations.has(keyword) && !keyword.startsWith('x-'))
    .map(([keyword, wanted]) => {
      const check = entryOf(checks, keyword);
      if (check === undefined) throw new UnknownKeyword(keyword);
      return check(wanted, (part) => acceptanceIn(root, part), schema, root);
    });
}

/** Keywords that accept every value. `then` and `else` are read by `if`. */
const annotations: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$defs', 'title', 'description', 'default', 'examples'],
  ...['deprecated', 'enumDescriptions', 'then', 'else'],
]);

/** `of` is the acceptance of a part of the schema. */
type Check = (
  wanted: unknown,
  of: (part: unknown) => Accepts,
  schema: Schema,
  root: Schema,
) => Accepts;

/** A keyword that says something about objects only. */
const ofObjects =
  (check: (...given: Parameters<Check>) => (value: JsonObject) => boolean): Check =>
  (...given) => {
    const accepts = check(...given);
    return (value) => !isObject(value) || accepts(value);
  };

const ofLists =
  (check: (...given: Parameters<Check>) => (value: readonly unknown[]) => boolean): Check =>
  (...given) => {
    const accepts = check(...given);
    return (value) => !Array.isArray(value) || accepts(value);
  };

const ofNumbers =
  (check: (wanted: number, value: number) => boolean): Check =>
  (wanted) =>
  (value) =>
    typeof value !== 'number' || check(Number(wanted), value);

const ofTexts =
  (check: (wanted: unknown) => (value: string) => boolean): Check =>
  (wanted) => {
    const accepts = check(wanted);
    return (value) => typeof value !== 'string' || accepts(value);
  };

const checks: Readonly<Record<string, Check>> = {
  type: (wanted) => {
    const types = listOf(wanted);
    const [only] = types;
    if (types.length === 1) return (value) => isOfType(only, value);
    return (value) => types.some((type) => isOfType(type, value));
  },
  enum: (wanted) => {
    const known = new Set(listOf(wanted).map(scalar));
    return (value) => known.has(value);
  },
  const: (wanted) => {
    const known = scalar(wanted);
    return (value) => known === value;
  },
  anyOf: (wanted, of) => {
    const parts = listOf(wanted).map(of);
    return (value) => parts.some((accepts) => accepts(value));
  },
  allOf: (wanted, of) => {
    const parts = listOf(wanted).map(of);
    return (value) => parts.every((accepts) => accepts(value));
  },
  oneOf: (wanted, of) => {
    const parts = listOf(wanted).map(of);
    return (value) => parts.filter((accepts) => accepts(value)).length === 1;
  },
  if: (wanted, of, schema) => {
    const [holds, thus, otherwise] = [
      of(wanted),
      of(schema['then'] ?? true),
      of(schema['else'] ?? true),
    ];
    return (value) => (holds(value) ? thus(value) : otherwise(value));
  },
  $ref: (wanted, of, _, root) => of(definition(wanted, root)),
  properties: ofObjects((wanted, of) => {
    const parts = new Map(Object.entries(objectOf(wanted)).map(([key, part]) => [key, of(part)]));
    return (value) => {
      for (const key of Object.keys(value)) {
        const accepts = parts.get(key);
        if (accepts !== undefined && value[key] !== undefined && !accepts(value[key])) return false;
      }
      return true;
    };
  }),
  required: ofObjects((wanted) => {
    const keys = listOf(wanted).map(String);
    return (value) => {
      for (const key of keys) if (value[key] === undefined) return false;
      return true;
    };
  }),
  additionalProperties: ofObjects((wanted, of, schema) => {
    const known = new Set(Object.keys(objectOf(schema['properties'] ?? {})));
    const patterns = Object.keys(objectOf(schema['patternProperties'] ?? {})).map(expressionOf);
    const accepts = of(wanted);
    return (value) => {
      for (const key of Object.keys(value)) {
        if (known.has(key) || patterns.some((pattern) => pattern.test(key))) continue;
        if (!accepts(value[key])) return false;
      }
      return true;
    };
  }),
  patternProperties: ofObjects((wanted, of) => {
    const parts = Object.entries(objectOf(wanted)).map(
      ([pattern, part]) => [expressionOf(pattern), of(part)] as const,
    );
    return (value) =>
      parts.every(([pattern, accepts]) =>
        Object.keys(value).every((key) => !pattern.test(key) || accepts(value[key])),
      );
  }),
  propertyNames: ofObjects((wanted, of) => {
    const accepts = of(wanted);
    return (value) => Object.keys(value).every(accepts);
  }),
  minProperties: ofObjects((least) => (value) => Object.keys(value).length >= Number(least)),
  maxProperties: ofObjects((most) => (value) => Object.keys(value).length <= Number(most)),
  items: ofLists((wanted, of) => {
    const accepts = of(wanted);
    return (value) => {
      for (const one of value) if (!accepts(one)) return false;
      return true;
    };
  }),
  minItems: ofLists((least) => (value) => value.length >= Number(least)),
  maxItems: ofLists((most) => (value) => value.length <= Number(most)),
  minimum: ofNumbers((least, value) => value >= least),
  maximum: ofNumbers((most, value) => value <= most),
  exclusiveMinimum: ofNumbers((least, value) => value > least),
  exclusiveMaximum: ofNumbers((most, value) => value < most),
  // As ajv does it: a quotient that is written with an exponent is refused.
  multipleOf: ofNumbers((of, value) => Number.parseInt(`${value / of}`, 10) === value / of),
  minLength: ofTexts(
    (least) => (value) => value.length >= 2 * Number(least) || sizeOf(value) >= Number(least),
  ),
  maxLength: ofTexts(
    (most) => (value) => value.length <= Number(most) || sizeOf(value) <= Number(most),
  ),
  pattern: ofTexts((pattern) => {
    const expression = expressionOf(`${pattern}`);
    return (value) => expression.test(value);
  }),
};

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

const definitions = '#/$defs/';

function definition(reference: unknown, root: Schema): unknown {
  const name = `${reference}`;
  if (!name.startsWith(definitions)) throw new UnknownKeyword();
  return objectOf(root['$defs'])[name.slice(definitions.length)];
}

const expressionOf = (pattern: string): RegExp => new RegExp(pattern, 'u');
