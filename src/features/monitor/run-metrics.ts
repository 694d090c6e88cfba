// Turns what happens in one run into metrics.
import type { CreditTotals } from '../../model/ledger.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { ProjectFacts, RequestFacts } from '../../run/request-watch.ts';
import type { RunEvent } from '../../run/run-event.ts';
import type { RunView } from '../../run/run-view.ts';
import type { RunWatch, WatchedRun } from '../../run/run-watch.ts';
import type { Metrics } from './metrics.ts';
import { ProjectWaits } from './project-waits.ts';

const unknown = 'unknown';

export class RunMetrics {
  readonly #metrics: Metrics;
  readonly #kinds: WatchedRun['kinds'];
  readonly #pipeline: { readonly pipeline: string };
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly #waits: ProjectWaits;
  readonly #view: RunView;
  #totals: (() => CreditTotals) | undefined;
  /** The totals that the counters include. */
  #counted: CreditTotals | undefined;

  /** `pipeline`: the label. */
  constructor(
    metrics: Metrics,
    { pipeline, kinds, view }: Omit<WatchedRun, 'state'>,
    clock: Pick<Clock, 'now' | 'elapsed'>,
  ) {
    this.#metrics = metrics;
    this.#kinds = kinds;
    this.#pipeline = { pipeline };
    this.#clock = clock;
    this.#view = view;
    this.#waits = new ProjectWaits(metrics);
    metrics.running.inc(this.#pipeline);
  }

  event(event: RunEvent): void {
    const { tasks, doubts, balance, down, hooks } = this.#metrics;
    const pipeline = this.#pipeline;
    switch (event.type) {
      case 'task': {
        const kind = this.#kinds.get(event.step) ?? unknown;
        return tasks.inc({ ...pipeline, kind, ending: event.ending });
      }
      case 'account':
        return balance.set(pipeline, event.balance);
      case 'waiting':
      case 'back':
        return down.set({ ...pipeline, of: event.of }, this.#view.isAway(event.of) ? 1 : 0);
      case 'hook':
        return hooks.inc({ ...pipeline, hook: event.hook, result: event.result });
      case 'ended':
        doubts.set(pipeline, event.summary.tasks.doubt);
        return this.end(event.summary.outcome);
    }
  }

  request({ route, status }: RequestFacts): void {
    this.#metrics.requests.inc({ route, status });
  }

  project(project: ProjectFacts): void {
    this.#waits.see(project, this.#clock.elapsed());
  }

  ledger(totals: Parameters<RunWatch['ledger']>[0]): void {
    this.#totals = totals;
    this.#counted = totals();
  }

  /** Brings the gauges and the credits up to date. Counters never go down. */
  collect(): void {
    const { planned, itemsLeft, tally } = this.#view;
    const { items, doubts } = this.#metrics;
    if (planned !== undefined) items.set(this.#pipeline, itemsLeft);
    if (tally.tasks.doubt > 0) doubts.set(this.#pipeline, tally.tasks.doubt);
    if (this.#totals === undefined || this.#counted === undefined) return;
    const { charged, refunded, reserved } = this.#metrics;
    const now = this.#totals();
    charged.inc(this.#pipeline, Math.max(0, now.charged - this.#counted.charged));
    refunded.inc(this.#pipeline, Math.max(0, now.refunded - this.#counted.refunded));
    reserved.set(this.#pipeline, now.reserved);
    this.#counted = {
      charged: Math.max(now.charged, this.#counted.charged),
      refunded: Math.max(now.refunded, this.#counted.refunded),
      reserved: now.reserved,
    };
  }

  /** `outcome`: of the summary, or why there is none. */
  end(outcome: string): void {
    this.collect();
    this.#totals = undefined;
    const { runs, running, lastRun, items, down } = this.#metrics;
    runs.inc({ ...this.#pipeline, outcome });
    running.dec(this.#pipeline);
    lastRun.set(this.#pipeline, this.#clock.now() / 1000);
    items.set(this.#pipeline, 0);
    for (const part of ['service', 'creations', 'storage'])
      down.remove({ ...this.#pipeline, of: part });
  }
}
