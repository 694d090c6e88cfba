// Caches facts about files, and lists the files that must be read before a decision is possible.
import type { Facts, FileFact, RecordedFile } from './disk-facts.ts';
import type { Place } from './ports.ts';

export class FileFacts implements Facts {
  readonly #disk: Facts;
  readonly #unreadable = new Map<string, string>();
  #unread: Place[] = [];

  constructor(disk: Facts) {
    this.#disk = disk;
  }

  get store(): string | undefined {
    return this.#disk.store;
  }

  input(path: string): FileFact {
    return this.#noted(this.#disk.input(path), { in: 'input', path });
  }

  output(path: string): FileFact {
    return this.#noted(this.#disk.output(path), { in: 'output', path });
  }

  isElsewhere(output: RecordedFile): boolean {
    return this.#disk.isElsewhere(output);
  }

  recordedAs(path: string): string {
    return this.#disk.recordedAs(path);
  }

  kept(digest: string, extension: string): FileFact {
    return this.#noted(this.#disk.kept(digest, extension), { in: 'kept', digest, extension });
  }

  /** An unreadable file counts as absent from now on. `why` is the end of a sentence about the file. */
  unreadable(place: Place, why: string): void {
    this.#unreadable.set(keyOf(place), why);
  }

  /** Returns the files without a known digest, once each, and empties the list. */
  takeUnread(): readonly Place[] {
    const unread = this.#unread;
    this.#unread = [];
    return unread;
  }

  #noted(fact: FileFact, place: Place): FileFact {
    if (this.#unreadable.size > 0 && fact.is === 'file') {
      const why = this.#unreadable.get(keyOf(place));
      if (why !== undefined) return { is: 'absent', why };
    }
    const isUnread = fact.is === 'file' && fact.digest === undefined && fact.bytes > 0;
    if (isUnread && fact.unusable === undefined) this.#unread.push(place);
    return fact;
  }
}

const keyOf = (place: Place): string =>
  place.in === 'kept' ? `kept ${place.digest}` : `${place.in} ${place.path}`;
