// Sends a file of a live page, whole or a range of it, as a video player asks for it.
import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { contentTypeOf, extensionOf, unknownType } from '../../../contract/api/asset.ts';
import { type FileVersion, rangeOf, versionOf } from '../../../contract/files/byte-range.ts';
import { isSystemProblem } from '../../../contract/files/system-error.ts';

/** False if there is no such file; then nothing was sent. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: string,
): Promise<boolean> {
  const version = await versionNow(file);
  if (version === undefined) return false;
  const { size, etag } = version;
  const { range, 'if-range': ifRange } = request.headers;
  const part = request.method === 'GET' ? rangeOf(range, ifRange, version) : undefined;
  response.setHeader('accept-ranges', 'bytes').setHeader('etag', etag);
  if (part === 'unsatisfiable') {
    response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
    return true;
  }
  const type = contentTypeOf(extensionOf(file));
  const { start, end } = part ?? { start: 0, end: size - 1 };
  response.writeHead(part === undefined ? 200 : 206, {
    'content-type': type,
    'content-length': end - start + 1,
    'cache-control': 'private, no-cache',
    ...(part === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    ...(type === unknownType ? { 'content-disposition': 'attachment' } : {}),
  });
  // An empty file has no bytes to stream.
  if (request.method === 'HEAD' || size === 0) response.end();
  else await pipeline(createReadStream(file, { start, end }), response).catch(noteNothing);
  return true;
}

async function versionNow(file: string): Promise<FileVersion | undefined> {
  try {
    return await versionOf(file);
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}

/** A player that has seen enough disconnects; a file that becomes shorter ends the answer early, which the page notices. */
const noteNothing = (): void => undefined;
