// Uploads: a path below /v1 issues addresses, and the bytes are sent to those addresses without a key (facts.md, Uploads).
// Files are streamed to disk, so large files need no memory.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { isObject } from '../../../base/json.ts';
import { mediaTypeOf } from '../../../contract/api/asset.ts';
import { type PathForm, pathsOf, routes } from '../../../contract/api/routes.ts';
import { allowances } from '../../../contract/api/tier.ts';
import { orError, RequestError } from '../../base/error-response.ts';
import { validBody } from '../../base/request-body.ts';
import { uploadRequest } from '../../endpoints/requests.ts';
import { firedOf } from '../../faults/faults.ts';
import { transferFaultOf } from '../../faults/request-faults.ts';
import { TooLarge } from '../../store/file-store.ts';
import { callerAccount, sendError } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Presigned } from '../route-types.ts';

export function uploadRoutes(
  server: FastifyInstance,
  dependencies: Dependencies,
  form: PathForm,
): void {
  const { accounts, database, assets, fileStore, addresses, clock } = dependencies;

  for (const url of pathsOf(routes.uploadAddresses(), form))
    server.post(url, { config: { permission: 'upload' } }, (request, reply) => {
      const items = extensionsIn(request.body).map((extension) => {
        const key = fileStore.newAssetKey(extension);
        const address = addresses.issue('uploads', key, callerAccount(request));
        return { upload_url: address.url, file_path: key, expires_at: address.expires_at };
      });
      return reply.send({ items });
    });

  server.register(async (raw) => {
    // No parser: the handler reads the stream.
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, _stream, done) => done(null));
    raw.put<Presigned>(
      '/uploads/*',
      { bodyLimit: Number.MAX_SAFE_INTEGER, config: { longBody: true } },
      async (request, reply) => {
        const key = request.params['*'];
        const state = addresses.state('uploads', key, request.query);
        if (state !== 'valid') {
          const why = state === 'expired' ? 'has expired' : 'is not valid';
          return sendError(reply, { status: 403, message: `This upload address ${why}.` });
        }
        const account = accounts.find(request.query.account ?? '');
        if (account === undefined) throw new Error('bug: an upload address names no account');
        const { tier } = account;
        const most = allowances[tier].uploadBytes;
        const length = lengthOf(request.headers['content-length']);
        const through = transferFaultOf(request, length);
        const sent = Readable.from(request.raw, { objectMode: false });
        try {
          if ((length ?? 0) > most) throw new TooLarge();
          const bytes = await fileStore.receive(key, sent, { most, through });
          if (firedOf(request.faults ?? [], 'lost-upload') === undefined)
            await database.write(() => assets.add(key, account.id, bytes, clock.now()));
          await assets.sweepNowAndThen();
        } catch (error) {
          if (!(error instanceof TooLarge)) throw error;
          const message = `The file is too large: the ${tier} plan takes up to ${most / 1_000_000} MB.`;
          return sendError(reply.header('connection', 'close'), { status: 413, message });
        }
        return reply.code(200).send();
      },
    );
  });
}

/** The length of the body in bytes, if the client sends it. */
function lengthOf(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}

/** The extension of each file. */
function extensionsIn(sent: unknown): readonly string[] {
  const body = orError(validBody(uploadRequest, sent));
  const items = Array.isArray(body['items']) ? body['items'].filter(isObject) : [];
  return items.map(({ type, extension }, index) => {
    if (takes(String(type), String(extension))) return String(extension);
    const message = `items.${index}.extension "${extension}" is not accepted for the type ${type}.`;
    throw new RequestError({ status: 422, message });
  });
}

/** A webm file is a video or a sound (facts.md, Uploads). */
function takes(type: string, extension: string): boolean {
  return mediaTypeOf(extension) === type || (type === 'audio' && extension === 'webm');
}
