// A sync that many callers share: those who call while a sync is under way share the next one.

export class SharedSync {
  readonly #write: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `write`: writes and syncs what is there now. After it has rejected, it is not called again. */
  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when everything that was there before the call is durable. After a failure, every call fails in the same way. */
  sync(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#once();
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      this.#running = this.#once();
      return this.#running;
    });
    return this.#next;
  }

  /** The sync that is under way, or the one that failed. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  async #once(): Promise<void> {
    await this.#write();
    if (this.#next === undefined) this.#running = undefined;
  }
}
