// What the hub is sent and what it answers: forms and pages for people, JSON for programs.
import { createRequire } from 'node:module';
import formbody from '@fastify/formbody';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import { orError, RequestError } from '../base/error-response.ts';
import { validBody } from '../base/request-body.ts';
import { readJson } from '../http/app.ts';
import { type Accounts, localAccount } from '../store/accounts.ts';

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
export function fieldsOf(schema: Schema, request: FastifyRequest): JsonObject {
  const { body = {} } = request;
  if (!isForm(request) || !isObject(body)) return orError(validBody(schema, body));
  const fields = Object.fromEntries(Object.entries(body).filter(([, text]) => text !== ''));
  // What cannot be coerced stays as it is: the check below names it.
  coerce(schema, fields);
  return orError(validBody(schema, fields));
}

export function isForm({ headers }: FastifyRequest): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/** The account that the body names. */
export function accountIn(fields: JsonObject, accounts: Accounts): string {
  const account = String(fields['account'] ?? localAccount);
  if (accounts.find(account) !== undefined) return account;
  const message = `Invalid request: there is no account ${account}.`;
  throw new RequestError({ status: 400, message });
}

export const textsOf = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.map(String) : [];

/** A list's `?limit=`. */
export function limitOf(text = '100'): number {
  const limit = wholeNumber(text);
  if (limit >= 1 && limit <= 500) return limit;
  const message = `limit must be a whole number from 1 to 500, not ${JSON.stringify(text)}.`;
  throw new RequestError({ status: 400, message });
}

/** A list's `?before=`: only entries with a lower sequence number. */
export function beforeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const before = wholeNumber(text);
  if (Number.isSafeInteger(before)) return before;
  const message = `before must be a whole number, not ${JSON.stringify(text)}.`;
  throw new RequestError({ status: 400, message });
}

const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

/** The answer to a GET: a page for a browser, the facts for a program. */
export function sendFacts(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: unknown,
  page: () => string,
): FastifyReply {
  if (!isForm(request) && !asksForPage(request)) return reply.send(facts);
  return reply.type('text/html; charset=utf-8').send(page());
}

/** The answer to a change: a form is redirected to a page, a program gets the facts. */
export function sendChanged(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: unknown,
  { status = 200, back }: { readonly status?: number; readonly back: string },
): FastifyReply {
  if (isForm(request)) return reply.redirect(back, 303);
  return reply.code(status).send(facts);
}

export function asksForPage({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}
