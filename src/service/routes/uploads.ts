// Uploads: addresses are given out under /v1, the bytes come to those addresses without a key
// (facts.md, Uploads). A file is streamed to disk, so its size costs no memory.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { mediaTypeOf } from '../../api/asset.ts';
import { routes } from '../../api/routes.ts';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import { ok, type Result } from '../../base/result.ts';
import type { SignedQuery } from '../addresses.ts';
import { answer } from '../app.ts';
import type { Parts } from '../parts.ts';
import { bodyOf, type Refusal, refuse } from '../refusal.ts';

const uploadRequest = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'extension'],
        properties: {
          type: { type: 'string', enum: ['image', 'video', 'audio'] },
          extension: { type: 'string', pattern: '^[a-z0-9]+$' },
        },
      },
    },
  },
} as const;

type Signed = { Params: { '*': string }; Querystring: SignedQuery };

export function uploadRoutes(server: FastifyInstance, parts: Parts): void {
  const { database, assets, storage, addresses, clock } = parts;
  const { path, alternate } = routes.uploadAddresses();

  for (const url of [path, alternate ?? path])
    server.post(url, (request, reply) => {
      const wanted = extensionsIn(request.body);
      if (!wanted.ok) return answer(reply, wanted.error);
      const items = wanted.value.map((extension) => {
        const key = storage.newAssetKey(extension);
        const address = addresses.issue('uploads', key);
        return { upload_url: address.url, file_path: key, expires_at: address.expires_at };
      });
      return reply.send({ items });
    });

  server.register(async (raw) => {
    // Left as the stream that it is.
    raw.removeAllContentTypeParsers();
    raw.addContentTypeParser('*', (_request, _stream, done) => done(null));
    raw.put<Signed>(
      '/uploads/*',
      { bodyLimit: Number.MAX_SAFE_INTEGER },
      async (request, reply) => {
        const key = request.params['*'];
        const standing = addresses.standing('uploads', key, request.query);
        if (standing !== 'valid') {
          const why = standing === 'expired' ? 'has expired' : 'is not valid';
          return answer(reply, { status: 403, message: `This upload address ${why}.` });
        }
        const bytes = await storage.receive(key, Readable.from(request.raw, { objectMode: false }));
        await database.write(() => assets.add(key, bytes, clock.now()));
        return reply.code(200).send();
      },
    );
  });
}

/** The extension of each file to come, or why one is not taken. */
function extensionsIn(sent: unknown): Result<readonly string[], Refusal> {
  const body = bodyOf(uploadRequest, sent);
  if (!body.ok) return body;
  const extensions: string[] = [];
  for (const [index, item] of listOf(body.value['items']).entries()) {
    const { type, extension } = item;
    if (typeof type !== 'string' || typeof extension !== 'string') continue;
    if (!takes(type, extension))
      return refuse(
        `Invalid request: items.${index}.extension "${extension}" is not taken for type ${type}.`,
      );
    extensions.push(extension);
  }
  return ok(extensions);
}

/** facts.md, Uploads: webm may be a video or only sound. */
function takes(type: string, extension: string): boolean {
  return mediaTypeOf(extension) === type || (type === 'audio' && extension === 'webm');
}

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
