// GET /openapi.json: the OpenAPI document of this service.
import type { FastifyInstance } from 'fastify';
import type { PathForm } from '../../../contract/api/routes.ts';
import { openApiOf } from '../../endpoints/openapi.ts';

export function openApiRoute(server: FastifyInstance, address: () => string, form: PathForm): void {
  server.get('/openapi.json', (_request, reply) => reply.send(openApiOf(address(), form)));
}
