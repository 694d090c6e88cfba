// Writes what is added in batches, one after the other: while one is on its way, the next one gathers.

export class Batches<T> {
  readonly #max: number;
  readonly #write: () => Promise<void>;
  #waiting: T[] = [];
  #writing: Promise<void> | undefined;

  /** `write`: takes a batch and writes it; it is called until nothing is left, and must not reject. */
  constructor(max: number, write: () => Promise<void>) {
    this.#max = max;
    this.#write = write;
  }

  add(one: T): void {
    this.#waiting.push(one);
    this.#writing ??= this.#writeAll();
  }

  /** The next batch. */
  take(): readonly T[] {
    return this.#waiting.splice(0, this.#max);
  }

  /** Resolves when nothing is left. */
  async written(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // What is added in the same turn of the event loop goes along.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#write();
    this.#writing = undefined;
  }
}
