// The window: the items in the works at once, and those of them in which something may start.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import type { Passenger } from './flights.ts';
import type { Work } from './work.ts';

export interface WindowOptions {
  readonly items: Iterable<Item>;
  /** How many at once. */
  readonly size: number;
  readonly open: (item: Item) => Work;
}

export class Window {
  readonly #o: WindowOptions;
  readonly #works = new Set<Work>();
  readonly #stirred = new Set<Work>();
  /** Tasks that wait for others: for a price, for money, for another item to be done with their project. */
  readonly #patient: Passenger[] = [];
  readonly #source: Iterator<Item>;
  /** Every item has been taken in. */
  exhausted = false;

  constructor(options: WindowOptions) {
    this.#o = options;
    this.#source = options.items[Symbol.iterator]();
  }

  /** Does another task still use what a delete is about to remove? Tasks with the same content share it. */
  keepsFrom(work: Work, step: Step, fingerprint: Fingerprint): boolean {
    if (step.kind.operation !== 'delete') return false;
    if (work.stillUses(fingerprint, step)) return true;
    for (const other of this.#works) if (other.stillUses(fingerprint, step)) return true;
    return false;
  }

  /** Another item may be taken in. */
  get hasRoom(): boolean {
    return !this.exhausted && this.#works.size < this.#o.size;
  }

  get isEmpty(): boolean {
    return this.#works.size === 0;
  }

  /** Takes items in until the window is full; true when it has just seen that there are no more. */
  fill(): boolean {
    while (!this.exhausted && this.#works.size < this.#o.size) {
      const next = this.#source.next();
      if (next.done === true) {
        this.exhausted = true;
        break;
      }
      const work = this.#o.open(next.value);
      this.#works.add(work);
      this.stir(work);
    }
    return this.exhausted;
  }

  /** Something may start in a work. */
  stir(work: Work): void {
    this.#stirred.add(work);
  }

  /** A task is asked again when something has happened that it may wait for. */
  wait(work: Work, step: Step): void {
    work.schedule.start(step.name);
    this.#patient.push({ work, step });
  }

  askAgain(): void {
    for (const { work, step } of this.#patient.splice(0)) {
      work.schedule.reopen(step.name);
      this.stir(work);
    }
  }

  stirAll(): void {
    for (const work of this.#works) this.#stirred.add(work);
  }

  /** Takes the next work in which something may start. */
  next(): Work | undefined {
    for (const work of this.#stirred) {
      this.#stirred.delete(work);
      return work;
    }
    return undefined;
  }

  /** An item is over. False: it was not in the works. */
  close(work: Work): boolean {
    return this.#works.delete(work);
  }
}
