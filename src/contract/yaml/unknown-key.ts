// Unknown keys, and the known keys that were probably meant.
import { isObject } from '../../base/json.ts';
import { type ErrorObject, isNeverMeant, type Schema } from '../../base/schema.ts';
import { listing, nearest } from './diagnostic.ts';

interface Unknown {
  readonly key: string;
  /** `, and the required "…" is missing`, if one mistake caused both errors. */
  readonly addition: string;
  readonly hint: string;
  /** The keys that the schema knows at this place. */
  readonly known: readonly string[];
  /** The known key that most resembles the unknown one. */
  readonly near: string | undefined;
}

export function unknownKey(error: ErrorObject): Unknown {
  const key = keyOf(error);
  const near = nearKey(error);
  const known = Object.keys(propertiesOf(error.parentSchema));
  const addition =
    near !== undefined && lacks(error, near) ? `, and the required "${near}" is missing` : '';
  const list = known.length > 0 ? `known keys: ${listing(known)}` : 'remove it';
  return {
    key,
    addition,
    hint: near === undefined ? list : `did you mean "${near}"?`,
    known,
    near,
  };
}

/**
 * Removes errors that repeat another: a typing mistake in a required name is one error, not an
 * unknown key and a missing one, and a value of the wrong type is not also a value outside its
 * list.
 */
export function withoutEchoes(all: readonly ErrorObject[]): readonly ErrorObject[] {
  const errors = all.filter((error) => !isOfAlternative(error));
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

/** An error of an alternative that was not meant, or the error that no alternative fits. */
const isOfAlternative = ({ keyword, schema, parentSchema }: ErrorObject): boolean =>
  isNeverMeant(parentSchema) ||
  (keyword === 'anyOf' && Array.isArray(schema) && schema.some(isNeverMeant));

export function propertiesOf(schema: unknown): Schema {
  return isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
}

const keyOf = ({ params }: ErrorObject): string => String(params['additionalProperty']);

/** The known key that resembles an unknown one, or has its meaning. */
function nearKey(error: ErrorObject): string | undefined {
  const known = propertiesOf(error.parentSchema);
  const same = foreign.get(keyOf(error));
  return same !== undefined && Object.hasOwn(known, same)
    ? same
    : nearest(keyOf(error), Object.keys(known));
}

/** Keys that people know from GitHub Actions and other tools, with the keys here. */
const foreign: ReadonlyMap<string, string> = new Map([
  ['name', 'pipeline'],
  ['jobs', 'steps'],
  ['on', 'schedule'],
  ['strategy', 'items'],
  ['run', 'uses'],
  ['kind', 'uses'],
  ['params', 'with'],
  ['args', 'with'],
  ['depends_on', 'needs'],
  ['condition', 'if'],
  ['loop', 'for_each'],
  ['retries', 'retry'],
  ['timeout-minutes', 'timeout'],
  ['continue-on-error', 'on_missing'],
]);

function lacks({ parentSchema, data }: ErrorObject, key: string): boolean {
  const schema: unknown = parentSchema;
  const required = isObject(schema) ? schema['required'] : undefined;
  const given = isObject(data) && Object.hasOwn(data, key);
  return Array.isArray(required) && required.includes(key) && !given;
}
