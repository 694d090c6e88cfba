// The tasks with nothing to do: the walk reports them without a visit. Which of them are skipped, and why, is kept for a run that
// finds nothing changed.

import type { RunEvent, Tell } from '../core/run-event.ts';
import type { Tally } from '../core/tally.ts';
import type { Step } from '../language/pipeline.ts';
import type { Item } from '../model/item.ts';
import { taskId } from '../model/task.ts';

const itemsPerTurn = 1000;

const none: Skips = {};
const reused = { ending: 'reused', why: 'nothing to do' } as const;

/** Reports items and shared steps with nothing to do. */
export class SettledTasks {
  readonly #tally: Tally;
  readonly #tell: Tell;

  /** `tally`: what `tell` folds into. */
  constructor(tally: Tally, tell: Tell) {
    this.#tally = tally;
    this.#tell = tell;
  }

  /** Reports items until `isHalted` says that the run stops. `skips`: why tasks of an item are skipped, by step. */
  async passItems(
    items: Iterable<Item>,
    steps: readonly Step[],
    isHalted: () => boolean,
    skips: (item: string) => Skips = () => none,
  ): Promise<void> {
    let passed = 0;
    for (const item of items) {
      // A signal of the system is heard only between two turns of the event loop.
      if (passed++ % itemsPerTurn === 0) await new Promise((resolve) => void setImmediate(resolve));
      if (isHalted()) return;
      const why = skips(item.key);
      for (const step of steps) this.pass(step, why[step.name], item);
      const of = this.#tally.itemsOver + 1;
      this.#tell({ type: 'item', item: item.key, ok: true, changed: false, of });
    }
  }

  /** `skipped`: why the task is skipped. Without `item`, the step is shared. */
  pass({ name }: Step, skipped: string | undefined, item?: Item): void {
    const task = taskId(name, item);
    const end = skipped === undefined ? reused : ({ ending: 'skipped', why: skipped } as const);
    this.#tell({ type: 'task', task, step: name, ...end, credits: 0, item: item?.key });
  }
}

/** By step: why the task is skipped. */
export type Skips = Readonly<Record<string, string>>;

export interface SkippedGroup {
  readonly skips: Skips;
  /** The keys of the items; "" stands for the shared steps. */
  readonly items: readonly string[];
}

const shared = '';

/** Many items skip the same steps for the same reasons. */
export class SkippedTasks {
  /** Of items that are not over, by key. */
  readonly #open = new Map<string, Record<string, string>>();
  readonly #groups = new Map<string, { readonly skips: Skips; readonly items: string[] }>();

  hear(event: RunEvent): void {
    if (event.type === 'item') this.#over(event.item);
    if (event.type !== 'task' || event.ending !== 'skipped') return;
    const { item = shared, step, why = '' } = event;
    this.#open.set(item, { ...this.#open.get(item), [step]: why });
  }

  #over(item: string): void {
    const skips = this.#open.get(item);
    if (skips === undefined) return;
    this.#open.delete(item);
    const name = JSON.stringify(skips);
    const group = this.#groups.get(name) ?? { skips, items: [] };
    this.#groups.set(name, group);
    group.items.push(item);
  }

  /** Call when the run is over. */
  get groups(): readonly SkippedGroup[] {
    this.#over(shared);
    return [...this.#groups.values()];
  }
}

/** By the key of an item; without a key, of the shared steps. */
export function skipsOf(groups: readonly SkippedGroup[]): (item?: string) => Skips {
  const byItem = new Map(groups.flatMap(({ skips, items }) => items.map((item) => [item, skips])));
  return (item = shared) => byItem.get(item) ?? {};
}
