// What the hub is sent and what it answers: forms and pages for people, JSON for programs.
import { createRequire } from 'node:module';
import formbody from '@fastify/formbody';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import { RequestError, validBody } from '../errors.ts';
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
  if (!isForm(request) || !isObject(body)) return validBody(schema, body);
  const fields = Object.fromEntries(Object.entries(body).filter(([, text]) => text !== ''));
  // What cannot be coerced stays as it is: the check names it.
  coerce(schema, fields);
  return validBody(schema, fields);
}

export function isForm({ headers }: FastifyRequest): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/** The account that the body names. */
export function accountIn(fields: JsonObject, accounts: Accounts): string {
  const account = String(fields['account'] ?? localAccount);
  if (accounts.find(account) !== undefined) return account;
  throw new RequestError(400, `Invalid request: there is no account ${account}.`);
}

export const textsOf = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.map(String) : [];

/** A list's `?limit=`. */
export function limitOf(text = '100'): number {
  const limit = wholeNumber(text);
  if (limit >= 1 && limit <= 500) return limit;
  throw new RequestError(
    400,
    `limit must be a whole number from 1 to 500, not ${JSON.stringify(text)}.`,
  );
}

/** A list's `?before=`: only entries with a lower sequence number. */
export function beforeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const before = wholeNumber(text);
  if (Number.isSafeInteger(before)) return before;
  throw new RequestError(400, `before must be a whole number, not ${JSON.stringify(text)}.`);
}

const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

/** A list's filter by one of a few words, which are `what`. */
export function choiceOf<Choice extends string>(
  text: string | undefined,
  isChoice: (text: string) => text is Choice,
  what: string,
): Choice | undefined {
  if (text === undefined || isChoice(text)) return text;
  throw new RequestError(400, `${JSON.stringify(text)} is not ${what}.`);
}

export const isoTime = (at: number): string => new Date(at).toISOString();
export const maybeIsoTime = (at: number | undefined): string | null =>
  at === undefined ? null : isoTime(at);

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
  back: string,
  status = 200,
): FastifyReply {
  if (isForm(request)) return reply.redirect(back, 303);
  return reply.code(status).send(facts);
}

export function asksForPage({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}
