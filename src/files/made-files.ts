// Which files in the output folder are results of shotlist. Any other file may be somebody's work: it is replaced only if a
// person agrees.
import type { HashCache } from './hash-cache.ts';

export interface MadeFilesOptions {
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
