// Checks the shape of a pipeline file, and words the schema's errors in terms of steps and step
// kinds.
import { fieldOf, isObject, type Json } from '../base/json.ts';
import type { ErrorObject, Schema } from '../base/schema.ts';
import { kindNamed, kinds, type StepKind } from '../contract/kinds.ts';
import { type Diagnostic, listing, type Path, suggestion } from '../contract/yaml/diagnostic.ts';
import {
  describeValue,
  dotted,
  propertiesOf,
  purpose,
  type Sentence,
  sentence,
  shapeProblems,
  unknownKey,
  type YamlFormat,
} from '../contract/yaml/shape.ts';
import type { Source } from '../contract/yaml/source.ts';
import { meaningOf, type PipelineDocument, resolvedSchema } from './schema.ts';

/** Checks the shape. On success the value is a `PipelineDocument`. */
export function checkShape(source: Source): readonly Diagnostic[] {
  if (!isObject(source.value)) return [notAPipeline(source)];
  const seen = new Set<string>();
  return shapeProblems(schemaFor(source.value), source, pipelineFormat(source.value)).filter(
    ({ span, message }) => {
      const key = JSON.stringify([span, message]);
      return !seen.has(key) && seen.add(key);
    },
  );
}

const notAPipeline = (source: Source): Diagnostic => ({
  severity: 'error',
  code: source.value === null ? 'SL004' : 'SL100',
  file: source.file,
  span: source.value === null ? undefined : source.spanOf([]),
  message:
    source.value === null
      ? nothing(source.text)
      : `the file must be an object, not ${describeValue(source.value)}`,
  hint: 'a pipeline needs at least pipeline: (its name) and steps:',
});

function nothing(text: string): string {
  if (text.trim() === '') return 'the file is empty';
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line))
    ? 'the file contains only comments'
    : 'the file contains no value';
}

/** True if `checkShape` found no problem, so that the value has the type that the schema describes. */
export function isDocument(
  value: Json,
  problems: readonly Diagnostic[],
): value is Json & PipelineDocument {
  return problems.length === 0 && isObject(value);
}

const schemas = new Map<string, Schema>();

/** Compiles only the kinds in use: compiling all 31 takes longer than most runs of `validate`. */
function schemaFor(value: Json): Schema {
  const steps = isObject(value) && isObject(value['steps']) ? Object.values(value['steps']) : [];
  const used = new Set(steps.map((step) => (isObject(step) ? step['uses'] : undefined)));
  const known = kinds.filter((kind) => used.has(kind.name));
  const inUse = known.length > 0 ? known : kinds.slice(0, 1);
  const key = inUse.map((kind) => kind.name).join(' ');
  const schema = schemas.get(key) ?? resolvedSchema(inUse);
  schemas.set(key, schema);
  return schema;
}

/** Sentences for errors that are specific to pipeline files. */
const pipelineFormat = (document: Json): YamlFormat => ({
  subjectOf: describePath,
  sentenceOf: (error, path, subject) => {
    if (error.keyword === 'enum') return unknownKind(error, path);
    if (error.keyword === 'minProperties' || error.keyword === 'maxProperties')
      return exactlyOne(error, path, subject);
    if (error.keyword === 'type' && path.length === 1 && path[0] === 'steps')
      return {
        ...sentence(error, path, subject),
        hint: 'write each step under its own name: photo: { uses: upload, … }',
      };
    const kind = kindAt(document, path);
    return fieldSentence(error, path, subject, kind);
  },
});

/** Objects of which exactly one key is set. */
function exactlyOne(error: ErrorObject, path: Path, subject: string): Sentence | undefined {
  const alone = path.length === 1 && ['items', 'on_finish', 'on_doubt'].includes(String(path[0]));
  if (!alone) return undefined;
  const keys = Object.keys(propertiesOf(error.parentSchema));
  return {
    code: 'SL109',
    message: `${subject} must have exactly one of: ${keys.join(', ')}`,
    hint: 'set one of them, and remove the others',
  };
}

/** A sentence for an error in a field under `with:`, in a request body or in the file. */
export function fieldSentence(
  error: ErrorObject,
  path: Path,
  subject: string,
  kind: StepKind | undefined,
): Sentence {
  const isName = error.keyword === 'pattern' || error.keyword === 'maxLength';
  if (isName && error.propertyName !== undefined) return badName(path, error);
  const general = sentence(error, path, subject);
  if (error.keyword === 'additionalProperties' && kind !== undefined) {
    const { key, known, near } = unknownKey(error);
    return near === undefined ? { ...general, hint: misplacedField(key, known, kind) } : general;
  }
  const meaning = error.keyword === 'pattern' ? meaningOf(error.params['pattern']) : undefined;
  if (meaning === undefined) return general;
  const message = `${subject} must be ${meaning}, not ${describeValue(error.data)}`;
  return { code: 'SL107', message, hint: purpose(error, path) };
}

/** A path for people: `steps.swap.with.assets` becomes `step "swap": assets`. */
function describePath(path: Path): string {
  if (path[0] !== 'steps' || path.length < 2) return dotted(path) || 'the file';
  const rest = path[2] === 'with' ? path.slice(3) : path.slice(2);
  return rest.length === 0 ? `step "${path[1]}"` : `step "${path[1]}": ${dotted(rest)}`;
}

/** The kind of the step that has this path under its `with:`. */
function kindAt(value: Json, [root, name, field]: Path): StepKind | undefined {
  if (root !== 'steps' || field !== 'with') return undefined;
  const uses = fieldOf(isObject(value) ? value : {}, `steps.${name}.uses`);
  return typeof uses === 'string' ? kindNamed(uses) : undefined;
}

function unknownKind(error: ErrorObject, path: Path): Sentence | undefined {
  if (path.length !== 3 || path[0] !== 'steps' || path[2] !== 'uses') return undefined;
  const name = String(error.data);
  const message = `step "${path[1]}": there is no step kind ${JSON.stringify(name.slice(0, 60))}`;
  return { code: 'SL110', message, hint: kindHint(name) };
}

/** For a name that is not a step kind. */
export function kindHint(name: string): string {
  const names = kinds.map((kind) => kind.name);
  return suggestion(name, names) ?? 'shotlist tools lists the step kinds';
}

const badName = (path: Path, { propertyName = '' }: ErrorObject): Sentence => ({
  code: 'SL108',
  message: `"${propertyName.slice(0, 60)}" cannot be the name of ${named(path)}`,
  hint:
    propertyName.length > 100
      ? 'a name has at most 100 characters'
      : 'a name consists of letters, digits, "_" and "-", and begins with a letter or "_"',
  at: [...path, propertyName],
});

const named = ([root]: Path): string => (root === 'items' ? 'a list of a matrix' : 'a step');

/**
 * For a field that does not exist at its place: where it belongs, or how to send it anyway. `known` are the fields that the
 * schema has there.
 */
function misplacedField(key: string, known: readonly string[], kind: StepKind): string {
  const elsewhere = pathIn(kind.with, key, 'with');
  if (elsewhere !== undefined) return `"${key}" belongs at ${elsewhere}`;
  const list = known.length > 0 ? [`known keys: ${listing(known)}`] : [];
  if (kind.operation !== 'create' && kind.operation !== 'detect') return list[0] ?? 'remove it';
  const rest = 'remove it; if the service has a newer field of this name, send it under extra:';
  return [...list, rest].join('; ');
}

/** The place where a schema has a field of this name, such as `with.style.prompt`. */
function pathIn(schema: Schema, key: string, above: string): string | undefined {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, key)) return `${above}.${key}`;
  for (const [name, field] of Object.entries(properties)) {
    const found = isObject(field) ? pathIn(field, key, `${above}.${name}`) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
