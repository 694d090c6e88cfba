// All items of a run, for the shared steps that read `all` of a step of theirs. Other pipelines keep no item that is over.
import type { Step } from '../../language/pipeline.ts';
import type { Gathering } from '../../plan/fan-in.ts';
import type { Item } from '../../task/item.ts';
import type { ItemRun } from './item-run.ts';
import type { GatheredItems } from './run-tree.ts';

/** How far the items are. */
interface Progress {
  /** True if no item is in progress, and none will be. */
  readonly isDrained: boolean;
  /** The phase of the items that were not admitted; undefined if every item was. */
  readonly rest: 'blocked' | 'later' | undefined;
}

export interface GatheredRunsOptions {
  /** The steps of the items. */
  readonly steps: readonly Step[];
  /** The run includes only some of the items. */
  readonly partial: boolean;
  /** The place of an item among all items; undefined: they come in their order. */
  readonly orderOf: ((item: Item) => number) | undefined;
  readonly progress: () => Progress;
}

export class GatheredRuns implements GatheredItems<ItemRun> {
  readonly #o: GatheredRunsOptions;
  readonly steps: readonly Step[];
  readonly #runs: ItemRun[] = [];
  #isOrdered = false;

  constructor(options: GatheredRunsOptions) {
    this.#o = options;
    this.steps = options.steps.filter(({ isGathered, fan }) => isGathered && fan === undefined);
  }

  add(itemRun: ItemRun): void {
    if (this.steps.length > 0) this.#runs.push(itemRun);
  }

  runs(): readonly ItemRun[] {
    const { orderOf, progress } = this.#o;
    if (orderOf === undefined || this.#isOrdered || !progress().isDrained) return this.#runs;
    this.#isOrdered = true;
    const placeOf = ({ item }: ItemRun): number => (item === undefined ? 0 : orderOf(item));
    return this.#runs.sort((one, other) => placeOf(one) - placeOf(other));
  }

  rest(): Gathering['rest'] {
    const { isDrained, rest } = this.#o.progress();
    if (!isDrained) return 'waiting';
    return rest ?? (this.#o.partial ? 'excluded' : 'done');
  }
}
