// Validates a request body by its schema, and says in words which field is wrong (interface.md, Errors).
import { isObject, type JsonObject } from '../../contract/base/json.ts';
import { ok, type Result } from '../../contract/base/result.ts';
import type { ErrorObject, Schema } from '../../contract/base/schema.ts';
import { validatorOf } from '../../contract/base/schema.ts';
import { badRequest, type ErrorResponse } from './error-response.ts';

/**
 * A request body that fits a schema, or why not: which field, what is wrong, which value. A field that the schema does
 * not know is let through: a real service grows, and `extra:` of a pipeline sends what is new.
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
  // The branches of an anyOf are worth a sentence only when nothing else says what is wrong.
  const telling = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf');
  const sentences = (telling.length === 0 ? errors : telling).map(sentenceOf);
  return badRequest(`Invalid request: ${[...new Set(sentences)].join('; ')}.`);
}

/** What a schema has to say, as a person says it. */
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

/** A value as it stands in a message, cut short. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
