// The recorded outputs of a checkout, as far as they are known without reading them.

import type { BigIntStats } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Digest, digestFrom } from '../base/digest.ts';
import { systemReason } from '../base/system-error.ts';
import type { FileFact, OutputFacts, RecordedFile } from '../core/facts.ts';
import { statsOf } from './file-stamps.ts';
import type { HashCache } from './hash-cache.ts';

interface SavedFilesOptions {
  /** Absolute. Recorded outputs are relative to this folder. */
  readonly folder: string;
  /** Absolute. Superseded outputs are kept here under their hash. */
  readonly kept: string;
  readonly hashes: HashCache;
  /** The store of the pipeline, as the state file names it. */
  readonly store?: string | undefined;
}

export class SavedFiles implements OutputFacts {
  readonly #o: SavedFilesOptions;

  constructor(options: SavedFilesOptions) {
    this.#o = options;
  }

  get store(): string | undefined {
    return this.#o.store;
  }

  output(path: string): FileFact {
    return this.#fact(resolve(this.#o.folder, path));
  }

  kept(digest: string, extension: string): FileFact {
    return this.#fact(keptPath(this.#o.kept, digest, extension));
  }

  /** A checkout remembers every output that it saved, and every file that it hashed. */
  isElsewhere(output: RecordedFile): boolean {
    const path = resolve(this.#o.folder, output.path);
    return isMissing(path) && !this.#o.hashes.hasSeen(path, output);
  }

  #fact(path: string): FileFact {
    return factOf(path, (path, stats) => this.#o.hashes.get(path, stats));
  }
}

/** False for anything that is there, even if it cannot be read. */
function isMissing(path: string): boolean {
  try {
    return statsOf(path) === undefined;
  } catch {
    // Nobody can see what is there, so it may be the file. The fact about the file says why.
    return false;
  }
}

export const keptPath = (folder: string, digest: string, extension: string): string =>
  join(folder, `${digestFrom(digest)}${extension === '' ? '' : `.${extension}`}`);

// Which files in the output folder are results of shotlist. Any other file may be somebody's work: it is replaced only if a
// person agrees.

interface MadeFilesOptions {
  /** The paths of all recorded outputs, relative to the pipeline file. */
  readonly recorded: () => Iterable<string>;
  readonly hashes: Pick<HashCache, 'hasSaved'>;
  /** Any file may be replaced. */
  readonly allowed: boolean;
}

export class MadeFiles {
  readonly #o: MadeFilesOptions;
  #recorded: ReadonlySet<string> | undefined;
  #allowed: boolean;
  #isRemembered: (path: string) => boolean = () => false;

  constructor(options: MadeFilesOptions) {
    this.#o = options;
    this.#allowed = options.allowed;
  }

  /** From now on, any file may be replaced, because a person has agreed. */
  allow(): void {
    this.#allowed = true;
  }

  /** From now on, what another record says to be a result, with this very content, may be replaced too. */
  remember(isResult: (path: string) => boolean): void {
    this.#isRemembered = isResult;
  }

  /** Whether an existing file may be replaced; `path` is relative to the pipeline file. */
  mayReplace(path: string): boolean {
    if (this.#allowed || this.#o.hashes.hasSaved(path)) return true;
    this.#recorded ??= new Set(this.#o.recorded());
    return this.#recorded.has(path) || this.#isRemembered(path);
  }
}

// What is known about a file without reading it.

/**
 * If `digestOf` throws a system error, the file counts as absent. `seen` is called with the stats, or without any. `known`: the
 * stats, if the caller has them.
 */
export function factOf(
  path: string,
  digestOf: (path: string, stats: BigIntStats) => Digest | undefined,
  known?: BigIntStats,
): FileFact {
  try {
    const stats = known ?? statsOf(path);
    if (stats === undefined) return { is: 'absent', why: 'does not exist' };
    if (!stats.isFile()) return { is: 'absent', why: 'is not a file' };
    return { is: 'file', bytes: Number(stats.size), digest: digestOf(path, stats) };
  } catch (error) {
    return { is: 'absent', why: systemReason(error) };
  }
}
