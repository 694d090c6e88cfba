// Uploads a file to the presigned address that the service issued for it. Sends no bearer header, and needs constant
// memory.
import { createHash, type Hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { digestFrom, digestOfBytes } from '../base/digest.ts';
import { err, ok } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { LocalFile, MediaApi } from '../core/ports.ts';
import { failureOfFile, storageFailure } from './http-failure.ts';
import { Lost, type Storage } from './storage.ts';

/** Files up to this size, in bytes, are sent in one piece. Larger files are streamed, so that memory stays constant. */
export const wholeBytes = 1 << 20;

export async function putFile(
  storage: Storage,
  url: string,
  { path }: LocalFile,
): ReturnType<MediaApi['put']> {
  const reading: { failed?: unknown } = {};
  try {
    const small = readSmall(path);
    if (small !== undefined) {
      const sent = await putBody(storage, url, small, small.length);
      return sent === undefined ? ok(digestOfBytes(small)) : err(sent);
    }
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const hash = createHash('sha256');
    const sent = await putBody(storage, url, chunks(file, hash, reading), size);
    return sent === undefined ? ok(digestFrom(hash.digest('hex'))) : err(sent);
  } catch (error) {
    // The file became unreadable, which ended the request.
    const cause = reading.failed ?? error;
    if (cause instanceof Lost) return err(cause.failure);
    const failure = failureOfFile(cause, 'reading', 'the file');
    if (failure === undefined) throw cause;
    return err(failure);
  }
}

/** A file of at most `wholeBytes`; undefined if the file is larger and must be streamed. */
function readSmall(path: string): Buffer | undefined {
  return statSync(path).size <= wholeBytes ? readFileSync(path) : undefined;
}

/** Undefined if the upload was accepted. */
async function putBody(
  storage: Storage,
  url: string,
  body: Buffer | AsyncIterable<Buffer>,
  bytes: number,
): Promise<ApiFailure | undefined> {
  const headers = { 'content-length': String(bytes) };
  const answer = await storage.send(url, { method: 'PUT', headers, body });
  await answer.skip();
  return answer.status < 300 ? undefined : storageFailure(answer.status);
}

/** Sets `reading.failed` if the file cannot be read to its end. */
async function* chunks(
  file: FileHandle,
  hash: Hash,
  reading: { failed?: unknown },
): AsyncGenerator<Buffer> {
  for (;;) {
    let read: Awaited<ReturnType<typeof readChunk>>;
    try {
      read = await readChunk(file);
    } catch (error) {
      reading.failed = error;
      throw error;
    }
    if (read.bytesRead === 0) return;
    const chunk = read.buffer.subarray(0, read.bytesRead);
    hash.update(chunk);
    yield chunk;
  }
}

const readChunk = (file: FileHandle) => file.read({ buffer: Buffer.allocUnsafe(1 << 18) });
