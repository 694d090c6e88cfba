// The stamps of many files. If none of them has changed, the files still have the content that was read before.
import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, statSync } from 'node:fs';
import { dirname, isAbsolute, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { realPathOr } from '../base/real-path.ts';
import { isSystemProblem } from '../base/system-error.ts';

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

/** Files, and one digest of all their names and stamps, and of the real paths of their folders. */
export interface StampedFiles {
  /** Absolute, or relative to the folder that they were collected for; each ends with a zero byte. */
  readonly paths: Uint8Array;
  readonly digest: string;
}

const [between, perTurn] = ['\0', 1000];

/** A digest of files in the order in which they are added. */
class StampDigest {
  readonly #hash = createHash('sha256');
  readonly #folders = new Set<string>();

  /** `path` is absolute; `name` is the same, or relative. */
  add(path: string, name: string, stamp: string): void {
    const folder = dirname(path);
    if (!this.#folders.has(folder)) {
      this.#folders.add(folder);
      // A link may lead to another place now, although the files are the same.
      this.#hash.update(`${realPathOr(folder)}${between}`);
    }
    this.#hash.update(`${name}${between}${stamp}${between}`);
  }

  get text(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** Collects the stamps of the files that a plan looks at, until somebody abandons it. */
export class FileStamps {
  readonly #prefix: string;
  readonly #now: () => number;
  #digest: StampDigest | undefined = new StampDigest();
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
    if (this.#digest === undefined) return;
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
    this.#digest.add(path, name, stamp);
    this.#text += name + between;
    if (this.#text.length > 1 << 16) this.#flush();
  }

  /** The same for a file that the caller has not looked at. */
  look(path: string): void {
    if (this.#digest !== undefined) this.add(path, statsIfAny(path));
  }

  /** The plan depends on something else, or there is something to do. */
  abandon(): void {
    this.#digest = undefined;
    this.#newest.clear();
    this.#chunks.length = 0;
    this.#text = '';
  }

  /** Undefined if it was abandoned. */
  get files(): StampedFiles | undefined {
    if (this.#digest === undefined) return undefined;
    this.#flush();
    return { paths: Buffer.concat(this.#chunks), digest: this.#digest.text };
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
  const found = new StampDigest();
  let seen = 0;
  for (const name of namesIn(paths)) {
    // A signal of the system is heard only between two turns of the event loop.
    if (++seen % perTurn === 0) await setImmediate();
    stop?.throwIfAborted();
    const path = isAbsolute(name) ? name : prefix + name;
    const stats = statsIfAny(path);
    if (stats === undefined) return false;
    found.add(path, name, stampOf(stats));
  }
  return found.text === digest;
}

const prefixOf = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

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

/** The stats of what a path leads to; undefined if nothing is there, or if the system refuses to say. */
export const statsIfAny = (path: string): BigIntStats | undefined => ifAny(() => statsOf(path));

/** The same of the path itself: a link is not followed. */
export const linkStatsIfAny = (path: string): BigIntStats | undefined =>
  ifAny(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));

function ifAny(stats: () => BigIntStats | undefined): BigIntStats | undefined {
  try {
    return stats();
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}
