// Events that were taken, by their signatures: whoever sends the same request again while its timestamp is accepted is
// answered as before, and the event is not dealt with twice.

export class EventReplays {
  readonly #most: number;
  /** Until when each signature is accepted, in epoch seconds; the first that was taken comes first. */
  readonly #taken = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<boolean>>();

  /** @param most how many signatures are remembered; beyond that the oldest is forgotten */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the event is taken; `take` is called unless it was taken before, or is being taken. */
  async once(
    signature: string,
    { until, now }: { readonly until: number; readonly now: number },
    take: () => Promise<boolean>,
  ): Promise<boolean> {
    if (this.#taken.has(signature)) return true;
    const underWay = this.#underWay.get(signature);
    if (underWay !== undefined) return underWay;
    const taking = take();
    this.#underWay.set(signature, taking);
    try {
      const taken = await taking;
      // One that was not taken must come again, and is dealt with then.
      if (taken) this.#remember(signature, until, now);
      return taken;
    } finally {
      this.#underWay.delete(signature);
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
