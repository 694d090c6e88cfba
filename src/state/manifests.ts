// The manifests of a state file's jobs: JSON Lines beside the lock, not for git. Only a memory for people: without the file,
// nothing is paid again, and `plan --explain` says that it does not know.
import { constants, lstatSync } from 'node:fs';
import { type FileHandle, rename } from 'node:fs/promises';
import { digestFrom, markOf } from '../base/digest.ts';
import { isObject, type JsonObject, valueIn } from '../base/json.ts';
import { removeLeftover } from '../base/leftover.ts';
import { NotRegularFile, openRegular } from '../base/regular-file.ts';
import { validatorOf } from '../base/schema.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { createNew, openOwn } from '../files/new-file.ts';
import { type Fingerprint, fingerprintFrom, fingerprintOf } from '../model/fingerprint.ts';
import type { KeptManifest } from '../model/manifest.ts';
import { linesIn } from './load-record.ts';

const digest = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;

interface Line {
  readonly job: string;
  readonly kind: string;
  readonly content?: string;
  readonly file?: string;
  readonly body?: JsonObject;
  readonly take?: number;
  readonly at: string;
}

const isLine = validatorOf<Line>({
  type: 'object',
  required: ['job', 'kind', 'at'],
  properties: {
    job: digest,
    kind: { type: 'string' },
    content: digest,
    file: { type: 'string' },
    body: { type: 'object' },
    take: { type: 'integer', minimum: 1 },
    at: { type: 'string' },
  },
});

const { O_APPEND, O_CREAT, O_WRONLY } = constants;

/** A request is far smaller, and a longer line is not worth its place. */
const maxLineChars = 1 << 20;
const batchChars = 1 << 18;

/**
 * The last manifest of each job that `wanted` accepts; default: of all. Empty if the file is missing. Lines that are cut off,
 * damaged or false are left out.
 */
export async function readManifests(
  file: string,
  wanted: (job: Fingerprint) => boolean = () => true,
): Promise<ReadonlyMap<Fingerprint, KeptManifest>> {
  const manifests = new Map<Fingerprint, KeptManifest>();
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== false) return manifests;
  try {
    for await (const text of eachLine(file)) {
      const job = jobOf(text);
      if (job === undefined || !wanted(job)) continue;
      const manifest = parsed(text);
      if (manifest !== undefined) manifests.set(job, manifest);
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  return manifests;
}

/**
 * The job is the first key of a line and the time is the last, so that a line need not be parsed to be left out. Undefined
 * for a line that was cut off.
 */
function jobOf(text: string): Fingerprint | undefined {
  const [, job] = /^\{"job":"([0-9a-f]{64})",/.exec(text) ?? [];
  if (!/,"at":"[^"]+"\}$/.test(text.slice(-60))) return undefined;
  return job === undefined ? undefined : fingerprintFrom(digestFrom(job));
}

function parsed(text: string): KeptManifest | undefined {
  const value = valueIn(text);
  // The line may be cut off by a crash.
  if (!isObject(value) || !isLine(value)) return undefined;
  const { job, content, ...line } = value;
  const manifest = {
    ...line,
    job: fingerprintFrom(digestFrom(job)),
    ...(content === undefined ? {} : { content: digestFrom(content) }),
  };
  // Anybody may have written the file: a manifest counts only for the fingerprint that it has.
  return fingerprintOf(manifest) === manifest.job ? manifest : undefined;
}

/** Appends manifests during a run. A disk that refuses costs only the explanation, so that a run goes on. */
export class ManifestFile {
  readonly path: string;
  /** Opened when there is something to write. */
  #handle: FileHandle | undefined;
  /** The jobs whose manifest is written, by a part of their fingerprint. */
  readonly #known = new Set<number>();
  #text = '';
  #writing: Promise<void> = Promise.resolve();
  #appended = false;
  #problem: string | undefined;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(path: string): Promise<ManifestFile> {
    const file = new ManifestFile(path);
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) await file.#readKnown();
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      file.#problem = systemReason(error);
    }
    return file;
  }

  async #readKnown(): Promise<void> {
    for await (const text of eachLine(this.path)) {
      const job = jobOf(text);
      if (job !== undefined) this.#known.add(markOf(job));
    }
  }

  /** Why manifests are missing: the end of a sentence about the file. */
  get problem(): string | undefined {
    return this.#problem;
  }

  has(job: Fingerprint): boolean {
    return this.#known.has(markOf(job));
  }

  /** True if the manifest of each job is written. `marks`: of their fingerprints. */
  hasAll(marks: Iterable<number>): boolean {
    for (const mark of marks) if (!this.#known.has(mark)) return false;
    return true;
  }

  add({ job, at, ...what }: KeptManifest): void {
    if (this.#problem !== undefined || this.has(job)) return;
    this.#known.add(markOf(job));
    const line = JSON.stringify({ job, ...what, at });
    if (line.length > maxLineChars) return;
    // A line before this one may have been cut off.
    this.#text += this.#appended ? `${line}\n` : `\n${line}\n`;
    this.#appended = true;
    if (this.#text.length >= batchChars) this.#flush();
  }

  #flush(): void {
    const text = this.#text;
    this.#text = '';
    this.#writing = this.#writing.then(async () => {
      try {
        if (this.#problem !== undefined) return;
        this.#handle ??= await openOwn(this.path, O_APPEND | O_WRONLY | O_CREAT);
        await this.#handle.appendFile(text);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        this.#problem = systemReason(error);
      }
    });
  }

  /** Writes the rest and closes the file. If anything was added, keeps only the jobs that `knows` accepts. */
  async close(knows: (job: Fingerprint) => boolean): Promise<void> {
    if (this.#text !== '') this.#flush();
    await this.#writing;
    await this.#handle?.close();
    if (!this.#appended || this.#problem !== undefined) return;
    try {
      await compact(this.path, knows);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#problem = systemReason(error);
    }
  }
}

class LineTooLong extends Error {}

/** Throws system errors. */
async function* eachLine(file: string): AsyncGenerator<string> {
  await using handle = await openRegular(file);
  for await (const read of linesIn(handle)) {
    if (read === 'too long') throw new LineTooLong();
    for (const line of read.lines) yield line.toString();
  }
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof LineTooLong || error instanceof NotRegularFile || isSystemProblem(error);

/** Constant memory. */
async function compact(file: string, knows: (job: Fingerprint) => boolean): Promise<void> {
  const part = `${file}.part`;
  try {
    {
      await using handle = await createNew(part);
      let text = '';
      for await (const line of eachLine(file)) {
        const job = jobOf(line);
        if (job === undefined || !knows(job)) continue;
        text += `${line}\n`;
        if (text.length < batchChars) continue;
        await handle.appendFile(text);
        text = '';
      }
      await handle.appendFile(text);
    }
    await rename(part, file);
  } catch (error) {
    await removeLeftover(part);
    throw error;
  }
}
