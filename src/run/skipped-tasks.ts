// Which tasks of a run were skipped, and why. Many items skip the same steps for the same reasons.
import type { RunEvent } from './run-event.ts';

/** By step: why the task is skipped. */
export type Skips = Readonly<Record<string, string>>;

export interface SkippedGroup {
  readonly skips: Skips;
  /** The keys of the items; "" stands for the shared steps. */
  readonly items: readonly string[];
}

const shared = '';

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
