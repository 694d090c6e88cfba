// The shape of a pipeline file, and of any YAML file with a schema: errors turned into sentences with a place.
import { fieldOf, isObject, type Json } from '../base/json.ts';
import { type ErrorObject, type Schema, validatorOf } from '../base/schema.ts';
import { kindNamed, kinds } from '../kinds/all.ts';
import type { StepKind } from '../kinds/kind.ts';
import { boundSentence, meaningOf } from './bounds.ts';
import { type Diagnostic, suggestion } from './diagnostic.ts';
import type { Path } from './place.ts';
import { type PipelineDocument, pipelineSchema } from './schema.ts';
import type { Source } from './source.ts';
import { propertiesOf, unknownKey, withoutEchoes } from './unknown-key.ts';

/** Checks the shape. On success the value is a `PipelineDocument`. */
export function checkShape(source: Source): readonly Diagnostic[] {
  if (!isObject(source.value)) return [notAPipeline(source)];
  const validate = validatorOf(schemaFor(source.value));
  validate(source.value);
  const seen = new Set<string>();
  return withoutEchoes(validate.errors ?? [])
    .map((error) => diagnose(error, source))
    .filter((diagnostic) => {
      const key = JSON.stringify([diagnostic.span, diagnostic.message]);
      return !seen.has(key) && seen.add(key);
    });
}

const notAPipeline = (source: Source): Diagnostic => ({
  severity: 'error',
  file: source.file,
  ...(source.value === null ? {} : { span: source.spanOf([]) }),
  message:
    source.value === null
      ? nothing(source.text)
      : `the file must be an object, not ${sayValue(source.value)}`,
  hint: 'a pipeline has at least pipeline: (its name) and steps:',
});

function nothing(text: string): string {
  if (text.trim() === '') return 'the file is empty';
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line))
    ? 'the file holds nothing but comments'
    : 'the file holds no value';
}

/** True when `checkShape` had nothing to say: the schema is what makes this so. */
export function isDocument(
  value: Json,
  problems: readonly Diagnostic[],
): value is Json & PipelineDocument {
  return problems.length === 0 && isObject(value);
}

const schemas = new Map<string, Schema>();

/** Compiling 31 kinds takes longer than most runs of `validate`; only those in use are compiled. */
function schemaFor(value: Json): Schema {
  const steps = isObject(value) && isObject(value['steps']) ? Object.values(value['steps']) : [];
  const used = new Set(steps.map((step) => (isObject(step) ? step['uses'] : undefined)));
  const known = kinds.filter((kind) => used.has(kind.name));
  const inUse = known.length > 0 ? known : kinds.slice(0, 1);
  const key = inUse.map((kind) => kind.name).join(' ');
  let schema = schemas.get(key);
  if (schema === undefined) {
    schema = pipelineSchema(inUse);
    schemas.set(key, schema);
  }
  return schema;
}

/** A JSON pointer as a path; array indexes become numbers. */
export function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** `steps.swap.with.assets` as a person says it: `step "swap": assets`. */
export function sayPath(path: Path): string {
  const dotted = (part: Path): string =>
    part
      .map((key, index) => (typeof key === 'number' ? `[${key}]` : index === 0 ? key : `.${key}`))
      .join('');
  if (path[0] !== 'steps' || path.length < 2) return path.length === 0 ? 'the file' : dotted(path);
  const rest = path[2] === 'with' ? path.slice(3) : path.slice(2);
  return rest.length === 0 ? `step "${path[1]}"` : `step "${path[1]}": ${dotted(rest)}`;
}

/** One error of a schema, with its place in the text. */
export function diagnose(error: ErrorObject, source: Source): Diagnostic {
  const path = pathOf(error.instancePath);
  const { message, hint, at } = sentence(error, path, sayPath(path), kindAt(source.value, path));
  const key = at !== undefined && at.length > path.length;
  return {
    severity: 'error',
    file: source.file,
    span: key
      ? source.keySpanOf(at)
      : error.keyword === 'required'
        ? source.keySpanOf(path)
        : source.spanOf(path),
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}

export interface Sentence {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly at?: Path;
}

/** The kind of the step under whose `with:` a path stands. */
function kindAt(value: Json, [root, name, field]: Path): StepKind | undefined {
  if (root !== 'steps' || field !== 'with') return undefined;
  const uses = fieldOf(isObject(value) ? value : {}, `steps.${name}.uses`);
  return typeof uses === 'string' ? kindNamed(uses) : undefined;
}

/** One error in words; `subject` is the value at the path as a person says it, `kind` that of a field under `with:`. */
export function sentence(
  error: ErrorObject,
  path: Path,
  subject: string,
  kind: StepKind | undefined,
): Sentence {
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'required':
      return missing(subject, String(params['missingProperty']), error);
    case 'additionalProperties': {
      const { key, addition, hint } = unknownKey(error, kind);
      const where = subject === 'the file' ? '' : `${subject}: `;
      return {
        message: `${where}unknown key ${JSON.stringify(key)}${addition}`,
        hint,
        at: [...path, key],
      };
    }
    case 'enum':
      return oneOf(subject, path, error);
    case 'type':
      return {
        message: `${subject} must be ${listOf(params['type'])}, not ${sayValue(error.data)}`,
        ...(path.length === 1 && path[0] === 'steps'
          ? { hint: 'write each step under a name of its own: photo: { uses: upload, … }' }
          : {}),
      };
    case 'pattern':
      return patternSentence(subject, path, error);
    case 'minProperties':
    case 'maxProperties':
      if (path.length === 1 && path[0] === 'items')
        return { message: 'items must have exactly one of: glob, values' };
      return bounded(subject, error);
    case 'maxLength':
      return error.propertyName === undefined ? bounded(subject, error) : badStepName(path, error);
    default:
      return bounded(subject, error);
  }
}

const bounded = (subject: string, error: ErrorObject): Sentence => ({
  message:
    boundSentence(subject, error) ??
    `${subject} ${error.message ?? 'is not valid'}, not ${sayValue(error.data)}`,
});

function missing(subject: string, key: string, error: ErrorObject): Sentence {
  const field = propertiesOf(error.parentSchema)[key];
  const described = isObject(field) && isObject(field['else']) ? field['else'] : field;
  const why = isObject(described) ? described['description'] : undefined;
  return {
    message: `${subject} needs "${key}"`,
    hint: typeof why === 'string' ? `${key}: ${why}` : undefined,
  };
}

function oneOf(subject: string, path: Path, error: ErrorObject): Sentence {
  const tool = path.length === 3 && path[0] === 'steps' && path[2] === 'uses';
  const params: Readonly<Record<string, unknown>> = error.params;
  const listed = Array.isArray(params['allowedValues']) ? params['allowedValues'].map(String) : [];
  const allowed = tool ? kinds.map((kind) => kind.name) : listed;
  const near = suggestion(String(error.data), allowed);
  return tool
    ? {
        message: `step "${path[1]}": there is no step kind ${JSON.stringify(String(error.data).slice(0, 60))}`,
        hint: near ?? 'shotlist tools lists the step kinds',
      }
    : {
        message: `${subject} must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}, not ${sayValue(error.data)}`,
        hint: near,
      };
}

function patternSentence(subject: string, path: Path, error: ErrorObject): Sentence {
  const { pattern }: Readonly<Record<string, unknown>> = error.params;
  if (error.propertyName !== undefined) return badStepName(path, error);
  const meaning = meaningOf(pattern);
  return {
    message:
      meaning === undefined
        ? `${subject} ${error.message}, not ${sayValue(error.data)}`
        : `${subject} must be ${meaning}, not ${sayValue(error.data)}`,
  };
}

const badStepName = (path: Path, { propertyName = '' }: ErrorObject): Sentence => ({
  message: `"${propertyName.slice(0, 60)}" cannot be the name of a step`,
  hint:
    propertyName.length > 100
      ? 'a name has at most 100 characters'
      : 'names have letters, digits, "_" and "-", and begin with a letter or "_"',
  at: [...path, propertyName],
});

function listOf(types: unknown): string {
  const names = (Array.isArray(types) ? types.map(String) : [String(types)]).map(
    (type) => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`,
  );
  return names.join(' or ');
}

function sayValue(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(value.slice(0, 60))}`;
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return String(value);
}
