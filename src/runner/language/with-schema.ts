// The schema of what stands under `with:`: a kind's own, closed to fields that nobody knows, open to expressions.
import type { Schema } from '../../contract/base/schema.ts';
import type { StepKind } from '../../contract/kinds/kind.ts';

/** Lets any value but the outermost object also be an expression, which is checked when it is known. */
function templated(schema: Schema): Schema {
  return { if: { type: 'string', pattern: '\\$\\{\\{' }, else: closed(schema, templated) };
}

/**
 * A schema that knows all fields of its objects, whatever the service may take one day: a field that nobody knows is
 * a slip, unless it stands under `extra:`.
 */
function closed(schema: Schema, inside: (part: Schema) => Schema): Schema {
  const { $schema: _dialect, $id: _id, title: _title, ...rest } = schema;
  const result: Record<string, unknown> = { ...rest };
  if (isSchema(rest['properties'])) {
    result['properties'] = Object.fromEntries(
      Object.entries(rest['properties']).map(([key, value]) => [
        key,
        isSchema(value) ? inside(value) : value,
      ]),
    );
    result['additionalProperties'] ??= false;
  }
  if (isSchema(rest['items'])) result['items'] = inside(rest['items']);
  return result;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const withSchemas = new Map<string, Schema>();

/** What stands under `with:` of a kind: its own schema, open to expressions. */
export function withSchemaOf(kind: StepKind): Schema {
  return remembered(withSchemas, kind, templated);
}

const filledSchemas = new Map<string, Schema>();

/** What a kind takes when all expressions are filled in. */
export function filledSchemaOf(kind: StepKind): Schema {
  return remembered(filledSchemas, kind, function deeper(part): Schema {
    return closed(part, deeper);
  });
}

/** Compiled checks are kept by schema, so there is one for each kind. */
function remembered(
  known: Map<string, Schema>,
  kind: StepKind,
  inside: (part: Schema) => Schema,
): Schema {
  let schema = known.get(kind.name);
  if (schema === undefined) {
    schema = closed(kind.with, inside);
    known.set(kind.name, schema);
  }
  return schema;
}
