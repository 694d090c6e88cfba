// The errors that the service answers requests with: a status and a sentence (interface.md, Errors).
import { isObject, type JsonObject } from '../base/json.ts';
import { type ErrorObject, type Schema, validatorOf } from '../base/schema.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';

type ErrorStatus = 400 | 401 | 402 | 403 | 404 | 409 | 413 | 422;

/** A handler throws it, and the request is answered with its status and message. Nothing was changed by then. */
export class RequestError extends Error {
  readonly statusCode: ErrorStatus;
  constructor(statusCode: ErrorStatus, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

export function orNotFound<T>(value: T | undefined): T {
  if (value === undefined) throw new RequestError(404, 'Not Found');
  return value;
}

/** Reports an error of the service itself, which no request caused, on standard error. */
export function reportInternalError(about: string, reason: unknown): void {
  const stack = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  const what = isSystemProblem(reason) ? systemReason(reason) : stack;
  process.stderr.write(`local service: ${about}: ${what}\n`);
}

/**
 * Checks a request body against a schema. The error names the field, the problem and the value. Unknown fields are
 * accepted: the hosted service gains fields, and a pipeline's `extra:` sends them.
 */
export function validBody(schema: Schema, body: unknown): JsonObject {
  if (body === undefined)
    throw new RequestError(
      400,
      'The request body is missing: send a JSON object with Content-Type: application/json.',
    );
  if (!isObject(body))
    throw new RequestError(400, `The request body must be a JSON object, not ${quoted(body)}.`);
  const validate = validatorOf(schema);
  if (validate(body)) return body;
  const errors = (validate.errors ?? []).filter(
    ({ keyword }) => keyword !== 'additionalProperties',
  );
  if (errors.length === 0) return body;
  // `anyOf` and `oneOf` only repeat what the errors of their branches say.
  const telling = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf');
  const sentences = (telling.length === 0 ? errors : telling).map(sentenceOf);
  throw new RequestError(400, `Invalid request: ${[...new Set(sentences)].join('; ')}.`);
}

/** A schema error as a sentence. */
export function sentenceOf({ instancePath, keyword, params, message, data }: ErrorObject): string {
  const field = instancePath.slice(1).replaceAll('/', '.');
  const inside = (name: unknown): string => (field === '' ? `${name}` : `${field}.${name}`);
  switch (keyword) {
    case 'required':
      return `${inside(params['missingProperty'])} is missing`;
    case 'additionalProperties':
      return `${inside(params['additionalProperty'])} is not a field of this request`;
    case 'enum':
      return `${field} must be one of ${optionsOf(params['allowedValues'])}, not ${quoted(data)}`;
    default:
      return `${field === '' ? 'the body' : field} ${message ?? 'is not valid'}, not ${quoted(data)}`;
  }
}

function optionsOf(values: unknown): string {
  return Array.isArray(values) ? values.map((value) => `${value}`).join(', ') : 'the known values';
}

/** A value for a message, shortened to 80 characters. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
