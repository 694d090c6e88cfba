// Sends a stored file, whole or a range of its bytes, streamed from disk.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rangeOf, versionOf } from '../../base/byte-range.ts';
import { Crc32c } from '../../base/crc32c.ts';
import { contentTypeOf, extensionOf, unknownType } from '../../contract/api/asset.ts';
import { notFound } from '../base/error-response.ts';
import { transferFaultOf } from '../faults/request-faults.ts';
import type { FileStore } from '../store/file-store.ts';
import { sendError } from './app.ts';

// The hashes of stored files, which storage sends with every download.

interface StoredHashes {
  /** Hexadecimal. */
  readonly md5: string;
  /** Base64. */
  readonly crc32c: string;
}

/** Files whose hashes are remembered. */
const mostRemembered = 10_000;

class HashesOfFiles {
  readonly #known = new Map<string, Promise<StoredHashes>>();

  /** `version` differs between all files that ever had this name. */
  of(file: string, version: string): Promise<StoredHashes> {
    const key = `${version} ${file}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= mostRemembered) this.#known.delete(oldest);
    const read = hashesOf(file);
    this.#known.set(key, read);
    read.catch(() => this.#known.delete(key));
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
  const stored = await versionOf(file);
  if (stored === undefined) return sendError(reply, notFound);
  const { size } = stored;
  const { md5, crc32c } = await hashes.of(file, stored.etag);
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
