// The window: the items in progress at once, and those of them in which something may start.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import type { Waiter } from './in-flight.ts';
import type { ItemRun } from './item-run.ts';

export interface WindowOptions {
  readonly items: Iterable<Item>;
  /** How many at once. */
  readonly size: number;
  readonly open: (item: Item) => ItemRun;
}

export class Window {
  readonly #o: WindowOptions;
  readonly #itemRuns = new Set<ItemRun>();
  readonly #stirred = new Set<ItemRun>();
  /** Tasks that wait for others: for a price, for money, for another item to be done with their project. */
  readonly #patient: Waiter[] = [];
  readonly #source: Iterator<Item>;
  #exhausted = false;

  constructor(options: WindowOptions) {
    this.#o = options;
    this.#source = options.items[Symbol.iterator]();
  }

  /** Does another task still use what a delete is about to remove? Tasks with the same content share it. */
  keepsFrom(itemRun: ItemRun, step: Step, fingerprint: Fingerprint): boolean {
    if (step.kind.operation !== 'delete') return false;
    if (itemRun.stillUses(fingerprint, step)) return true;
    for (const other of this.#itemRuns) if (other.stillUses(fingerprint, step)) return true;
    return false;
  }

  /** Every item has been taken in. */
  get isExhausted(): boolean {
    return this.#exhausted;
  }

  /** Another item may be taken in. */
  get hasRoom(): boolean {
    return !this.#exhausted && this.#itemRuns.size < this.#o.size;
  }

  get isEmpty(): boolean {
    return this.#itemRuns.size === 0;
  }

  /** Takes items in until the window is full; true when it has just seen that there are no more. */
  fill(): boolean {
    while (!this.#exhausted && this.#itemRuns.size < this.#o.size) {
      const next = this.#source.next();
      if (next.done === true) {
        this.#exhausted = true;
        break;
      }
      const itemRun = this.#o.open(next.value);
      this.#itemRuns.add(itemRun);
      this.stir(itemRun);
    }
    return this.#exhausted;
  }

  /** Something may start in an item run. */
  stir(itemRun: ItemRun): void {
    this.#stirred.add(itemRun);
  }

  /** A task is asked again when something has happened that it may wait for. */
  wait(itemRun: ItemRun, step: Step): void {
    itemRun.schedule.start(step.name);
    this.#patient.push({ itemRun, step });
  }

  askAgain(): void {
    for (const { itemRun, step } of this.#patient.splice(0)) {
      itemRun.schedule.reopen(step.name);
      this.stir(itemRun);
    }
  }

  stirAll(): void {
    for (const itemRun of this.#itemRuns) this.#stirred.add(itemRun);
  }

  /** Takes the next item run in which something may start. */
  next(): ItemRun | undefined {
    for (const itemRun of this.#stirred) {
      this.#stirred.delete(itemRun);
      return itemRun;
    }
    return undefined;
  }

  /** An item is over. False: it was not in progress. */
  close(itemRun: ItemRun): boolean {
    return this.#itemRuns.delete(itemRun);
  }
}
