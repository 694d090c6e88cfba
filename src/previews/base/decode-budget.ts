// The memory budget that all decoders of a service share. A decoder that needs more than is left waits for its turn.
import { err, ok, type Result } from '../../base/result.ts';

interface Waiting {
  readonly holder: Holder;
  readonly bytes: number;
  readonly grant: () => void;
}

export class DecodeBudget {
  readonly bytes: number;
  #free: number;
  /** First in, first out, so that a large request is not overtaken forever by small ones. */
  #waiting: readonly Waiting[] = [];
  readonly #holders = new Set<Holder>();

  constructor(bytes: number) {
    this.bytes = bytes;
    this.#free = bytes;
  }

  /** The share of one job. */
  holder(): Holder {
    return new Holder(this);
  }

  /** For `Holder`. */
  ask(holder: Holder, bytes: number, grant: () => void): void {
    this.#waiting = [...this.#waiting, { holder, bytes, grant }];
    this.#pump();
  }

  /** For `Holder`. */
  giveBack(holder: Holder, bytes: number): void {
    this.#free += bytes;
    if (holder.held === 0) this.#holders.delete(holder);
    this.#pump();
  }

  /** For `Holder`: drops what it still waits for. */
  forget(holder: Holder): void {
    this.#waiting = this.#waiting.filter((one) => one.holder !== holder);
    this.#pump();
  }

  #pump(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { holder, bytes, grant } = next;
      this.#waiting = this.#waiting.filter((one) => one !== next);
      this.#free -= bytes;
      this.#holders.add(holder);
      grant();
    }
  }

  #next(): Waiting | undefined {
    const [first] = this.#waiting;
    if (first === undefined || first.bytes <= this.#free) return first;
    // If every holder waits for more, none would ever release any: one of them may exceed the budget.
    const waits = new Set(this.#waiting.map(({ holder }) => holder));
    if (![...this.#holders].every((holder) => waits.has(holder))) return undefined;
    return this.#waiting.find(({ holder }) => this.#holders.has(holder));
  }
}

export class Holder {
  readonly #budget: DecodeBudget;
  readonly #reservations = new Set<{ readonly bytes: number }>();
  #closed = false;

  constructor(budget: DecodeBudget) {
    this.#budget = budget;
  }

  /** Reserved bytes. */
  get held(): number {
    return [...this.#reservations].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** See `DecodeMemory`. */
  reserve(bytes: number): Promise<Result<() => void, number>> {
    if (bytes > this.#budget.bytes) return Promise.resolve(err(this.#budget.bytes));
    return new Promise((resolve) => {
      if (this.#closed) return;
      const reservation = { bytes };
      this.#budget.ask(this, bytes, () => {
        this.#reservations.add(reservation);
        resolve(ok(() => this.#release(reservation)));
      });
    });
  }

  /** Releases everything, and drops what it waits for: the job or its process has ended. */
  close(): void {
    this.#closed = true;
    this.#budget.forget(this);
    for (const reservation of this.#reservations) this.#release(reservation);
  }

  #release(reservation: { readonly bytes: number }): void {
    if (this.#reservations.delete(reservation)) this.#budget.giveBack(this, reservation.bytes);
  }
}
