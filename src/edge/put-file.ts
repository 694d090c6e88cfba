// Uploads: a file to the presigned address that the service gave for it. No bearer header, constant memory.
import { createHash, type Hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type Agent, request } from 'undici';
import type { ApiFailure } from '../api/failure.ts';
import { digestFrom, digestOfBytes } from '../base/digest.ts';
import { err, ok } from '../base/result.ts';
import type { LocalFile, MediaApi } from '../run/ports.ts';
import { failureOfTransfer, storageFailure } from './http-failure.ts';

/** Files up to this size, in bytes, are moved in one piece; larger ones stream, so memory stays the same. */
export const wholeBytes = 1 << 20;

export async function putFile(
  agent: Agent,
  url: string,
  { path }: LocalFile,
): ReturnType<MediaApi['put']> {
  if (!/^https?:\/\//.test(url))
    return err({ reason: 'refused', status: 0, message: 'the upload address is not http(s)' });
  try {
    const small = readSmall(path);
    if (small !== undefined) {
      const sent = await putBody(agent, url, small, small.length);
      return sent === undefined ? ok(digestOfBytes(small)) : err(sent);
    }
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const hash = createHash('sha256');
    const body = Readable.from(chunks(file, hash), { objectMode: false });
    const sent = await putBody(agent, url, body, size);
    return sent === undefined ? ok(digestFrom(hash.digest('hex'))) : err(sent);
  } catch (error) {
    return err(failureOfTransfer(error, 'reading', 'the file'));
  }
}

/** A file of at most `wholeBytes` in one piece; undefined: it is larger, and streams. */
function readSmall(path: string): Buffer | undefined {
  return statSync(path).size <= wholeBytes ? readFileSync(path) : undefined;
}

/** Undefined: it was taken. */
async function putBody(
  agent: Agent,
  url: string,
  body: Buffer | Readable,
  bytes: number,
): Promise<ApiFailure | undefined> {
  const headers = { 'content-length': String(bytes) };
  const response = await request(url, { method: 'PUT', dispatcher: agent, headers, body });
  await response.body.dump();
  const taken = response.statusCode >= 200 && response.statusCode < 300;
  return taken ? undefined : storageFailure(response.statusCode);
}

async function* chunks(file: FileHandle, hash: Hash): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(1 << 18) });
    if (bytesRead === 0) return;
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    yield chunk;
  }
}
