// A file that is on its way: what has come of it, and a note beside it that says from where it can go on. The note
// (`….part.json`) is written after the bytes are on disk, so that a crash can cost bytes and never make them wrong.
import { createHash, type Hash } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { type FileHandle, unlink } from 'node:fs/promises';
import { type Digest, digestFrom } from '../../../contract/base/digest.ts';
import { validatorOf as schemaValidator } from '../../../contract/base/schema.ts';
import { openRegular, readOwnFile } from '../../../contract/files/regular-file.ts';
import { isSystemTrouble, systemCode } from '../../../contract/files/system-error.ts';
import type { LocalFile } from '../../run/jobs/ports.ts';
import { type Version, validatorPattern } from './content-range.ts';
import { createNew, openOwn } from './new-file.ts';

/** After so many bytes what came is synced and noted: a crash costs no more than that. */
const checkpointBytes = 64 << 20;

interface Note extends Version {
  /** So many bytes of the part are on disk. */
  readonly bytes: number;
  /** Of those bytes: somebody else could have written into the part since. */
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

/** In bytes. */
const longestNote = 64_000;

const noteOf = ({ path }: LocalFile): string => `${path}.json`;

/** Makes a temporary file anew, with `flags` besides; what an earlier run left under its name goes. */
export async function createPart(file: LocalFile, flags = 0): Promise<FileHandle> {
  // The note goes first: it must never be beside bytes that it does not speak of.
  if (stands(noteOf(file))) await removePart(file);
  return await createNew(file.path, flags);
}

/** A link counts, wherever it leads. */
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

/** A hash that has taken in the first bytes of a part. */
export interface RunningHash {
  readonly bytes: number;
  readonly hash: Hash;
}

export class Part {
  /** Undefined: it cannot be gone on with after a cut. */
  readonly version: Version | undefined;
  readonly #place: LocalFile;
  readonly #file: FileHandle;
  readonly #hash: Hash;
  #bytes: number;
  /** Bytes that the note beside it vouches for. */
  #noted: number;

  private constructor(
    place: LocalFile,
    file: FileHandle,
    version: Version | undefined,
    { bytes, hash }: RunningHash,
  ) {
    this.#place = place;
    this.#file = file;
    this.version = version;
    this.#hash = hash;
    this.#bytes = bytes;
    this.#noted = bytes;
  }

  /** A new one; what came before is given up. */
  static async begin(place: LocalFile, version: Version | undefined): Promise<Part> {
    const file = await createPart(place);
    return new Part(place, file, version, { bytes: 0, hash: createHash('sha256') });
  }

  /** Goes on behind what `standing` found. */
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

  async append(piece: Buffer): Promise<void> {
    await this.#file.writeFile(piece);
    this.#hash.update(piece);
    this.#bytes += piece.length;
    if (this.#bytes - this.#noted >= checkpointBytes) await this.#checkpoint();
  }

  async #checkpoint(): Promise<void> {
    const { version } = this;
    if (version === undefined || this.#bytes === 0 || this.#bytes >= version.total) return;
    await this.#file.datasync();
    const sha256 = this.#hash.copy().digest('hex');
    const note: Note = { ...version, bytes: this.#bytes, sha256 };
    // Written over the last one, which it is never shorter than: there is no moment without a note.
    await using file = await openOwn(noteOf(this.#place), constants.O_WRONLY | constants.O_CREAT);
    await file.writeFile(JSON.stringify(note));
    this.#noted = this.#bytes;
  }

  /** Everything came. It is on disk when this resolves. */
  async finish(): Promise<{ readonly bytes: number; readonly digest: Digest }> {
    await using file = this.#file;
    await file.datasync();
    await removeFile(noteOf(this.#place));
    return { bytes: this.#bytes, digest: digestFrom(this.#hash.digest('hex')) };
  }

  /** It was cut. What is on disk stays when a later request can go on from it. */
  async leave(): Promise<void> {
    try {
      await this.#checkpoint();
    } catch (error) {
      // A full disk, for example: the note before this one still holds.
      if (!isSystemTrouble(error)) throw error;
    } finally {
      await this.#file.close();
    }
    if (this.#noted === 0) await removePart(this.#place);
  }

  /** What came is not what was asked for. */
  async drop(): Promise<void> {
    await this.#file.close();
    await removePart(this.#place);
  }
}

/** What an earlier request left: bytes that can be trusted. */
export interface Standing {
  readonly version: Version;
  readonly running: RunningHash;
}

/** Undefined: there is nothing to go on from. `known` is a hash that needs no reading, if it fits. */
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
  // Nearly always there is none.
  if (!stands(path)) return undefined;
  const read = readOwnFile(path, { max: longestNote });
  if (!read.ok) return undefined;
  try {
    const note: unknown = JSON.parse(read.value.toString('utf8'));
    return schemaValidator<Note>(noteSchema)(note) ? note : undefined;
  } catch (error) {
    // Torn by a crash: the file is fetched from its beginning.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function hashed({ path }: LocalFile, bytes: number): Promise<RunningHash> {
  const hash = createHash('sha256');
  await using file = await openRegular(path);
  const stream = file.createReadStream({ end: bytes - 1, autoClose: false });
  for await (const piece of stream) hash.update(piece);
  return { bytes, hash };
}
