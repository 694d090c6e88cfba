// GET /openapi.json: what this service serves, as an OpenAPI document.
import type { FastifyInstance } from 'fastify';
import { openApiOf } from '../openapi.ts';

export function openApiRoute(server: FastifyInstance, address: () => string): void {
  server.get('/openapi.json', (_request, reply) => reply.send(openApiOf(address())));
}
