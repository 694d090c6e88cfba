// Writes in groups: whoever asks while a group is being written shares the next one.
import { setImmediate } from 'node:timers/promises';

export class GroupSync {
  readonly #write: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when everything that was appended is written. */
  sync(): Promise<void> {
    this.#next ??= this.#group();
    return this.#next;
  }

  /** A group waits for its turn. */
  get isWaiting(): boolean {
    return this.#next !== undefined;
  }

  /** The group that is being written. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Begins after the group before it, and after all that goes on because of that one: its lines share this one. */
  async #group(): Promise<void> {
    // Its own callers hear of its failure.
    await Promise.allSettled([this.#running]);
    await setImmediate();
    this.#running = this.#next;
    this.#next = undefined;
    await this.#write();
  }
}
