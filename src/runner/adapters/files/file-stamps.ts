// The stamps of many files: as long as they are the same, the files have the content that was read before. Links in the folders
// above a file are not compared.
import { createHash, type Hash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isSystemProblem } from '../../../contract/files/system-error.ts';

/** A file that changed less than this before it was read may change again within the same tick of its time stamp. */
const racyNs = 2_000_000_000n;

/** Size, times and inode of a file. */
export const stampOf = (stats: BigIntStats): string =>
  `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino}`;

/** Undefined if nothing is there. Throws system errors. */
export const statsOf = (path: string): BigIntStats | undefined =>
  statSync(path, { bigint: true, throwIfNoEntry: false });

/** True if a file that changed at `at` may change again and keep its stamp. `now`: when it was read, in milliseconds since 1970. */
export const isRacy = (atNs: bigint, now: number): boolean =>
  BigInt(now) * 1_000_000n - atNs < racyNs;

/** Files, and one digest of all their names and stamps. */
export interface StampedFiles {
  /** Absolute, or relative to the folder that they were collected for; each ends with a zero byte. */
  readonly paths: Uint8Array;
  readonly digest: string;
}

const [between, perTurn] = ['\0', 1000];

/** Collects the stamps of the files that a plan looks at, until somebody abandons it. */
export class FileStamps {
  readonly #prefix: string;
  readonly #now: () => number;
  #hash: Hash | undefined = createHash('sha256');
  /** The newest ones, by path: several tasks of an item look at the same file. */
  readonly #newest = new Map<string, string>();
  #text = '';
  readonly #chunks: Buffer[] = [];

  /** `folder` is absolute: the paths of files below it are relative. */
  constructor(folder: string, now: () => number) {
    this.#prefix = prefixOf(folder);
    this.#now = now;
  }

  /** `path` is absolute. Abandons all if the file is missing, or may change and keep its stamp. */
  add(path: string, stats: BigIntStats | undefined): void {
    if (this.#hash === undefined) return;
    if (stats === undefined || !stats.isFile() || mayChange(stats, this.#now()))
      return this.abandon();
    const stamp = stampOf(stats);
    const known = this.#newest.get(path);
    if (known !== undefined) {
      if (known !== stamp) this.abandon();
      return;
    }
    if (this.#newest.size >= perTurn) this.#newest.clear();
    this.#newest.set(path, stamp);
    const name = path.startsWith(this.#prefix) ? path.slice(this.#prefix.length) : path;
    this.#hash.update(entry(name, stamp));
    this.#text += name + between;
    if (this.#text.length > 1 << 16) this.#flush();
  }

  /** The same for a file that the caller has not looked at. */
  look(path: string): void {
    if (this.#hash !== undefined) this.add(path, statsIfAny(path));
  }

  /** The plan depends on something else, or there is something to do. */
  abandon(): void {
    this.#hash = undefined;
    this.#newest.clear();
    this.#chunks.length = 0;
    this.#text = '';
  }

  /** Undefined if it was abandoned. */
  get files(): StampedFiles | undefined {
    if (this.#hash === undefined) return undefined;
    this.#flush();
    return { paths: Buffer.concat(this.#chunks), digest: this.#hash.copy().digest('hex') };
  }

  #flush(): void {
    this.#chunks.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** True if all files are as they were. If `stop` is aborted, it ends with its reason as the error. */
export async function areSame(
  { paths, digest }: StampedFiles,
  folder: string,
  stop?: AbortSignal,
): Promise<boolean> {
  const prefix = prefixOf(folder);
  const hash = createHash('sha256');
  let seen = 0;
  for (const name of namesIn(paths)) {
    // A signal of the system is heard only between two turns of the event loop.
    if (++seen % perTurn === 0) await setImmediate();
    stop?.throwIfAborted();
    const stats = statsIfAny(isAbsolute(name) ? name : prefix + name);
    if (stats === undefined) return false;
    hash.update(entry(name, stampOf(stats)));
  }
  return hash.digest('hex') === digest;
}

const prefixOf = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

const entry = (name: string, stamp: string): string => `${name}${between}${stamp}${between}`;

/** A change of the name or of the permissions counts as well. */
const mayChange = ({ mtimeNs, ctimeNs }: BigIntStats, now: number): boolean =>
  isRacy(mtimeNs, now) || isRacy(ctimeNs, now);

function* namesIn(paths: Uint8Array): Generator<string> {
  const bytes = Buffer.from(paths.buffer, paths.byteOffset, paths.length);
  let start = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
    yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}

/** Undefined also for a file that nobody can look at. */
export function statsIfAny(path: string): BigIntStats | undefined {
  try {
    return statsOf(path);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return undefined;
  }
}
