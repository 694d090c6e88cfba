// Files on their way into and out of a store: each stream is checked against the hash that names it, in constant memory.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Digest } from '../base/digest.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import type { LocalFile, StoreFailure } from '../core/ports.ts';
import { chunksOf, createPart, removePart } from '../files/part.ts';

/** Ends a transfer for a reason that the store is told. */
export class Broken extends Error {
  readonly code = 'BROKEN';
  readonly failure: StoreFailure;
  constructor(failure: StoreFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The failure behind an error. Rethrows bugs. */
export function failureOf(error: unknown, what: string): StoreFailure {
  if (error instanceof Broken) return error.failure;
  if (!isSystemProblem(error)) throw error;
  return { reason: 'local', message: `${what} ${systemReason(error)}` };
}

const changed = ({ path }: LocalFile): Broken =>
  new Broken({ reason: 'damaged', message: `${path} changed while it was being stored` });

/** The content of a file. Throws Broken before the last piece if the content is not what the hash names. */
export async function* verifiedPieces(
  from: LocalFile,
  digest: Digest,
  bytes: number,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  await using file = await opened(from);
  let held: Buffer | undefined;
  let read = 0;
  for await (const piece of chunksOf(file)) {
    hash.update(piece);
    read += piece.length;
    if (read > bytes) throw changed(from);
    if (held !== undefined) yield held;
    held = piece;
  }
  if (read !== bytes || hash.digest('hex') !== digest) throw changed(from);
  if (held !== undefined) yield held;
}

/** A file that cannot be read is a problem with this file, not with the store. */
async function opened(from: LocalFile): Promise<FileHandle> {
  try {
    return await open(from.path, 'r');
  } catch (error) {
    throw new Broken(failureOf(error, from.path));
  }
}

/** Writes what a store sends into a temporary file, syncs it, and verifies the hash. After a failure, nothing is left. */
export async function receive(
  pieces: AsyncIterable<Buffer>,
  {
    digest,
    bytes,
    store,
  }: { readonly digest: Digest; readonly bytes: number; readonly store: string },
  into: LocalFile,
): Promise<Result<void, StoreFailure>> {
  const hash = createHash('sha256');
  let received = 0;
  try {
    await using file = await createPart(into);
    for await (const piece of pieces) {
      received += piece.length;
      if (received > bytes) break;
      hash.update(piece);
      await file.writeFile(piece);
    }
    if (received === bytes && hash.digest('hex') === digest) {
      await file.datasync();
      return ok(undefined);
    }
  } catch (error) {
    await removePart(into);
    return err(failureOf(error, `a file in ${dirname(into.path)}`));
  }
  await removePart(into);
  if (received < bytes) {
    const message = `${store} sent ${received} of ${bytes} bytes`;
    return err({ reason: 'unavailable', message });
  }
  const message = `${store} sent other bytes than those with the hash ${digest}`;
  return err({ reason: 'damaged', message });
}
