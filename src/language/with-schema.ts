// The schema of `with:`: the kind's own schema, without unknown fields, and with expressions as
// values.
import { expressionText, type Schema } from '../base/schema.ts';
import type { StepKind } from '../contract/kinds/kind.ts';

/**
 * Allows an expression in place of any value except the outermost object; its value is checked
 * later. What editors show is outside the alternatives, and the field's own values are the first of
 * them: editors complete the values of an enumeration, but not those below `if` or `else`. Without
 * a title of its own, an editor shows the tool's for each field.
 */
function templated(schema: Schema, title: string): Schema {
  const { description, default: usual, examples, ...rest } = closed(schema, templated);
  const shown = Object.fromEntries(
    Object.entries({ title, description, default: usual }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  if (!acceptsExpressions(rest)) return { ...shown, anyOf: [{ title, ...rest }, expressionText] };
  if (examples === undefined) return { ...shown, ...rest };
  // Editors complete examples as well, but show each of them in a block of its own.
  return {
    ...shown,
    anyOf: [
      { title, enum: examples, 'x-known': true },
      { title: `${title}, another value`, ...rest },
    ],
  };
}

/** An expression is a text of at least five characters. */
const acceptsExpressions = ({ type, minLength = 0, ...rest }: Schema): boolean =>
  (type === 'string' || (Array.isArray(type) && type.includes('string'))) &&
  typeof minLength === 'number' &&
  minLength <= 5 &&
  ['enum', 'const', 'pattern', 'maxLength', 'format'].every((keyword) => !(keyword in rest));

/** Changes the schema of a field, or of an entry of a list. */
type Inside = (part: Schema, title: string) => Schema;

/**
 * Closes the objects of a schema, although the service may add fields: an unknown field is an
 * error, unless it is under `extra:`.
 */
function closed(schema: Schema, inside: Inside): Schema {
  const { $schema: _dialect, $id: _id, title: _title, ...rest } = schema;
  const result: Record<string, unknown> = { ...rest };
  if (isSchema(rest['properties'])) {
    result['properties'] = Object.fromEntries(
      Object.entries(rest['properties']).map(([key, value]) => [
        key,
        isSchema(value) ? inside(value, key) : value,
      ]),
    );
    result['additionalProperties'] ??= false;
  }
  if (isSchema(rest['items'])) result['items'] = inside(rest['items'], 'entry');
  return result;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withSchemas = new Map<string, Schema>();

/** The schema of `with:` for a kind: its own schema, with expressions as values. */
export function withSchemaOf(kind: StepKind): Schema {
  return remembered(withSchemas, kind, templated);
}

const filledSchemas = new Map<string, Schema>();

/** The schema of a request after all expressions are evaluated. */
export function filledSchemaOf(kind: StepKind): Schema {
  return remembered(filledSchemas, kind, function deeper(part): Schema {
    return closed(part, deeper);
  });
}

/** Validators are cached by schema object, so each kind must have only one. */
function remembered(known: Map<string, Schema>, kind: StepKind, inside: Inside): Schema {
  let schema = known.get(kind.name);
  if (schema === undefined) {
    schema = closed(kind.with, inside);
    known.set(kind.name, schema);
  }
  return schema;
}
