// A key that the schema does not know: what was probably meant, and where an unknown field may stand.
import { isObject } from '../base/json.ts';
import type { ErrorObject, Schema } from '../base/schema.ts';
import type { StepKind } from '../kinds/kind.ts';
import { listing, nearest } from './diagnostic.ts';

interface Unknown {
  readonly key: string;
  /** `, and the required "…" is missing` where one slip made two errors. */
  readonly addition: string;
  readonly hint: string | undefined;
}

/** `kind` is set for a field under `with:`. */
export function unknownKey(error: ErrorObject, kind: StepKind | undefined): Unknown {
  const key = keyOf(error);
  const near = nearKey(error);
  const addition =
    near !== undefined && lacks(error, near) ? `, and the required "${near}" is missing` : '';
  return {
    key,
    addition,
    hint: near === undefined ? hintFor(key, error, kind) : `did you mean "${near}"?`,
  };
}

/**
 * Errors that say something: a slip in a required name is one mistake, not an unknown key and a missing one; a value of
 * the wrong type is not also one outside its list.
 */
export function withoutEchoes(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const meant = new Set(
    errors
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .map((error) => `${error.instancePath} ${nearKey(error)}`),
  );
  const mistyped = new Set(
    errors.filter(({ keyword }) => keyword === 'type').map(({ instancePath }) => instancePath),
  );
  const telling = errors.filter(
    ({ keyword, instancePath }) =>
      keyword !== 'if' &&
      keyword !== 'propertyNames' &&
      !(keyword === 'enum' && mistyped.has(instancePath)),
  );
  return telling.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== 'required' || !meant.has(`${instancePath} ${params['missingProperty']}`),
  );
}

export function propertiesOf(schema: unknown): Schema {
  return isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
}

const keyOf = ({ params }: ErrorObject): string => String(params['additionalProperty']);

/** The known key that an unknown one looks like. */
const nearKey = (error: ErrorObject): string | undefined =>
  nearest(keyOf(error), Object.keys(propertiesOf(error.parentSchema)));

function lacks({ parentSchema, data }: ErrorObject, key: string): boolean {
  const schema: unknown = parentSchema;
  const required = isObject(schema) ? schema['required'] : undefined;
  const given = isObject(data) && Object.hasOwn(data, key);
  return Array.isArray(required) && required.includes(key) && !given;
}

function hintFor(key: string, error: ErrorObject, kind: StepKind | undefined): string | undefined {
  const elsewhere = kind === undefined ? undefined : pathIn(kind.with, key, 'with');
  if (elsewhere !== undefined) return `"${key}" belongs elsewhere: ${elsewhere}`;
  const known = Object.keys(propertiesOf(error.parentSchema));
  const list = known.length > 0 ? `known keys: ${listing(known)}` : undefined;
  if (kind?.deed !== 'create' && kind?.deed !== 'detect') return list;
  return [list, 'put a field that shotlist does not know under extra:']
    .filter((part) => part !== undefined)
    .join('; ');
}

/** Where a schema has a field of this name: `with.style.prompt`. */
function pathIn(schema: Schema, key: string, above: string): string | undefined {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, key)) return `${above}.${key}`;
  for (const [name, field] of Object.entries(properties)) {
    const found = isObject(field) ? pathIn(field, key, `${above}.${name}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
