// The OpenAPI 3.1 document of the service, made from the schemas that validate its requests.

import { asJson, type Json, type JsonObject } from '../base/json.ts';
import type { Schema } from '../base/schema.ts';
import type { PathForm } from '../contract/api/routes.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';

/** The document of a service at this address, with this form of the paths. */
export function openApiOf(address: string, form: PathForm): JsonObject {
  const schemas = new Map<string, Schema>();
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpointsOf(form)) {
    const path = documentedPath(endpoint.path);
    const item = paths[path] ?? { ...parametersOf(path) };
    item[endpoint.method.toLowerCase()] = operationOf(endpoint, schemas);
    paths[path] = item;
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Media generation service (local)',
      version: '1.0.0-beta',
      description:
        'The interface of the hosted service, as the local service implements it: asynchronous projects, paid in credits.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: address }],
    security: [{ key: [] }],
    tags: ['files', 'video', 'image', 'audio', 'account', 'storage', 'hub'].map((name) => ({
      name,
    })),
    paths: asJson(paths),
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: asJson({ ...Object.fromEntries(schemas), ErrorResponse: errorSchema }),
      responses: asJson(errorResponses),
    },
  };
}

const errorSchema = {
  type: 'object',
  description: 'interface.md, Errors.',
  required: ['message'],
  properties: { message: { type: 'string' } },
} as const;

const errorResponses = Object.fromEntries(
  [
    ['BadRequest', 'Invalid request.'],
    ['Unauthorized', 'Not authenticated. The message is always `Unauthorized`.'],
    ['PaymentRequired', 'Payment required.'],
    ['Forbidden', 'The key or the plan does not permit the request.'],
    ['NotFound', 'Not found. The message is always `Not Found`.'],
    ['Unprocessable', 'The project could not be created.'],
  ].map(([name, description]) => [
    name,
    {
      description,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
    },
  ]),
);

/** `/v1/image-projects/:id` → `/v1/image-projects/{id}`; the rest of a path counts as one parameter. */
const documentedPath = (path: string): string =>
  path.replace(/:(\w+)/g, '{$1}').replace('*', '{file}');

function parametersOf(path: string): { readonly parameters?: Json } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
  };
}

function operationOf(endpoint: Endpoint, schemas: Map<string, Schema>): JsonObject {
  const { method, path, group, summary, alternateOf, request } = endpoint;
  const storage = group === 'storage';
  const operation: Record<string, Json> = {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => (next ?? '').toUpperCase())}`,
    summary,
    tags: [group],
    responses: asJson({ ...successOf(endpoint, schemas), ...errorsOf(endpoint) }),
  };
  if (alternateOf !== undefined)
    operation['description'] = `The same as ${alternateOf}. Deployed clients use this path.`;
  if (storage || group === 'hub') operation['security'] = [];
  if (storage) {
    operation['parameters'] = ['expires', 'signature'].map((name) => ({
      name,
      in: 'query',
      required: true,
      schema: { type: 'string' },
      description: 'Part of the presigned address.',
    }));
  }
  if (request !== undefined)
    operation['requestBody'] = {
      // A change in the hub without required fields needs no body.
      required: group !== 'hub' || request['required'] !== undefined,
      content: { 'application/json': { schema: referenceTo(request, path, 'Request', schemas) } },
    };
  else if (method === 'PUT')
    operation['requestBody'] = { required: true, content: { '*/*': { schema: {} } } };
  return operation;
}

function successOf(
  { method, path, group, response, status = 200 }: Endpoint,
  schemas: Map<string, Schema>,
) {
  if (group === 'storage') {
    const bytes = { description: 'The bytes.', content: { '*/*': { schema: {} } } };
    if (method === 'PUT') return { 200: { description: 'The file is in storage.' } };
    return method === 'HEAD'
      ? { 200: { description: 'Length and type.' } }
      : { 200: bytes, 206: bytes, 416: { description: 'The range is outside the file.' } };
  }
  if (group === 'hub')
    return { [status]: { description: 'Done.', content: { 'application/json': { schema: {} } } } };
  if (response === undefined) return { 204: { description: 'Deleted.' } };
  const schema = referenceTo(response, path, 'Answer', schemas);
  return { 200: { description: 'Done.', content: { 'application/json': { schema } } } };
}

function errorsOf({ method, group, request }: Endpoint): JsonObject {
  const ref = (name: string): JsonObject => ({ $ref: `#/components/responses/${name}` });
  if (group === 'storage') return { 403: ref('Forbidden') };
  if (group === 'hub')
    return { 400: ref('BadRequest'), 403: ref('Forbidden'), 404: ref('NotFound') };
  const common = { 401: ref('Unauthorized'), 403: ref('Forbidden'), 404: ref('NotFound') };
  if (method !== 'POST') return common;
  const paid = { 402: ref('PaymentRequired'), 422: ref('Unprocessable') };
  return {
    400: ref('BadRequest'),
    ...common,
    ...(group === 'files' || request === undefined ? {} : paid),
  };
}

/** Adds a schema to the components, by its title or its path, and returns a reference to it. */
function referenceTo(
  schema: Schema,
  path: string,
  role: string,
  schemas: Map<string, Schema>,
): JsonObject {
  const title = typeof schema['title'] === 'string' ? schema['title'] : `${path} ${role}`;
  const name = title
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (!schemas.has(name)) schemas.set(name, embedded(schema));
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema inside a document has no `$id` and no `$schema`. */
const embedded = ({ $id: _id, $schema: _schema, ...schema }: Schema): Schema => schema;
