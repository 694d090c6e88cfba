// Downloads: by presigned addresses, without a key.
import type { FastifyInstance } from 'fastify';
import type { SignedQuery } from '../../store/addresses.ts';
import { sendError } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';
import { sendFile } from '../send-file.ts';

type Signed = { Params: { '*': string }; Querystring: SignedQuery };

export function downloadRoutes(
  server: FastifyInstance,
  { storage, addresses }: Dependencies,
): void {
  server.route<Signed>({
    method: ['GET', 'HEAD'],
    url: '/downloads/*',
    handler: (request, reply) => {
      const key = request.params['*'];
      const standing = addresses.standing('downloads', key, request.query);
      if (standing === 'valid') return sendFile(request, reply, key, storage);
      const why = standing === 'expired' ? 'has expired' : 'is not valid';
      return sendError(reply, { status: 403, message: `This download address ${why}.` });
    },
  });
}
