// Downloads: from a storage address to a temporary file that is complete and synced, or partial. Sends no bearer
// header, needs constant memory, and after a cut requests only the rest.

import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { Crc32c } from '../base/crc32c.ts';
import { type Digest, digestOfBytes } from '../base/digest.ts';
import { openRegular } from '../base/regular-file.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type { Fetched, LocalFile } from '../core/ports.ts';
import {
  type AnswerHeaders,
  contentRangeOf,
  isOtherVersion,
  lengthOf,
  Part,
  type RunningHash,
  removePart,
  type Standing,
  standing,
  validatorOf,
  writePart,
} from '../files/part.ts';
import { failureOfFile, storageFailure } from './http-failure.ts';
import { wholeBytes } from './put-file.ts';
import { Lost, type Storage, type StorageAnswer } from './storage.ts';

type FetchOutcome = Result<Fetched, ApiFailure>;

const empty: ApiFailure = { reason: 'damaged', message: 'the file is empty' };

export class FileFetcher {
  readonly #storage: Storage;
  /** Of one file. */
  readonly #maxBytes: number;
  /** Saves reading back what this process wrote itself. An entry disappears with its download. */
  readonly #hashes = new WeakMap<LocalFile, RunningHash>();
  /** What came last time under an entity tag that is not its hash. */
  readonly #unlikeTag = new WeakMap<LocalFile, Digest>();

  constructor(storage: Storage, maxBytes: number) {
    this.#storage = storage;
    this.#maxBytes = maxBytes;
  }

  /** Sends one request, or two if the first shows that the part on disk cannot be resumed. */
  async fetch(url: string, into: LocalFile): Promise<FetchOutcome> {
    try {
      const before = await standing(into, this.#hashes.get(into));
      const continued = before === undefined ? undefined : await this.#goOn(url, into, before);
      return continued ?? (await this.#begin(await this.#ask(url, {}), into));
    } catch (error) {
      if (error instanceof Lost) return err(error.failure);
      const failure = failureOfFile(error, 'writing', `a file in ${dirname(into.path)}`);
      if (failure === undefined) throw error;
      return err(failure);
    }
  }

  #ask(url: string, headers: Readonly<Record<string, string>>): Promise<StorageAnswer> {
    const plain = { 'accept-encoding': 'identity', ...headers };
    return this.#storage.send(url, { method: 'GET', headers: plain });
  }

  /** Undefined if the file must be fetched from its beginning. */
  async #goOn(url: string, into: LocalFile, before: Standing): Promise<FetchOutcome | undefined> {
    const { version, running } = before;
    const range = `bytes=${running.bytes}-`;
    const answer = await this.#ask(url, { range, 'if-range': version.validator });
    if (continues(answer, before) && !isCompressed(answer))
      return await this.#fill(await orDrop(answer, Part.goOn(into, before)), answer, into);
    // The content has changed, or the storage does not support ranges: it sent everything.
    if (answer.status === 200) return await this.#begin(answer, into);
    await answer.skip();
    if (answer.status === 206 || answer.status === 416) return undefined;
    return err(storageFailure(answer.status));
  }

  async #begin(answer: StorageAnswer, into: LocalFile): Promise<FetchOutcome> {
    if (answer.status !== 200) {
      await answer.skip();
      return err(storageFailure(answer.status));
    }
    const length = lengthOf(answer.headers);
    const refused = isCompressed(answer) ? compressed : this.#tooLong(length ?? 0);
    if (refused !== undefined) {
      answer.drop();
      return err(refused);
    }
    if (length !== undefined && length <= wholeBytes) return await this.#saveWhole(answer, into);
    const validator = validatorOf(answer.headers);
    const version =
      validator === undefined || length === undefined ? undefined : { validator, total: length };
    return await this.#fill(await orDrop(answer, Part.begin(into, version)), answer, into);
  }

  async #fill(part: Part, answer: StorageAnswer, into: LocalFile): Promise<FetchOutcome> {
    const told = toldHash(answer.headers, answer.status === 200);
    // A file that comes in several answers is read back at its end.
    const check = told === undefined || part.running.bytes > 0 ? undefined : new RunningCheck(told);
    try {
      for await (const piece of answer.pieces()) {
        check?.update(piece);
        const refused = this.#tooLong(part.running.bytes + piece.length);
        if (refused !== undefined) {
          await part.drop();
          return err(refused);
        }
        await part.append(piece);
      }
    } catch (error) {
      await this.#leave(part, into);
      throw error;
    }
    const { bytes } = part.running;
    const length = part.version?.total ?? lengthOf(answer.headers);
    const total = length ?? bytes;
    if (bytes < total) {
      await this.#leave(part, into);
      return err({ reason: 'unanswered', message: `${bytes} of ${total} bytes came` });
    }
    if (bytes === 0 || bytes > total) {
      await part.drop();
      return err(bytes === 0 ? empty : tooMany(bytes, total));
    }
    const { digest } = await part.finish();
    const isRight = told === undefined || (check?.isRight() ?? (await isAsTold(into.path, told)));
    if (!isRight && !this.#isBelieved(told, digest, into)) {
      await removePart(into);
      return err(otherBytes);
    }
    const isUntold = told === undefined && length === undefined;
    return ok({ ...fetched({ bytes, digest }, told, answer), ...(isUntold ? { isUntold } : {}) });
  }

  /** The hash is computed during the sync. */
  async #saveWhole(answer: StorageAnswer, into: LocalFile): Promise<FetchOutcome> {
    const bytes = await answer.whole();
    if (bytes.length === 0) return err(empty);
    const told = toldHash(answer.headers, true);
    const check = told === undefined ? undefined : new RunningCheck(told);
    check?.update(bytes);
    const isRight = check?.isRight() ?? true;
    const digest = isRight ? undefined : digestOfBytes(bytes);
    if (digest !== undefined && !this.#isBelieved(told, digest, into)) return err(otherBytes);
    const written = writePart(into, bytes);
    const known = digest ?? digestOfBytes(bytes);
    await written;
    return ok(fetched({ bytes: bytes.length, digest: known }, told, answer));
  }

  /** If the same bytes come twice, they are what the storage has, and its entity tag is no hash of them. */
  #isBelieved(told: ToldHash | undefined, digest: Digest, into: LocalFile): boolean {
    if (told?.isPromised !== false) return false;
    const before = this.#unlikeTag.get(into);
    this.#unlikeTag.set(into, digest);
    return before === digest;
  }

  #tooLong(bytes: number): ApiFailure | undefined {
    if (bytes <= this.#maxBytes) return undefined;
    const message = `the file is longer than ${this.#maxBytes} bytes, the most that is fetched; it stays at the service`;
    return { reason: 'refused', status: 0, message };
  }

  async #leave(part: Part, into: LocalFile): Promise<void> {
    await part.leave();
    this.#hashes.set(into, part.running);
  }
}

/** The request asked for an uncompressed file; nobody expects a compressed one under that name. */
function isCompressed({ headers }: StorageAnswer): boolean {
  const encodings = [headers['content-encoding'] ?? ''].flat().join(',');
  return /\b(gzip|deflate|br|zstd|compress)\b/i.test(encodings);
}

const compressed: ApiFailure = {
  reason: 'unanswered',
  message: 'the storage sent a compressed file, although the request did not accept one',
};

const otherBytes: ApiFailure = {
  reason: 'damaged',
  message: 'its bytes are not those that the storage says it has',
};

const tooMany = (bytes: number, total: number): ApiFailure => ({
  reason: 'damaged',
  message: `${bytes} bytes came, which is more than the ${total} that there are`,
});

/** True if the answer is the rest of the part on disk, and of the same version. */
function continues({ status, headers }: StorageAnswer, { version, running }: Standing): boolean {
  const range = status === 206 ? contentRangeOf(headers) : undefined;
  return range?.start === running.bytes && range.total === version.total
    ? !isOtherVersion(headers, version)
    : false;
}

const fetched = (
  file: Pick<Fetched, 'bytes' | 'digest'>,
  told: ToldHash | undefined,
  answer: StorageAnswer,
): Fetched => ({
  ...file,
  contentType: contentTypeOf(answer),
  isVerified: told?.isPromised === true,
});

/** Frees the connection of an answer that cannot be read because there is no file to write it to. */
async function orDrop<T>(answer: StorageAnswer, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    answer.drop();
    throw error;
  }
}

function contentTypeOf({ headers }: StorageAnswer): string {
  const type = headers['content-type'];
  return typeof type === 'string' ? type : '';
}

// The hash of a whole file, as its storage tells it in the headers of an answer, and the check of the bytes that came.

interface ToldHash {
  readonly algorithm: 'md5' | 'crc32c';
  /** Base64. */
  readonly value: string;
  /**
   * False for an entity tag: that it is the MD5 of the file is a custom of storages, and a tag that looks like one may
   * be something else.
   */
  readonly isPromised: boolean;
}

/**
 * Undefined if the storage tells none. `isWhole`: the answer is the whole file. With a range, `Content-MD5` is the hash
 * of the range; the other headers still describe the whole file.
 */
function toldHash(headers: AnswerHeaders, isWhole: boolean): ToldHash | undefined {
  const content = isWhole ? text(headers['content-md5']) : '';
  if (isMd5.test(content)) return { algorithm: 'md5', value: content, isPromised: true };
  // What is stored may be compressed, and its hashes are those of the compressed bytes.
  if (!/^(identity)?$/.test(text(headers['x-goog-stored-content-encoding']))) return undefined;
  const named = text(headers['x-goog-hash']);
  const md5 = /\bmd5=([A-Za-z0-9+/]{22}==)/.exec(named)?.[1];
  if (md5 !== undefined) return { algorithm: 'md5', value: md5, isPromised: true };
  const crc32c = /\bcrc32c=([A-Za-z0-9+/]{6}==)/.exec(named)?.[1];
  if (crc32c !== undefined) return { algorithm: 'crc32c', value: crc32c, isPromised: true };
  const tag = /^"([0-9a-f]{32})"$/i.exec(text(headers['etag']))?.[1];
  if (tag === undefined || isEncrypted(headers)) return undefined;
  return {
    algorithm: 'md5',
    value: Buffer.from(tag, 'hex').toString('base64'),
    isPromised: false,
  };
}

const isMd5 = /^[A-Za-z0-9+/]{22}==$/;

/** A header may come several times. */
const text = (header: string | string[] | undefined): string => [header ?? ''].flat().join(',');

/** The entity tags of files that are encrypted with a key of their own look like MD5 hashes and are none. */
const isEncrypted = (headers: AnswerHeaders): boolean =>
  /kms/i.test(text(headers['x-amz-server-side-encryption'])) ||
  headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined;

/** Follows the bytes of a file from its first one. */
class RunningCheck {
  readonly told: ToldHash;
  readonly #hash: { update(bytes: Uint8Array): unknown; digest(): Buffer };

  constructor(told: ToldHash) {
    this.told = told;
    this.#hash = told.algorithm === 'md5' ? createHash('md5') : new Crc32c();
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Call once, after the last byte. */
  isRight(): boolean {
    return this.#hash.digest().toString('base64') === this.told.value;
  }
}

/** Reads a file that came in several answers. Throws system errors. */
async function isAsTold(path: string, told: ToldHash): Promise<boolean> {
  const check = new RunningCheck(told);
  await using file = await openRegular(path);
  for await (const piece of file.createReadStream({ autoClose: false })) check.update(piece);
  return check.isRight();
}
