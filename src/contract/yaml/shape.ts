// Turns JSON Schema errors into diagnostics, for any YAML file with a schema. A format adds its own
// names and sentences.
import { isObject } from '../../base/json.ts';
import { type ErrorObject, isNeverMeant, type Schema, validatorOf } from '../../base/schema.ts';
import {
  type Diagnostic,
  errorAt,
  type Finding,
  listing,
  nearest,
  type Path,
  suggestion,
} from './diagnostic.ts';
import type { Source } from './source.ts';

export interface Sentence extends Finding {
  /** The place of the error, if it is a key below the value that the schema rejects. */
  readonly at?: Path;
}

/** What a file format adds to the general sentences. */
export interface YamlFormat {
  /** The name of a value, for people. */
  subjectOf(path: Path): string;
  /** The format's own sentence for an error; undefined: the general sentence. */
  sentenceOf(error: ErrorObject, path: Path, subject: string): Sentence | undefined;
}

/** Names a value by its path: `faults[2].on`. */
const plainFormat: YamlFormat = {
  subjectOf: (path) => dotted(path) || 'the file',
  sentenceOf: () => undefined,
};

/** A path as YAML and JavaScript write it: `style.prompt`, `assets[0]`. Empty for the root. */
export const dotted = (path: Path): string =>
  path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`))
    .join('');

/** A JSON pointer as a path; array indexes become numbers. */
export function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** What a schema says about the value of a file, without repetitions. */
export function shapeProblems(
  schema: Schema,
  source: Source,
  format?: YamlFormat,
): readonly Diagnostic[] {
  const validate = validatorOf(schema);
  validate(source.value);
  return withoutEchoes(validate.errors ?? []).map((error) => diagnose(error, source, format));
}

/** One schema error, with its place in the text. */
export function diagnose(
  error: ErrorObject,
  source: Source,
  format: YamlFormat = plainFormat,
): Diagnostic {
  const path = pathOf(error.instancePath);
  const subject = format.subjectOf(path);
  const found = format.sentenceOf(error, path, subject) ?? sentence(error, path, subject);
  const { at } = found;
  const isKey = at !== undefined && at.length > path.length;
  const span = isKey
    ? source.keySpanOf(at)
    : error.keyword === 'required'
      ? source.keySpanOf(path)
      : source.spanOf(path);
  return errorAt(source.file, span, found);
}

/** The general sentence for an error; `subject` names the value at the path. */
export function sentence(error: ErrorObject, path: Path, subject: string): Sentence {
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'required':
      return missing(subject, String(params['missingProperty']), error);
    case 'additionalProperties': {
      const { key, addition, hint } = unknownKey(error);
      const where = subject === 'the file' ? '' : `${subject}: `;
      return {
        code: 'SL101',
        message: `${where}unknown key ${JSON.stringify(key)}${addition}`,
        hint,
        at: [...path, key],
      };
    }
    case 'enum':
      return oneOf(subject, path, error);
    case 'type':
      return {
        code: 'SL103',
        message: `${subject} must be ${listOf(params['type'])}, not ${describeValue(error.data)}`,
        hint: quotesHint(error) ?? objectHint(error) ?? purpose(error, path),
      };
    default:
      return {
        hint: purpose(error, path),
        ...(boundSentence(subject, error) ?? {
          code: 'SL107',
          message: `${subject} ${error.message ?? 'is not valid'}, not ${describeValue(error.data)}`,
        }),
      };
  }
}

/** What the field is for, by its schema. */
export function purpose(error: ErrorObject, path: Path): string {
  const schema: unknown = error.parentSchema;
  const described = isObject(schema) ? schema['description'] : undefined;
  const key = path.findLast((part) => typeof part === 'string');
  if (typeof described === 'string') return key === undefined ? described : `${key}: ${described}`;
  return key === undefined ? 'change the value' : `change the value of ${key}:`;
}

/** The keys of an object that is needed instead of a text. */
function objectHint({ params, parentSchema: schema }: ErrorObject): string | undefined {
  const required = isObject(schema) ? schema['required'] : undefined;
  if (params['type'] !== 'object' || !Array.isArray(required) || required.length === 0)
    return undefined;
  return `write an object: { ${required.map((key) => `${String(key)}: …`).join(', ')} }`;
}

const isDescribed = ({ parentSchema: schema }: ErrorObject): boolean =>
  isObject(schema) && typeof schema['description'] === 'string';

/** `2, 3 or 4`. */
const choiceOf = (values: readonly string[]): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

/** Quotation marks make the difference between a text and a number in YAML. */
function quotesHint({ params, parentSchema, data: given }: ErrorObject): string | undefined {
  const wanted: unknown = params['type'];
  // Quotation marks alone do not make 10 a duration.
  if (isObject(parentSchema) && parentSchema['pattern'] !== undefined) return undefined;
  const types = Array.isArray(wanted) ? wanted.map(String) : [String(wanted)];
  if (types.includes('string') && (typeof given === 'number' || typeof given === 'boolean'))
    return 'put the value in quotation marks';
  if (typeof given !== 'string') return undefined;
  const numeric = types.some((type) => type === 'number' || type === 'integer');
  if (numeric && given.trim() !== '' && Number.isFinite(Number(given)))
    return 'write the number without quotation marks';
  return types.includes('boolean') && /^(true|false|yes|no|on|off)$/i.test(given)
    ? 'write true or false, without quotation marks'
    : undefined;
}

function missing(subject: string, key: string, error: ErrorObject): Sentence {
  const field = propertiesOf(error.parentSchema)[key];
  const why = isObject(field) ? field['description'] : undefined;
  return {
    code: 'SL102',
    message: `${subject} needs "${key}"`,
    hint: typeof why === 'string' ? `${key}: ${why}` : `add ${key}:`,
  };
}

function oneOf(subject: string, path: Path, error: ErrorObject): Sentence {
  const params: Readonly<Record<string, unknown>> = error.params;
  const near = typeof error.data === 'string' ? error.data : undefined;
  const allowed = Array.isArray(params['allowedValues']) ? params['allowedValues'].map(String) : [];
  return {
    code: 'SL104',
    message: `${subject} must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}, not ${describeValue(error.data)}`,
    hint:
      (near === undefined ? undefined : suggestion(near, allowed)) ??
      (isDescribed(error) ? purpose(error, path) : `write ${choiceOf(allowed)}`),
  };
}

function listOf(types: unknown): string {
  const names = (Array.isArray(types) ? types.map(String) : [String(types)]).map(
    (type) => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`,
  );
  return names.join(' or ');
}

/** A value in a sentence: texts in quotes and cut short, lists and objects by their type. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 60))}`;
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return String(value);
}

// Sentences for violations of a schema's limits: the number of entries, the length of a text, the
// range of a number.

type BoundSentence = Pick<Finding, 'code' | 'message'>;

/** A sentence for an error about a size or a range; undefined for other errors. */
function boundSentence(subject: string, error: ErrorObject): BoundSentence | undefined {
  const params: Readonly<Record<string, unknown>> = error.params;
  const limit = Number(params['limit']);
  switch (error.keyword) {
    case 'minItems':
    case 'minProperties':
    case 'minLength':
      return length(
        limit === 1
          ? `${subject} must not be empty`
          : `${subject} must have at least ${sized(limit, error)}, not ${sizeOf(error.data)}`,
      );
    case 'maxItems':
    case 'maxProperties':
    case 'maxLength':
      return length(
        `${subject} must have at most ${sized(limit, error)}, not ${sizeOf(error.data)}`,
      );
    case 'minimum':
      return range(`${subject} must be ${limit} or more, not ${String(error.data)}`);
    case 'maximum':
      return range(`${subject} must be ${limit} or less, not ${String(error.data)}`);
    case 'exclusiveMinimum':
      return range(`${subject} must be more than ${limit}, not ${String(error.data)}`);
    case 'exclusiveMaximum':
      return range(`${subject} must be less than ${limit}, not ${String(error.data)}`);
    case 'multipleOf':
      return range(
        `${subject} must be a multiple of ${String(params['multipleOf'])}, not ${String(error.data)}`,
      );
    default:
      return undefined;
  }
}

const length = (message: string): BoundSentence => ({ code: 'SL106', message });
const range = (message: string): BoundSentence => ({ code: 'SL105', message });

/** `1 entry`, `5 entries`, `2000 characters`. */
function sized(count: number, { keyword }: ErrorObject): string {
  if (keyword.endsWith('Length')) return `${count} ${count === 1 ? 'character' : 'characters'}`;
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}

/** A schema counts Unicode characters, not UTF-16 code units as JavaScript does. */
function sizeOf(data: unknown): number {
  if (typeof data === 'string') return Array.from(data).length;
  if (Array.isArray(data)) return data.length;
  return isObject(data) ? Object.keys(data).length : 0;
}

// Unknown keys, and the known keys that were probably meant.

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
  const hint = near === undefined ? list : `did you mean "${near}"?`;
  return { key, addition, hint, known, near };
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
  return errors.filter(
    ({ keyword, instancePath, params }) =>
      keyword !== 'if' &&
      keyword !== 'propertyNames' &&
      !(keyword === 'enum' && mistyped.has(instancePath)) &&
      !(keyword === 'required' && meant.has(`${instancePath} ${params['missingProperty']}`)),
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
