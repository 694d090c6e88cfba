// Files: a path below /v1 issues upload addresses (facts.md, Uploads), and the bytes travel by presigned addresses, without a
// key. Files are streamed to and from disk, so large files need no memory.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { rangeOf, versionOf } from '../../base/byte-range.ts';
import { Crc32c } from '../../base/crc32c.ts';
import { isObject } from '../../base/json.ts';
import { contentTypeOf, extensionOf, mediaTypeOf, unknownType } from '../../contract/api/asset.ts';
import { type PathForm, pathsOf, routes } from '../../contract/api/routes.ts';
import { allowances } from '../../contract/api/tier.ts';
import { uploadRequest } from '../endpoints.ts';
import { orNotFound, RequestError, validBody } from '../errors.ts';
import { firedOf } from '../faults/faults.ts';
import { transferFaultOf } from '../faults/request-faults.ts';
import { type FileStore, TooLarge } from '../store/file-store.ts';
import type { AddressPurpose, SignedQuery } from '../store/presigned-addresses.ts';
import { callerAccount, type RouteDependencies, sendError } from './app.ts';

/** `/uploads/*` and `/downloads/*`: the key of a file, and the query that makes an address presigned. */
interface Presigned {
  Params: { readonly '*': string };
  Querystring: SignedQuery;
}

export function fileRoutes(
  server: FastifyInstance,
  dependencies: RouteDependencies,
  form: PathForm,
): void {
  const { accounts, database, assets, fileStore, addresses, clock } = dependencies;

  /** The key of the file that a presigned address names. */
  function signedKey(
    purpose: AddressPurpose,
    { params: { '*': key }, query }: FastifyRequest<Presigned>,
  ): string {
    const state = addresses.state(purpose, key, query);
    if (state === 'valid') return key;
    const what = purpose === 'uploads' ? 'upload' : 'download';
    const why = state === 'expired' ? 'has expired' : 'is not valid';
    throw new RequestError(403, `This ${what} address ${why}.`);
  }

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
        const key = signedKey('uploads', request);
        const account = accounts.find(request.query.account ?? '');
        if (account === undefined) throw new Error('bug: an upload address names no account');
        const { id, tier } = account;
        const maxBytes = allowances[tier].uploadBytes;
        const header = request.headers['content-length'];
        const length = header === undefined ? undefined : Number(header);
        const through = transferFaultOf(request, length);
        const sent = Readable.from(request.raw, { objectMode: false });
        try {
          if ((length ?? 0) > maxBytes) throw new TooLarge();
          const bytes = await fileStore.receive(key, sent, maxBytes, through);
          if (firedOf(request.faults ?? [], 'lost-upload') === undefined)
            await database.write(() => assets.add(key, id, bytes, clock.now()));
          await assets.sweepNowAndThen();
        } catch (error) {
          if (!(error instanceof TooLarge)) throw error;
          // Not thrown: the server answers a thrown 413 as an invalid request.
          return sendError(
            reply.header('connection', 'close'),
            413,
            `The file is too large: the ${tier} plan takes up to ${maxBytes / 1_000_000} MB.`,
          );
        }
        return reply.code(200).send();
      },
    );
  });

  server.route<Presigned>({
    method: ['GET', 'HEAD'],
    url: '/downloads/*',
    handler: (request, reply) =>
      sendFile(request, reply, signedKey('downloads', request), fileStore),
  });
}

/** The extension of each file. */
function extensionsIn(sent: unknown): readonly string[] {
  const body = validBody(uploadRequest, sent);
  const items = Array.isArray(body['items']) ? body['items'].filter(isObject) : [];
  return items.map(({ type, extension }, index) => {
    if (takes(String(type), String(extension))) return String(extension);
    throw new RequestError(
      422,
      `items.${index}.extension "${extension}" is not accepted for the type ${type}.`,
    );
  });
}

/** A webm file is a video or a sound (facts.md, Uploads). */
function takes(type: string, extension: string): boolean {
  return mediaTypeOf(extension) === type || (type === 'audio' && extension === 'webm');
}

// The hashes of stored files, which storage sends with every download.

interface StoredHashes {
  /** Hexadecimal. */
  readonly md5: string;
  /** Base64. */
  readonly crc32c: string;
}

/** Files whose hashes are remembered. */
const maxRemembered = 10_000;

class HashesOfFiles {
  readonly #hashes = new Map<string, Promise<StoredHashes>>();

  /** `version` differs between all files that ever had this name. */
  of(file: string, version: string): Promise<StoredHashes> {
    const key = `${version} ${file}`;
    const known = this.#hashes.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#hashes.keys();
    if (oldest !== undefined && this.#hashes.size >= maxRemembered) this.#hashes.delete(oldest);
    const read = hashesOf(file);
    this.#hashes.set(key, read);
    read.catch(() => this.#hashes.delete(key));
    return read;
  }
}

async function hashesOf(file: string): Promise<StoredHashes> {
  const md5 = createHash('md5');
  const crc32c = new Crc32c();
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18 })) {
    md5.update(chunk);
    crc32c.update(chunk);
  }
  return { md5: md5.digest('hex'), crc32c: crc32c.digest().toString('base64') };
}

const hashes = new HashesOfFiles();

/** Sends a stored file, or the range that the request asks for. The key must come from this service. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  fileStore: FileStore,
): Promise<FastifyReply> {
  const file = fileStore.fileOf(key);
  const { size, etag: version } = orNotFound(await versionOf(file));
  const { md5, crc32c } = await hashes.of(file, version);
  // As hosted storage: the tag is the hash, so it is the same for the same bytes.
  const etag = `"${md5}"`;
  // Users upload any content: a browser must not run anything in it, or guess its type.
  reply.header('x-content-type-options', 'nosniff');
  reply.header('content-security-policy', "default-src 'none'; sandbox");

  // Ranges are for GET only (RFC 9110, 14.2).
  const range = request.method === 'GET' ? request.headers.range : undefined;
  const part = rangeOf(range, request.headers['if-range'], { size, etag });
  const base64 = Buffer.from(md5, 'hex').toString('base64');
  reply.header('accept-ranges', 'bytes').header('etag', etag);
  reply.header('x-goog-hash', `crc32c=${crc32c},md5=${base64}`);
  if (part === 'unsatisfiable')
    return reply
      .code(416)
      .header('content-range', `bytes */${size}`)
      .send({
        message: `The range ${request.headers.range} is outside the file of ${size} bytes.`,
      });
  const type = contentTypeOf(extensionOf(key));
  reply.type(type);
  if (type === unknownType) reply.header('content-disposition', 'attachment');
  const { start, end } = part ?? { start: 0, end: size - 1 };
  reply.header('content-length', end - start + 1);
  if (part !== undefined) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`);
  // An empty file has no bytes to stream.
  if (request.method === 'HEAD' || size === 0) return reply.send();
  const content = createReadStream(file, { start, end });
  const transferFault = transferFaultOf(request, end - start + 1);
  if (transferFault === undefined) return reply.send(content);
  // If one stream ends early, the other ends too; fastify reports the error of the last one.
  return reply.send(pipeline(content, transferFault, () => {}));
}
