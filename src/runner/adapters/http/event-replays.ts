// Remembers the signatures of accepted events. A request that is sent again while its timestamp is valid gets the same
// answer as before, and its event is not handled twice.

export class EventReplays {
  readonly #most: number;
  /** Until when each signature is accepted, in epoch seconds; in the order of acceptance. */
  readonly #taken = new Map<string, number>();
  readonly #inProgress = new Map<string, Promise<boolean>>();

  /** @param most how many signatures to remember; beyond that, the oldest is forgotten */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the event is accepted. Calls `take` unless the event was accepted before, or is being handled. */
  async once(
    signature: string,
    { until, now }: { readonly until: number; readonly now: number },
    take: () => Promise<boolean>,
  ): Promise<boolean> {
    if (this.#taken.has(signature)) return true;
    const inProgress = this.#inProgress.get(signature);
    if (inProgress !== undefined) return inProgress;
    const taking = take();
    this.#inProgress.set(signature, taking);
    try {
      const taken = await taking;
      // An event that was not accepted must be sent again, and is handled then.
      if (taken) this.#remember(signature, until, now);
      return taken;
    } finally {
      this.#inProgress.delete(signature);
    }
  }

  #remember(signature: string, until: number, now: number): void {
    this.#taken.set(signature, until);
    for (const [oldest, end] of this.#taken) {
      if (end >= now && this.#taken.size <= this.#most) return;
      this.#taken.delete(oldest);
    }
  }
}
