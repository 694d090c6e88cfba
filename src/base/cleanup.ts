// Closes what was opened, in reverse order: the part of AsyncDisposableStack that the operations use, which Node.js 22
// does not have yet.
export class Cleanup implements AsyncDisposable {
  #closers: (() => unknown)[] = [];

  defer(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Transfers everything to the caller, who disposes of it. */
  move(): Cleanup {
    const moved = new Cleanup();
    moved.#closers = this.#closers;
    this.#closers = [];
    return moved;
  }

  /** Closes everything, even if closing one part fails; then throws the first failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop())
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }
}
