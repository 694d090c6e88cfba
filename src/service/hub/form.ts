// What the hub is sent: forms and JSON.
import { createRequire } from 'node:module';
import formbody from '@fastify/formbody';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject, type JsonObject } from '../../contract/base/json.ts';
import type { Result } from '../../contract/base/result.ts';
import type { Schema } from '../../contract/base/schema.ts';
import type { ErrorResponse } from '../base/error-response.ts';
import { validBody } from '../base/request-body.ts';
import { readJson } from '../http/app.ts';

export function readForms(hub: FastifyInstance): void {
  readJson(hub);
  hub.register(formbody);
}

const require = createRequire(import.meta.url);

let coercion: Ajv2020 | undefined;

/** The texts of a form become the types that the schema names; one text becomes a list where the schema has one. */
function coerce(schema: Schema, fields: JsonObject): void {
  // Loaded for the first form: most rehearsals end without one, and loading takes longer than the rest of their start.
  if (coercion === undefined) {
    const ajv: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js');
    coercion = new ajv.Ajv2020({ coerceTypes: 'array', allErrors: true, validateSchema: false });
  }
  coercion.validate(schema, fields);
}

/** The body by a schema. The empty texts of a form count as left out. */
export function fieldsOf(
  schema: Schema,
  request: FastifyRequest,
): Result<JsonObject, ErrorResponse> {
  const { body = {} } = request;
  if (!isForm(request) || !isObject(body)) return validBody(schema, body);
  const fields = Object.fromEntries(Object.entries(body).filter(([, text]) => text !== ''));
  // What cannot be coerced stays as it is: the check below names it.
  coerce(schema, fields);
  return validBody(schema, fields);
}

export function isForm({ headers }: FastifyRequest): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
}
