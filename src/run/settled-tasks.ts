// Reports items and shared steps with nothing to do. The walk does not visit them.
import type { Step } from '../language/pipeline.ts';
import type { Item } from '../model/item.ts';
import { taskId } from '../model/task.ts';
import type { Tell } from './run-event.ts';
import type { Skips } from './skipped-tasks.ts';
import type { Tally } from './tally.ts';

const itemsPerTurn = 1000;

const none: Skips = {};
const reused = { ending: 'reused', why: 'nothing to do' } as const;

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
