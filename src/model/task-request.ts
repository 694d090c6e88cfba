// A task request: what a task asks for once the tasks that it uses are over, and the fingerprint that identifies it.
import { canonical, isObject, type JsonObject } from '../base/json.ts';
import { err, ok, type Result } from '../base/result.ts';
import { filled, type Schema } from '../base/schema.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { expressionsOf, fill, type Template, type TemplateError } from '../language/template.ts';
import {
  cosmeticFields,
  essentialBody,
  type Fingerprint,
  fingerprintOf,
  fingerprintOfText,
  type Manifest,
} from './fingerprint.ts';

export interface BodyRequest {
  readonly operation: 'detect' | 'create';
  /** The body with the service's values named by content. */
  readonly body: JsonObject;
  readonly fingerprint: Fingerprint;
  /** What the fingerprint is made of. */
  readonly manifest: Manifest;
}

export type TaskRequest =
  | { readonly operation: 'upload'; readonly file: string }
  | BodyRequest
  | { readonly operation: 'download'; readonly of: Fingerprint; readonly to: string }
  | { readonly operation: 'delete'; readonly of: Fingerprint };

/** The same request for a later take: it has a result of its own. */
export function withTake(request: BodyRequest, number = 1): BodyRequest {
  if (number === 1) return request;
  const { operation, body } = request;
  const manifest = { ...request.manifest, take: number };
  return { operation, body, manifest, fingerprint: fingerprintOf(manifest) };
}

/** The names in one evaluation, with outputs by content or live. */
export interface Names {
  readonly scope: Scope;
  readonly fingerprintOfStep: (step: string) => Fingerprint | undefined;
}

/** False if the step is skipped. */
export function conditionHolds(step: Step, scope: Scope): Result<boolean, TemplateError> {
  const { condition } = step;
  if (condition === undefined) return ok(true);
  const value = condition.evaluate(scope);
  const path = ['steps', step.name, 'if'];
  const { text, references } = condition;
  if (!value.ok) return err({ path, text, references, ...value.error });
  if (typeof value.value === 'boolean') return ok(value.value);
  return err({
    code: 'SL311',
    path,
    text: condition.text,
    message: `if: must be true or false, not ${JSON.stringify(value.value)}`,
    start: 0,
    end: condition.text.length,
  });
}

export function taskRequestOf(step: Step, names: Names): Result<TaskRequest, TemplateError> {
  const { kind } = step;
  if (kind.operation === 'detect' || kind.operation === 'create') {
    const text = requestText(step, names.scope);
    if (text !== undefined)
      return ok(
        new CompiledRequest(kind.operation, fingerprintOfText(kind.name, text), step, names),
      );
  }
  const filled = fill(step.with, names.scope);
  if (!filled.ok) return filled;
  const body = isObject(filled.value) ? filled.value : {};
  switch (step.kind.operation) {
    case 'upload':
      return ok({ operation: 'upload', file: String(body['file']) });
    case 'detect':
    case 'create': {
      const manifest = { kind: step.kind.name, body: essentialBody(step.kind.with, body) };
      const fingerprint = fingerprintOf(manifest);
      return ok({ operation: step.kind.operation, body, fingerprint, manifest });
    }
    case 'download':
      return ok({ operation: 'download', of: targetOf(step, names), to: String(body['to']) });
    case 'delete':
      return ok({ operation: 'delete', of: targetOf(step, names) });
  }
}

/** Most tasks are done already: then nobody needs their bodies. */
class CompiledRequest {
  readonly operation: 'detect' | 'create';
  readonly fingerprint: Fingerprint;
  readonly #step: Step;
  readonly #names: Names;
  #body: JsonObject | undefined;

  constructor(operation: 'detect' | 'create', fingerprint: Fingerprint, step: Step, names: Names) {
    this.operation = operation;
    this.fingerprint = fingerprint;
    this.#step = step;
    this.#names = names;
  }

  get body(): JsonObject {
    if (this.#body !== undefined) return this.#body;
    const filled = fill(this.#step.with, this.#names.scope);
    if (!filled.ok || !isObject(filled.value))
      throw new Error(`bug: ${this.#step.name} has no body`);
    this.#body = filled.value;
    return filled.value;
  }

  get manifest(): Manifest {
    const { kind } = this.#step;
    return { kind: kind.name, body: essentialBody(kind.with, this.body) };
  }
}

function targetOf(step: Step, names: Names): Fingerprint {
  const of = step.of === undefined ? undefined : names.fingerprintOfStep(step.of);
  if (of === undefined) throw new Error(`bug: ${step.name} became ready before the step it is of`);
  return of;
}

// Compiles the request of a step, so that each item only fills in what differs. The result is the canonical text that is hashed
// for the fingerprint.

/** Constant text, or a value that differs between items. No schema: it does not count, and must have a value all the same. */
type Part = string | { readonly template: Template; readonly schema?: Schema };
type Parts = readonly Part[];

const compiled = new WeakMap<Template, Parts | undefined>();

/** As `canonical(essentialBody(…))`. Undefined: the body must be looked at as a whole, or an expression has no value. */
export function requestText(
  { kind, with: template }: Pick<Step, 'kind' | 'with'>,
  scope: Scope,
): string | undefined {
  if (!compiled.has(template)) compiled.set(template, compile(template, kind.with));
  const parts = compiled.get(template);
  if (parts === undefined) return undefined;
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const value = fill(part.template, scope);
    if (!value.ok) return undefined;
    if (part.schema !== undefined) text += canonical(filled(part.schema, value.value));
  }
  return text;
}

function compile(template: Template, schema: Schema): Parts | undefined {
  // Which fields count depends on the values of others.
  if (template.kind !== 'object' || schema['x-ignored'] !== undefined) return undefined;
  const without = cosmeticFields(schema);
  const cosmetic = template.fields.flatMap(([name, field]): Part[] =>
    without.has(name) && expressionsOf(field).length > 0 ? [{ template: field }] : [],
  );
  const parts: Part[] = [];
  add(template, schema, without, parts);
  return [...cosmetic, ...parts];
}

function add(
  template: Template,
  schema: Schema,
  without: ReadonlySet<string>,
  parts: Part[],
): void {
  switch (template.kind) {
    case 'value':
      return addText(canonical(filled(schema, template.value)), parts);
    case 'list':
      return addAll('[', ']', template.items, parts, (item) =>
        add(item, schemaIn(schema['items']), none, parts),
      );
    case 'object': {
      const { properties } = schema;
      const schemas = isObject(properties) ? properties : {};
      const fields = new Map(template.fields);
      for (const [name, part] of Object.entries(schemas))
        if (!fields.has(name) && isObject(part) && part['default'] !== undefined)
          fields.set(name, { kind: 'value', value: part['default'] });
      const kept = [...fields].filter(([name]) => !without.has(name)).sort(byName);
      return addAll('{', '}', kept, parts, ([name, field]) => {
        addText(`${JSON.stringify(name)}:`, parts);
        add(field, schemaIn(schemas[name]), none, parts);
      });
    }
    case 'expression':
    case 'text':
      parts.push({ template, schema });
  }
}

function addAll<T>(
  open: string,
  close: string,
  list: readonly T[],
  parts: Part[],
  addOne: (one: T) => void,
): void {
  addText(open, parts);
  for (const [index, one] of list.entries()) {
    if (index > 0) addText(',', parts);
    addOne(one);
  }
  addText(close, parts);
}

function addText(text: string, parts: Part[]): void {
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last + text;
  else parts.push(text);
}

const none: ReadonlySet<string> = new Set();

const schemaIn = (value: unknown): Schema => (isObject(value) ? value : {});

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;
