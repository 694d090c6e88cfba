// The recorded outputs of a checkout, as far as they are known without reading them.
import { join, resolve } from 'node:path';
import { digestFrom } from '../base/digest.ts';
import type { FileFact, OutputFacts, RecordedFile } from '../plan/facts.ts';
import { factOf } from './file-fact.ts';
import { statsOf } from './file-stamps.ts';
import type { HashCache } from './hash-cache.ts';

export interface SavedFilesOptions {
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
