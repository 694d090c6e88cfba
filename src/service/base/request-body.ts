// Validates a request body by its schema, and says in words which field is wrong (interface.md, Errors).
import { isObject, type JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { ErrorObject, Schema } from '../../base/schema.ts';
import { validatorOf } from '../../base/schema.ts';
import { badRequest, type ErrorResponse } from './error-response.ts';

/**
 * Checks a request body against a schema. The error names the field, the problem and the value. Unknown fields are
 * accepted: the hosted service gains fields, and a pipeline's `extra:` sends them.
 */
export function validBody(schema: Schema, body: unknown): Result<JsonObject, ErrorResponse> {
  if (body === undefined)
    return badRequest(
      'The request body is missing: send a JSON object with Content-Type: application/json.',
    );
  if (!isObject(body))
    return badRequest(`The request body must be a JSON object, not ${quoted(body)}.`);
  const validate = validatorOf(schema);
  if (validate(body)) return ok(body);
  const errors = (validate.errors ?? []).filter(
    ({ keyword }) => keyword !== 'additionalProperties',
  );
  if (errors.length === 0) return ok(body);
  // `anyOf` and `oneOf` only repeat what the errors of their branches say.
  const telling = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf');
  const sentences = (telling.length === 0 ? errors : telling).map(sentenceOf);
  return badRequest(`Invalid request: ${[...new Set(sentences)].join('; ')}.`);
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
