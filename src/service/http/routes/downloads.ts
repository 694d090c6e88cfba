// Downloads by presigned addresses, without a key.
import type { FastifyInstance } from 'fastify';
import { sendError } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Presigned } from '../route-types.ts';
import { sendFile } from '../send-file.ts';

export function downloadRoutes(
  server: FastifyInstance,
  { fileStore, addresses }: Dependencies,
): void {
  server.route<Presigned>({
    method: ['GET', 'HEAD'],
    url: '/downloads/*',
    handler: (request, reply) => {
      const key = request.params['*'];
      const state = addresses.state('downloads', key, request.query);
      if (state === 'valid') return sendFile(request, reply, key, fileStore);
      const why = state === 'expired' ? 'has expired' : 'is not valid';
      return sendError(reply, { status: 403, message: `This download address ${why}.` });
    },
  });
}
