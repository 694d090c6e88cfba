// What is sent to the hub and how it answers: forms and JSON in, pages and JSON out.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject, type Json, type JsonObject } from '../../contract/base/json.ts';
import type { Result } from '../../contract/base/result.ts';
import type { Schema } from '../../contract/base/schema.ts';
import { type ErrorResponse, validBody } from '../base/error-response.ts';
import { readJson } from '../http/app.ts';

const formType = 'application/x-www-form-urlencoded';

/** JSON as everywhere, and forms as what they are: names with texts. */
export function readForms(hub: FastifyInstance): void {
  readJson(hub);
  hub.addContentTypeParser(formType, { parseAs: 'string' }, (_request, text, done) =>
    done(null, new URLSearchParams(text.toString())),
  );
}

/** The body by a schema. The texts of a form become what the schema calls them; empty ones count as left out. */
export function fieldsOf(
  schema: Schema,
  { body }: FastifyRequest,
): Result<JsonObject, ErrorResponse> {
  if (!(body instanceof URLSearchParams)) return validBody(schema, body ?? {});
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const fields: Record<string, Json> = {};
  for (const name of new Set(body.keys())) {
    const texts = body.getAll(name).filter((text) => text !== '');
    const [text] = texts;
    if (text !== undefined) fields[name] = meant(properties[name], text, texts);
  }
  return validBody(schema, fields);
}

function meant(property: Json | undefined, text: string, texts: readonly string[]): Json {
  switch (isObject(property) ? property['type'] : undefined) {
    case 'array':
      return texts;
    case 'integer':
      return Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      return text === 'true' || text === 'on';
    default:
      return text;
  }
}

/** Shows facts as the page that a browser asks for, or as JSON. */
export function show(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: unknown,
  page: () => string,
): FastifyReply {
  return wantsPage(request)
    ? reply.type('text/html; charset=utf-8').send(page())
    : reply.send(facts);
}

/** Answers a change: a form goes back to a page, a program gets the facts. */
export function changed(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: unknown,
  { status = 200, back }: { readonly status?: number; readonly back: string },
): FastifyReply {
  if (request.body instanceof URLSearchParams) return reply.redirect(back, 303);
  return reply.code(status).send(facts);
}

export function wantsPage(request: FastifyRequest): boolean {
  return request.body instanceof URLSearchParams || asksForPage(request);
}

export function asksForPage({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}
