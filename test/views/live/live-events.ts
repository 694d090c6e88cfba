// A view in the middle of a run, for tests.
import type { Plan, PlanRow } from '../../../src/core/plan-table.ts';
import type { RunEvent, TaskDetail, TaskEnding } from '../../../src/core/run-event.ts';
import { RunView } from '../../../src/core/run-view.ts';
import { type LiveFacts, liveFacts } from '../../../src/views/live/live-facts.ts';

export const row = (step: string, kind: string, count: number): PlanRow => ({
  ...{ step, kind, credits: 0, unpriced: 0 },
  tasks: { begin: count },
});

export function planOf(items: number, rows: readonly PlanRow[], credits = items * 10): Plan {
  return {
    ...{ items, rows, credits, unpriced: 0, uncounted: 0, unpricedWhy: [], badItems: 0 },
    ...{ files: { changed: 0, elsewhere: 0, stored: 0 }, notes: [], noted: 0 },
  };
}

/** Drives a view through a run, with a clock of its own. */
export class Watching {
  readonly view: RunView;
  now = 0;
  #over = 0;

  constructor(
    items: number,
    {
      rows = [row('photo', 'upload', items), row('color', 'photo-colorizer', items)],
      budget,
      speed,
      pipeline = 'photos',
      rehearsal = false,
      usualMs,
    }: {
      readonly rows?: readonly PlanRow[];
      readonly budget?: number;
      readonly speed?: number;
      readonly pipeline?: string;
      readonly rehearsal?: boolean;
      readonly usualMs?: Readonly<Record<string, number>>;
    } = {},
  ) {
    this.view = new RunView({ pipeline, speed, began: 0 });
    this.take({ type: 'started', rehearsal, service: 'x', state: 's', output: 'o' });
    const plan = planOf(items, rows);
    this.take({
      ...{ type: 'planned', plan },
      ...(budget === undefined ? {} : { budget }),
      ...(usualMs === undefined ? {} : { usualMs }),
    });
  }

  take(event: RunEvent, detail?: TaskDetail): void {
    this.view.take(event, this.now, detail);
  }

  facts(now = this.now): LiveFacts {
    return liveFacts(this.view, now);
  }

  begin(step: string, item: string): void {
    this.take({ type: 'begun', step, task: `${step}:${item}`, item });
  }

  end(step: string, item: string, ending: TaskEnding = 'done', credits = 0, why?: string): void {
    const about = { step, task: `${step}:${item}`, item, ending, credits };
    if (credits > 0) this.take({ type: 'charged', task: about.task, item, credits });
    this.take({ type: 'task', ...about, ...(why === undefined ? {} : { why }) });
  }

  itemOver(item: string, ok = true, changed = true): void {
    this.#over += 1;
    this.take({ type: 'item', item, ok, changed, of: this.#over });
  }

  /** Both steps of an item: the second takes `ms`, and costs 10 credits. */
  whole(item: string, ms: number, ending: TaskEnding = 'done', why?: string): void {
    this.begin('photo', item);
    this.end('photo', item);
    this.begin('color', item);
    this.now += ms;
    this.end('color', item, ending, ending === 'done' ? 10 : 0, why);
    this.itemOver(item, ending === 'done');
  }
}
