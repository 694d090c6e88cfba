// A partial download, and a note beside it from which a later request can resume. The note (`….part.json`) is written
// after the bytes are on disk, so a crash can lose bytes but can never make them wrong.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fdatasync, lstatSync, writeSync } from 'node:fs';
import { type FileHandle, unlink } from 'node:fs/promises';
import { type Digest, digestFrom } from '../base/digest.ts';
import { valueIn } from '../base/json.ts';
import { openRegular, readOwnFile } from '../base/regular-file.ts';
import { validatorOf as schemaValidator } from '../base/schema.ts';
import { isSystemProblem, systemCode } from '../base/system-error.ts';
import type { LocalFile } from '../core/ports.ts';
import { createNew, createNewDescriptor, openOwn } from './new-file.ts';

// Reads the headers of an answer that describe its bytes: the range, the total, and the validator by which a later
// request can check that the content has not changed (RFC 9110, 13.1.5 and 14.4).

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A version of a content: its validator, and its total length in bytes. */
interface Version {
  /** For If-Range. */
  readonly validator: string;
  readonly total: number;
}

/** What `If-Range` may contain: a strong entity tag or a date, and nothing that would break a header. */
const validatorPattern = '^("[\\x21\\x23-\\x7e]*"|[A-Z][a-z]{2}, [0-9A-Za-z: ]+ GMT)$';
const isValidator = new RegExp(validatorPattern);

/** Undefined if the answer has no strong validator. Then the rest of the content cannot be requested safely. */
export function validatorOf(headers: AnswerHeaders): string | undefined {
  const etag = headers['etag'];
  if (typeof etag === 'string' && isValidator.test(etag)) return etag;
  const modified = headers['last-modified'];
  if (typeof modified !== 'string' || !isValidator.test(modified)) return undefined;
  // The content could have been written twice within the same second.
  const age = Date.parse(String(headers['date'])) - Date.parse(modified);
  return age >= 1000 ? modified : undefined;
}

/** True if the answer names another version than this one. An answer without a validator is believed. */
export function isOtherVersion(headers: AnswerHeaders, { validator }: Version): boolean {
  const name = validator.startsWith('"') ? 'etag' : 'last-modified';
  const named = headers[name];
  return named !== undefined && named !== validator;
}

/** The length of the body in bytes, from the headers; undefined if they do not give it. */
export function lengthOf(headers: AnswerHeaders): number | undefined {
  const length = headers['content-length'];
  return typeof length === 'string' && /^\d+$/.test(length) ? Number(length) : undefined;
}

interface ContentRange {
  readonly start: number;
  /** The last byte, inclusive. */
  readonly end: number;
  readonly total: number;
}

/** Undefined if the header is missing or invalid, or does not give the total. */
export function contentRangeOf(headers: AnswerHeaders): ContentRange | undefined {
  const [, start, end, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? [];
  if (start === undefined || end === undefined || total === undefined) return undefined;
  const range = { start: Number(start), end: Number(end), total: Number(total) };
  return range.start <= range.end && range.end < range.total ? range : undefined;
}

/** After this many bytes, the part is synced and noted: a crash loses no more than that. */
const checkpointBytes = 64 << 20;

interface Note extends Version {
  /** The number of bytes of the part that are on disk. */
  readonly bytes: number;
  /** The hash of those bytes, because somebody else could have written to the part since. */
  readonly sha256: string;
}

const noteSchema = {
  type: 'object',
  required: ['validator', 'total', 'bytes', 'sha256'],
  properties: {
    validator: { type: 'string', pattern: validatorPattern },
    total: { type: 'integer', minimum: 1 },
    bytes: { type: 'integer', minimum: 1 },
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
} as const;

const maxNoteBytes = 64_000;

const noteOf = ({ path }: LocalFile): string => `${path}.json`;

/** Creates an empty temporary file. Replaces the file that an earlier run left under this name. */
export async function createPart(file: LocalFile): Promise<FileHandle> {
  await removeNoted(file);
  return await createNew(file.path);
}

/**
 * Writes a small temporary file. When this resolves, the file is on disk. The thread pool creates and syncs it: both may
 * wait for the disk, creation while the file system commits what other files synced.
 */
export async function writePart(file: LocalFile, bytes: Buffer): Promise<void> {
  await removeNoted(file);
  const descriptor = await createNewDescriptor(file.path);
  try {
    for (let written = 0; written < bytes.length; )
      written += writeSync(descriptor, bytes, written);
    await datasync(descriptor);
  } catch (error) {
    await removePart(file);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

const datasync = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });

/** Removes a part with a note. The note goes first: it must never be beside bytes that it does not describe. */
async function removeNoted(file: LocalFile): Promise<void> {
  if (stands(noteOf(file))) await removePart(file);
}

/** A link counts as a file, wherever it leads. */
const stands = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

export async function removePart(file: LocalFile): Promise<void> {
  await removeFile(noteOf(file));
  await removeFile(file.path);
}

/** Throws system errors, also for a folder. A missing file is not an error. */
async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** The bytes of an open file from where it is. */
export async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(1 << 18) });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A hash of the first bytes of a part. */
export interface RunningHash {
  readonly bytes: number;
  readonly hash: Hash;
}

export class Part {
  /** Undefined if the download cannot be resumed after a cut. */
  readonly version: Version | undefined;
  readonly #place: LocalFile;
  readonly #file: FileHandle;
  readonly #hash: Hash;
  #bytes: number;
  /** The number of bytes that the note vouches for. */
  #noted: number;
  readonly #writes: BatchedWrites;

  private constructor(
    place: LocalFile,
    file: FileHandle,
    version: Version | undefined,
    { bytes, hash }: RunningHash,
  ) {
    this.#place = place;
    this.#file = file;
    this.#writes = new BatchedWrites(file);
    this.version = version;
    this.#hash = hash;
    this.#bytes = bytes;
    this.#noted = bytes;
  }

  /** Starts from the first byte, and discards an earlier part. */
  static async begin(place: LocalFile, version: Version | undefined): Promise<Part> {
    const file = await createPart(place);
    return new Part(place, file, version, { bytes: 0, hash: createHash('sha256') });
  }

  /** Resumes after the bytes that `standing` found. */
  static async goOn(place: LocalFile, { version, running }: Standing): Promise<Part> {
    const file = await openOwn(place.path, constants.O_WRONLY | constants.O_APPEND);
    try {
      await file.truncate(running.bytes);
    } catch (error) {
      await file.close();
      throw error;
    }
    return new Part(place, file, version, running);
  }

  get running(): RunningHash {
    return { bytes: this.#bytes, hash: this.#hash };
  }

  /** Some bytes may still be on their way to the file when this resolves. If that fails, a later call does. */
  async append(piece: Buffer): Promise<void> {
    this.#hash.update(piece);
    this.#bytes += piece.length;
    await this.#writes.append(piece);
    if (this.#bytes - this.#noted >= checkpointBytes) await this.#checkpoint();
  }

  async #checkpoint(): Promise<void> {
    const { version } = this;
    await this.#writes.flush();
    if (version === undefined || this.#bytes === 0 || this.#bytes >= version.total) return;
    await this.#file.datasync();
    const sha256 = this.#hash.copy().digest('hex');
    const note: Note = { ...version, bytes: this.#bytes, sha256 };
    // Overwrites the last note, which is never longer: there is no moment without a note.
    await using file = await openOwn(noteOf(this.#place), constants.O_WRONLY | constants.O_CREAT);
    await file.writeFile(JSON.stringify(note));
    this.#noted = this.#bytes;
  }

  /** Call when everything has arrived. When this resolves, the file is on disk. */
  async finish(): Promise<{ readonly bytes: number; readonly digest: Digest }> {
    await using file = this.#file;
    await this.#writes.flush();
    await file.datasync();
    await removeFile(noteOf(this.#place));
    return { bytes: this.#bytes, digest: digestFrom(this.#hash.digest('hex')) };
  }

  /** Call after a cut. The bytes stay on disk if a later request can resume from them. */
  async leave(): Promise<void> {
    try {
      await this.#checkpoint();
    } catch (error) {
      // For example a full disk: the previous note is still valid.
      if (!isSystemProblem(error)) throw error;
    } finally {
      await this.#file.close();
    }
    if (this.#noted === 0) await removePart(this.#place);
  }

  /** Call when the content is not the requested one. */
  async drop(): Promise<void> {
    await this.#writes.idle();
    await this.#file.close();
    await removePart(this.#place);
  }
}

/** A part from an earlier request, with bytes that can be trusted. */
export interface Standing {
  readonly version: Version;
  readonly running: RunningHash;
}

/** Undefined if there is nothing to resume. `known` is a hash that saves reading the part, if it matches. */
export async function standing(
  place: LocalFile,
  known: RunningHash | undefined,
): Promise<Standing | undefined> {
  const note = readNote(place);
  if (note === undefined) return undefined;
  const { validator, total, bytes, sha256 } = note;
  const part = lstatSync(place.path, { throwIfNoEntry: false });
  if (part?.isFile() !== true || part.size < bytes || bytes >= total) return undefined;
  const running = known?.bytes === bytes ? known : await hashed(place, bytes);
  if (running.hash.copy().digest('hex') !== sha256) return undefined;
  return { version: { validator, total }, running };
}

function readNote(place: LocalFile): Note | undefined {
  const path = noteOf(place);
  // Nearly always, there is no part.
  if (!stands(path)) return undefined;
  const read = readOwnFile(path, { max: maxNoteBytes });
  // If a crash cut off the note, the file is fetched from its beginning.
  const note = read.ok ? valueIn(read.value.toString('utf8')) : undefined;
  return schemaValidator<Note>(noteSchema)(note) ? note : undefined;
}

async function hashed({ path }: LocalFile, bytes: number): Promise<RunningHash> {
  const hash = createHash('sha256');
  await using file = await openRegular(path);
  const stream = file.createReadStream({ end: bytes - 1, autoClose: false });
  for await (const piece of stream) hash.update(piece);
  return { bytes, hash };
}

// Collects the pieces of a socket, which are small, and writes many at once: each write has its price. While a batch is
// written, the next one is collected.

const batchBytes = 1 << 20;

export class BatchedWrites {
  readonly #file: FileHandle;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The write that is under way, or the one that failed. */
  #writing: Promise<void> = Promise.resolve();

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** When this resolves, two batches at most are in memory. Rejects if an earlier batch could not be written. */
  async append(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < batchBytes) return;
    await this.#writing;
    this.#write();
  }

  /** When this resolves, everything is in the file, though not on disk. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#size > 0) this.#write();
    await this.#writing;
  }

  /** Resolves when nothing is written any more. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#writing]);
  }

  #write(): void {
    const [pieces, size] = [this.#pieces, this.#size];
    this.#pieces = [];
    this.#size = 0;
    this.#writing = writeAll(this.#file, pieces, size);
    // The next append, or the flush, waits for it and rejects with the same error.
    this.#writing.catch(() => undefined);
  }
}

async function writeAll(file: FileHandle, pieces: Buffer[], size: number): Promise<void> {
  const { bytesWritten } = await file.writev(pieces);
  // A disk that is almost full takes a part, and then says why it takes no more.
  if (bytesWritten < size) await file.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}
