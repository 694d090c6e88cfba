// The window: the items in progress, and those of them in which a step may be ready.
import type { Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Item } from '../task/item.ts';
import type { Closed } from './budget.ts';
import type { Waiter } from './in-flight.ts';
import type { ItemRun } from './items/item-run.ts';

export interface WindowOptions {
  readonly items: Iterable<Item>;
  /** The most items in progress. */
  readonly size: number;
  readonly open: (item: Item) => ItemRun;
  /** Under a cap: whether an item may begin. A refused one takes its turns and buys nothing. */
  readonly admit?: (item: Item) => 'admitted' | 'wait' | 'refused';
  /** Why the run begins no further item, if it does not. */
  readonly closed?: () => Closed | undefined;
}

export class Window {
  readonly #o: WindowOptions;
  readonly #itemRuns = new Set<ItemRun>();
  readonly #stirred = new Set<ItemRun>();
  /** Those of items that have a project: they go first, so that what is paid for is saved before more is bought. */
  readonly #ahead = new Set<ItemRun>();
  /** Tasks that wait for others: for a price, for credits, or until another item no longer needs their project. */
  readonly #patient: Waiter[] = [];
  /** The items in progress that have a project, by its fingerprint, and the other way round. */
  readonly #having = new Map<Fingerprint, Set<ItemRun>>();
  readonly #projects = new Map<ItemRun, Set<Fingerprint>>();
  /** Projects of the shared steps, which any item may use. */
  readonly #shared = new Set<Fingerprint>();
  readonly #source: Iterator<Item>;
  /** The next item, if it waits until others give credits back. */
  #waiting: Item | undefined;
  #mustWait = false;
  #exhausted = false;

  constructor(options: WindowOptions) {
    this.#o = options;
    this.#source = options.items[Symbol.iterator]();
  }

  /** Call when a step has given its outputs: others may use its project from now on. */
  gave(itemRun: ItemRun, step: Step, fingerprint: Fingerprint): void {
    const { root, isShared } = itemRun;
    if (step.kind.operation !== 'create') return;
    if (isShared) {
      this.#shared.add(fingerprint);
      return;
    }
    const having = this.#having.get(fingerprint);
    if (having === undefined) this.#having.set(fingerprint, new Set([root]));
    else having.add(root);
    const projects = this.#projects.get(root);
    if (projects === undefined) this.#projects.set(root, new Set([fingerprint]));
    else projects.add(fingerprint);
    if (this.#stirred.delete(itemRun)) this.#ahead.add(itemRun);
  }

  /**
   * True if another task still uses the project that a delete would remove. Tasks with the same content share the
   * project.
   */
  keepsFrom(itemRun: ItemRun, step: Step, fingerprint: Fingerprint): boolean {
    if (step.kind.operation !== 'delete') return false;
    if (itemRun.root.stillUses(fingerprint, step)) return true;
    const others = this.#shared.has(fingerprint)
      ? this.#itemRuns
      : (this.#having.get(fingerprint) ?? []);
    for (const other of others) if (other.stillUses(fingerprint, step)) return true;
    return false;
  }

  /** True if every item has been admitted. */
  get isExhausted(): boolean {
    return this.#exhausted;
  }

  /**
   * True if no further item is admitted, because there is none or because the run buys nothing more, for a reason other
   * than saving existing results first.
   */
  get isShut(): boolean {
    const closed = this.#o.closed?.();
    return this.#exhausted || (closed !== undefined && closed.because !== 'saving');
  }

  /** True if no item is in progress, and none will be. */
  get isDrained(): boolean {
    return this.isShut && this.isEmpty;
  }

  /** The phase of the items that were not admitted; undefined if every item was. */
  get rest(): 'blocked' | 'later' | undefined {
    if (this.#exhausted) return undefined;
    return this.#o.closed?.()?.because === 'left' ? 'later' : 'blocked';
  }

  /** True if another item may be admitted. */
  get hasRoom(): boolean {
    return !this.#exhausted && !this.#mustWait && this.#itemRuns.size < this.#o.size;
  }

  get isEmpty(): boolean {
    return this.#itemRuns.size === 0;
  }

  /** Admits items until the window is full; true if it has just admitted the last one. */
  fill(): boolean {
    while (!this.#exhausted && this.#itemRuns.size < this.#o.size) {
      const item = this.#waiting ?? this.#take();
      if (item === undefined) break;
      this.#mustWait = this.#o.admit?.(item) === 'wait';
      this.#waiting = this.#mustWait ? item : undefined;
      if (this.#mustWait || this.isShut) break;
      const itemRun = this.#o.open(item);
      this.#itemRuns.add(itemRun);
      this.stir(itemRun);
    }
    return this.#exhausted;
  }

  #take(): Item | undefined {
    const next = this.#source.next();
    if (next.done !== true) return next.value;
    this.#exhausted = true;
    return undefined;
  }

  /** Marks an item run in which a step may be ready. */
  stir(itemRun: ItemRun): void {
    (this.#projects.has(itemRun.root) ? this.#ahead : this.#stirred).add(itemRun);
  }

  /** The task is decided again after any event that it may wait for. */
  wait(itemRun: ItemRun, step: Step): void {
    itemRun.schedule.start(step.name);
    this.#patient.push({ itemRun, step });
  }

  askAgain(): void {
    this.#mustWait = false;
    for (const { itemRun, step } of this.#patient.splice(0)) {
      itemRun.schedule.reopen(step.name);
      this.stir(itemRun);
    }
  }

  stirAll(): void {
    for (const itemRun of this.#itemRuns) this.stirWhole(itemRun);
  }

  /** Marks an item run and its elements. */
  stirWhole(itemRun: ItemRun): void {
    this.stir(itemRun);
    for (const lane of itemRun.lanes) this.stir(lane);
  }

  /**
   * Marks the item runs that may wait for a step of this one: an item and its elements wait for each other, and so do the
   * elements of different fan-outs.
   */
  stirAround({ root, element }: ItemRun): void {
    if (element !== undefined) this.stir(root);
    for (const { fan, lanes = [] } of root.fans)
      if (fan.step !== element?.fan.step) for (const lane of lanes) this.stir(lane);
  }

  /** Takes the next item run in which a step may be ready. */
  next(): ItemRun | undefined {
    for (const stirred of [this.#ahead, this.#stirred])
      for (const itemRun of stirred) {
        stirred.delete(itemRun);
        return itemRun;
      }
    return undefined;
  }

  /** Removes an item that is over. False if it was not in progress. */
  close(itemRun: ItemRun): boolean {
    for (const fingerprint of this.#projects.get(itemRun) ?? []) {
      const having = this.#having.get(fingerprint);
      having?.delete(itemRun);
      if (having?.size === 0) this.#having.delete(fingerprint);
    }
    this.#projects.delete(itemRun);
    return this.#itemRuns.delete(itemRun);
  }
}
