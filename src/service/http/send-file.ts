// Sends a stored file, whole or a range of its bytes, streamed from disk. Not by @fastify/send: its entity tags are weak,
// and it accepts any later date in If-Range, so that a resumed download could join two versions of a file.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentTypeOf, extensionOf, unknownType } from '../../contract/api/asset.ts';
import { notFound } from '../base/error-response.ts';
import { transferFaultOf } from '../faults/transfer-faults.ts';
import type { FileStore } from '../store/file-store.ts';
import { sendError } from './app.ts';

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
  const { size, etag } = stored;
  // Users upload any content: a browser must not run anything in it, or guess its type.
  reply.header('x-content-type-options', 'nosniff');
  reply.header('content-security-policy', "default-src 'none'; sandbox");

  // Ranges are for GET only (RFC 9110, 14.2).
  const range = request.method === 'GET' ? request.headers.range : undefined;
  const part = rangeOf(range, request.headers['if-range'], stored);
  reply.header('accept-ranges', 'bytes').header('etag', etag);
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
  const transfer = { length: end - start + 1, socket: request.raw.socket };
  const transferFault = transferFaultOf(request.faults ?? [], transfer);
  if (transferFault === undefined) return reply.send(content);
  // If one stream ends early, the other ends too; fastify reports the error of the last one.
  return reply.send(pipeline(content, transferFault, () => {}));
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The range that a request asks for; undefined for the whole file, also for several ranges, or if If-Range names another
 * version of the file (RFC 9110, 14.2).
 */
function rangeOf(
  range: string | undefined,
  ifRange: string | string[] | undefined,
  { size, etag }: FileVersion,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  if ((ifRange !== undefined && ifRange !== etag) || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}

interface FileVersion {
  /** Bytes. */
  readonly size: number;
  /** Differs between all files that ever had this name: files are written whole and renamed. */
  readonly etag: string;
}

async function versionOf(file: string): Promise<FileVersion | undefined> {
  try {
    const found = await stat(file, { bigint: true });
    const { size, ino, mtimeNs } = found;
    const etag = `"${[size, ino, mtimeNs].map((number) => number.toString(36)).join('-')}"`;
    return found.isFile() ? { size: Number(size), etag } : undefined;
  } catch (error) {
    // The file was removed with its project; any other error is the service's own.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
