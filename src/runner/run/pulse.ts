// Something has happened that tasks may wait for: room, credits, or the end of another task. Whoever is ready anyway goes
// first, then those who are ahead, then the others: what is paid for is finished before more is bought.

export class Pulse {
  #ahead: (() => void)[] = [];
  #others: (() => void)[] = [];
  #isBeating = false;

  /** Resolves after the next beat. */
  next(isAhead: boolean): Promise<void> {
    return new Promise((resolve) => void (isAhead ? this.#ahead : this.#others).push(resolve));
  }

  get isAwaited(): boolean {
    return this.#ahead.length + this.#others.length > 0;
  }

  beat(): void {
    if (this.#isBeating || !this.isAwaited) return;
    this.#isBeating = true;
    setImmediate(() => {
      const others = this.#others.splice(0);
      for (const resolve of this.#ahead.splice(0)) resolve();
      setImmediate(() => {
        this.#isBeating = false;
        for (const resolve of others) resolve();
      });
    });
  }
}
