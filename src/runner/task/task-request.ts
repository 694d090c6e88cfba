// A task request: what a task asks for once the tasks that it uses are over, and the fingerprint that identifies it.
import { isObject, type JsonObject } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';
import type { Scope } from '../language/expression.ts';
import type { Step } from '../language/pipeline.ts';
import { fill, type TemplateError } from '../language/template.ts';
import {
  essentialBody,
  type Fingerprint,
  fingerprintOf,
  fingerprintOfText,
  type Manifest,
} from './fingerprint.ts';
import { requestText } from './request-text.ts';

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
