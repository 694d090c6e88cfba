// The account's projects as slots: a creation takes one before its intent is written, and gives it back when its project is over.
// Whoever waits for one has it in turn: first who has paid for something, so that what is paid is finished before more is
// bought, then in the order of the items.
import type { Fingerprint } from '../model/fingerprint.ts';
import type { JobLine } from '../model/line.ts';
import { type Generation, type GenerationOptions, Generations } from '../plan/generations.ts';

export interface SlotsOptions extends GenerationOptions {
  /** True while the run follows a project: it may give a slot back. */
  readonly follows: () => boolean;
  /** A tick leaves what would have to wait for projects that nobody follows now. */
  readonly isTick: boolean;
}

/** The right of one creation to be a project in progress. */
export interface Slot extends Generation {
  job?: Fingerprint;
}

interface Waiting {
  /** Undefined for who needs no slot, but would be too early as long as no creation may have one. */
  readonly slot: Slot | undefined;
  /** The lowest is next. */
  readonly rank: () => number;
  readonly goOn: (may: boolean) => void;
}

export class Slots {
  readonly #o: SlotsOptions;
  readonly #generations: Generations;
  readonly #taken = new Set<Slot>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();
  readonly #missing = new Set<string>();
  #isGiving = false;
  #isClosed = false;

  constructor(options: SlotsOptions) {
    this.#o = options;
    const ledger = { unsettled: () => this.#unsettled() };
    this.#generations = new Generations({ ...options, ledger });
  }

  /** True if no creation may have a slot now. */
  get isFull(): boolean {
    return !this.#isClosed && this.#generations.isFull(this.#taken);
  }

  /** A slot at once, if there is one that nobody waits for. */
  free(kind: string): Slot | undefined {
    const slot = { kind };
    if (!this.#has(slot) || this.#next() !== undefined) return undefined;
    this.#taken.add(slot);
    return slot;
  }

  /** A slot in turn. Undefined, in a tick: projects that nobody follows now have them all. */
  async turn(kind: string, rank: () => number): Promise<Slot | undefined> {
    const slot = { kind };
    return (await this.#wait(slot, rank)) ? slot : undefined;
  }

  /** Waits until some creation may have a slot; false as for `turn`. */
  async opening(rank: () => number): Promise<boolean> {
    return await this.#wait(undefined, rank);
  }

  /** The creation was not sent, or its project is over or left: then the ledger says whether it is in progress. */
  giveBack(slot: Slot): void {
    this.#taken.delete(slot);
    this.changed();
  }

  /** The service does not have the project of this job, so it takes no slot. */
  missing({ fingerprint }: { readonly fingerprint: Fingerprint }): void {
    this.#missing.add(fingerprint);
    this.changed();
  }

  /** Call when a project in the ledger may be over. */
  changed(): void {
    if (this.#isGiving || this.#waiting.size === 0) return;
    this.#isGiving = true;
    // What the end of a project lets begin goes first.
    setImmediate(() => {
      this.#isGiving = false;
      this.#give();
    });
  }

  /** Nothing more is bought: whoever waits may go on, and is told why. */
  close(): void {
    this.#isClosed = true;
    this.changed();
  }

  *#unsettled(): Generator<JobLine> {
    for (const job of this.#o.ledger.unsettled()) if (!this.#missing.has(job.job)) yield job;
  }

  #wait(slot: Slot | undefined, rank: () => number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#waiting.add({ slot, rank, goOn: resolve });
    this.changed();
    return promise;
  }

  #has(slot: Slot | undefined): boolean {
    if (slot === undefined) return !this.isFull;
    return this.#isClosed || this.#generations.hasRoom(slot.kind, this.#taken);
  }

  /** Who is next, of those for whom there is a slot. */
  #next(): Waiting | undefined {
    const kinds = new Map<string | undefined, boolean>();
    const has = ({ slot }: Waiting): boolean => {
      const known = kinds.get(slot?.kind) ?? this.#has(slot);
      kinds.set(slot?.kind, known);
      return known;
    };
    return first(this.#waiting, has);
  }

  #give(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#end(next, true);
    if (this.#taken.size > 0 || this.#o.follows()) return;
    // Only projects that nobody follows now are in the way.
    const { isTick } = this.#o;
    if (isTick) for (const one of this.#waiting) this.#end(one, false);
    else {
      // The service queues it.
      const next = first(this.#waiting);
      if (next !== undefined) this.#end(next, true);
    }
  }

  #end(one: Waiting, may: boolean): void {
    const { slot, goOn } = one;
    this.#waiting.delete(one);
    if (may && slot !== undefined) this.#taken.add(slot);
    goOn(may);
  }
}

function first(
  waiting: Iterable<Waiting>,
  counts: (one: Waiting) => boolean = () => true,
): Waiting | undefined {
  let found: Waiting | undefined;
  let lowest = Infinity;
  for (const one of waiting) {
    if (!counts(one)) continue;
    const rank = one.rank();
    if (rank < lowest) [found, lowest] = [one, rank];
  }
  return found;
}
