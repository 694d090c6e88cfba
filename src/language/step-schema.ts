// The schema of a step: its fields for every step kind, and `with:`, which is the kind's own schema without unknown fields
// and with expressions as values.
import type { FromSchema } from 'json-schema-to-ts';
import { durationPattern } from '../base/duration.ts';
import { isObject } from '../base/json.ts';
import { expressionText, type Schema } from '../base/schema.ts';
import type { StepKind } from '../contract/kinds.ts';

export const stepSchema = {
  title: 'step',
  type: 'object',
  additionalProperties: false,
  required: ['uses'],
  properties: {
    description: { type: 'string', description: 'A note for people who read the file.' },
    uses: {
      type: 'string',
      description: 'The step kind: upload, face-detect, a tool, download or delete.',
    },
    with: {
      type: 'object',
      description: 'The fields of the step kind. Any value may be an expression, `${{ … }}`.',
    },
    extra: {
      type: 'object',
      description:
        'Fields of the request that shotlist does not know. shotlist merges them into `with`, sends them unchanged, and counts them as part of the request. For tool steps and face-detect.',
    },
    keep: {
      type: 'string',
      enum: ['remote'],
      description:
        'For a tool step without a download: `remote` says that the result is meant to stay at the service.',
    },
    if: {
      type: ['string', 'boolean'],
      default: true,
      description:
        'A CEL expression. If it is false, the step and every step that uses its outputs are skipped.',
    },
    for_each: {
      type: ['array', 'string'],
      minItems: 1,
      description:
        'A list, or one expression that is a list, such as `${{ steps.img.downloads }}`. The step runs once for each element, which expressions see as `each`.',
    },
    on_missing: {
      type: 'string',
      enum: ['fail', 'skip'],
      default: 'fail',
      description:
        'For a step that reads `steps.<name>.all`: `fail` leaves the step undone if an item or an element has no result; `skip` leaves out those that failed or were skipped.',
    },
    needs: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Steps that must finish first, although no expression refers to them. If one of them fails, the step does not run; if one is skipped, it does.',
    },
    estimate: {
      type: 'number',
      minimum: 0,
      description:
        'An upper bound of the credits of one task. Required with a budget and in a rehearsal if the price is not published.',
    },
    retry: {
      type: 'object',
      description: 'What happens after a temporary failure.',
      additionalProperties: false,
      properties: {
        attempts: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          default: 3,
          description:
            'How often to try a request, or a project that failed for a temporary reason, in total.',
        },
      },
    },
    timeout: {
      type: 'string',
      pattern: durationPattern,
      description:
        'How long one run waits for the project; the next run continues to wait. The default is six times the median time of the tool, and at least `10m`.',
    },
  },
} as const;

export type StepDocument = FromSchema<typeof stepSchema, { keepDefaultedPropertiesOptional: true }>;

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
  if (isObject(rest['properties'])) {
    result['properties'] = Object.fromEntries(
      Object.entries(rest['properties']).map(([key, value]) => [
        key,
        isObject(value) ? inside(value, key) : value,
      ]),
    );
    result['additionalProperties'] ??= false;
  }
  if (isObject(rest['items'])) result['items'] = inside(rest['items'], 'entry');
  return result;
}

const deeplyClosed = (schema: Schema): Schema => closed(schema, deeplyClosed);

/** Validators are cached by schema object, so each kind must have only one. */
function oncePerKind(schemaOf: (kind: StepKind) => Schema): (kind: StepKind) => Schema {
  const schemas = new Map<string, Schema>();
  return (kind) => {
    const schema = schemas.get(kind.name) ?? schemaOf(kind);
    schemas.set(kind.name, schema);
    return schema;
  };
}

/** The schema of `with:` for a kind: its own schema, with expressions as values. */
export const withSchemaOf = oncePerKind((kind) => closed(kind.with, templated));

/** The schema of a request after all expressions are evaluated. */
export const filledSchemaOf = oncePerKind((kind) => deeplyClosed(kind.with));
