// The view of the disk for planning all items. A file whose size is unique need not be read.
import { digestOf } from '../../../contract/base/digest.ts';
import type { Facts, FileFact, RecordedFile } from '../../plan/facts.ts';

export class PlanningFacts implements Facts {
  readonly #disk: Facts;
  /** The sizes in bytes of the inputs: those seen once, and those seen more often. */
  readonly #once = new Set<number>();
  readonly #often = new Set<number>();
  #mode: 'read' | 'gather' | 'spare' = 'read';

  constructor(disk: Facts) {
    this.#disk = disk;
  }

  get store(): string | undefined {
    return this.#disk.store;
  }

  /**
   * Looks at all inputs once for their sizes. After that, a file with a unique size need not be hashed: this is valid
   * as long as no earlier upload could have the same content.
   */
  spareAloneAfter(look: () => void): void {
    this.#mode = 'gather';
    look();
    this.#mode = 'spare';
  }

  input(path: string): FileFact {
    const fact = this.#disk.input(path);
    if (fact.is === 'absent' || this.#mode === 'read') return fact;
    const { bytes } = fact;
    if (this.#mode === 'gather') {
      if (this.#once.has(bytes)) this.#often.add(bytes);
      this.#once.add(bytes);
      return fact;
    }
    const alone = fact.digest === undefined && this.#once.has(bytes) && !this.#often.has(bytes);
    return alone ? { ...fact, digest: digestOf({ alone: path }) } : fact;
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
