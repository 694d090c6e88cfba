// Facts about files, and a list of those that must be read before more can be said.
import type { Facts, FileFact } from '../plan/facts.ts';
import type { Place } from './place.ts';
import type { Disk } from './ports.ts';

export class Look implements Facts {
  readonly #disk: Disk;
  #unread: Place[] = [];

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  input(path: string): FileFact {
    return this.#noted(this.#disk.input(path), { in: 'input', path });
  }

  output(path: string): FileFact {
    return this.#noted(this.#disk.output(path), { in: 'output', path });
  }

  recordedAs(path: string): string {
    return this.#disk.recordedAs(path);
  }

  kept(digest: string, extension: string): FileFact {
    return this.#disk.kept(digest, extension);
  }

  /** The files that were looked at and have no known digest, once each; the list is empty afterwards. */
  takeUnread(): readonly Place[] {
    const unread = this.#unread;
    this.#unread = [];
    return unread;
  }

  #noted(fact: FileFact, place: Place): FileFact {
    if (fact.is === 'file' && fact.digest === undefined && fact.bytes > 0) this.#unread.push(place);
    return fact;
  }
}
