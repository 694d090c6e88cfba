// The view of the disk for planning all items. A file whose size is unique need not be read.
import { digestOf } from '../../../contract/base/digest.ts';
import type { Facts, FileFact, RecordedFile } from '../../plan/facts.ts';

/** `spare`: files are read only if another file has the same size. Valid if no earlier upload can have their content. */
export type Reading = 'all' | 'spare';

export class PlanningFacts implements Facts {
  readonly #disk: Facts;
  readonly #reading: Reading;
  /** By size in bytes: the first file of that size; undefined if it was read. */
  readonly #first = new Map<number, string | undefined>();
  /** The sizes of files that must be read, because there are several of them. */
  readonly #shared = new Set<number>();
  #mistaken = false;

  constructor(disk: Facts, reading: Reading) {
    this.#disk = disk;
    this.#reading = reading;
  }

  get store(): string | undefined {
    return this.#disk.store;
  }

  /**
   * True if a file was not read, and a later file has the same size: plan again, with these facts. False from then on.
   */
  wasMistaken(): boolean {
    const mistaken = this.#mistaken;
    this.#mistaken = false;
    return mistaken;
  }

  input(path: string): FileFact {
    const fact = this.#disk.input(path);
    if (fact.is === 'absent' || this.#reading === 'all') return fact;
    return this.#isAlone(path, fact) ? { ...fact, digest: digestOf({ alone: path }) } : fact;
  }

  #isAlone(path: string, { bytes, digest }: Extract<FileFact, { readonly is: 'file' }>): boolean {
    if (this.#shared.has(bytes)) return false;
    if (!this.#first.has(bytes)) {
      this.#first.set(bytes, digest === undefined ? path : undefined);
      return digest === undefined;
    }
    const first = this.#first.get(bytes);
    if (first === path) return digest === undefined;
    this.#shared.add(bytes);
    this.#mistaken ||= first !== undefined;
    return false;
  }

  output(path: string): FileFact {
    return this.#disk.output(path);
  }

  isElsewhere(output: RecordedFile): boolean {
    return this.#disk.isElsewhere(output);
  }

  recordedAs(path: string): string {
    return this.#disk.recordedAs(path);
  }

  kept(digest: string, extension: string): FileFact {
    return this.#disk.kept(digest, extension);
  }
}
