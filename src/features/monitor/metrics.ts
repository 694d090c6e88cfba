// The metrics of this process in the format of Prometheus. Labels have few values and name no file, item or project.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CreditTotals } from '../../model/ledger.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import {
  longestSilenceMs,
  type ProjectFacts,
  type QueueState,
  type RequestFacts,
  type RunWatch,
  type WatchedRun,
  type WatchedWorker,
} from '../../run/monitor.ts';
import type { RunEvent } from '../../run/run-event.ts';
import type { RunView } from '../../run/run-view.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** In seconds. */
const waitBuckets = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 10_800];

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Counter<Label> => new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Gauge<Label> => new Gauge({ name, help, labelNames, registers });
  const wait = (name: string, help: string): Histogram<'kind'> =>
    new Histogram({ name, help, labelNames: ['kind'], buckets: waitBuckets, registers });
  const ofPipeline = ['pipeline'] as const;
  const ofWorker = ['pipeline', 'worker'] as const;
  return {
    registry,
    runs: counter('shotlist_runs_total', 'Runs that ended, by outcome.', ['pipeline', 'outcome']),
    running: gauge('shotlist_runs_in_progress', 'Runs in progress.', ofPipeline),
    lastRun: gauge(
      'shotlist_last_run_timestamp_seconds',
      'When the last run ended, in Unix time.',
      ofPipeline,
    ),
    nextDue: gauge(
      'shotlist_next_due_timestamp_seconds',
      'When the next run is due, in Unix time.',
      ofPipeline,
    ),
    tasks: counter('shotlist_tasks_total', 'Tasks that ended, by step kind and ending.', [
      'pipeline',
      'kind',
      'ending',
    ]),
    doubts: gauge(
      'shotlist_tasks_in_doubt',
      'Tasks in doubt: they may have been paid for, and nobody knows.',
      ofPipeline,
    ),
    items: gauge('shotlist_items_queued', 'Items of the run that are not finished.', ofPipeline),
    charged: counter('shotlist_credits_charged_total', 'Credits charged.', ofPipeline),
    refunded: counter('shotlist_credits_refunded_total', 'Credits refunded.', ofPipeline),
    reserved: gauge(
      'shotlist_credits_reserved',
      'Credits set aside for creations without a final charge.',
      ofPipeline,
    ),
    balance: gauge('shotlist_account_credits', 'The balance of the account.', ofPipeline),
    requests: counter('shotlist_requests_total', 'Requests to the service and its storage.', [
      'route',
      'status',
    ]),
    queueWait: wait(
      'shotlist_project_queue_seconds',
      "How long projects waited in the service's queue, as polling saw it.",
    ),
    renderWait: wait(
      'shotlist_project_rendering_seconds',
      'How long projects were rendered, as polling saw it.',
    ),
    down: gauge('shotlist_service_down', '1 while a run waits out an outage.', ['pipeline', 'of']),
    hooks: counter('shotlist_hooks_total', 'Hooks that were called, by result.', [
      'pipeline',
      'hook',
      'result',
    ]),
    // Of distributed runs. A worker has a label of its own in the metrics of the coordinator, until it is gone.
    orders: gauge(
      'shotlist_engine_orders',
      'Orders of a distributed run: queued, parked, or active at workers.',
      ['pipeline', 'state'],
    ),
    workers: gauge('shotlist_engine_workers', 'Workers that were heard lately.', ofPipeline),
    silent: gauge(
      'shotlist_engine_worker_silent_seconds',
      'Time since the last beat of each worker.',
      ofWorker,
    ),
    busy: gauge(
      'shotlist_engine_worker_orders',
      'Orders that each worker performs, by its last beat.',
      ofWorker,
    ),
    term: gauge('shotlist_engine_term', 'The number of the term of the coordinator.', ofPipeline),
    behind: gauge(
      'shotlist_engine_records_behind',
      'Records that the coordinator has not heard yet.',
      ofPipeline,
    ),
    away: gauge(
      'shotlist_database_away',
      '1 while the database of a distributed run is away.',
      ofPipeline,
    ),
    performing: gauge('shotlist_worker_orders', 'Orders that this worker performs.', ofPipeline),
    places: gauge(
      'shotlist_worker_places',
      'Orders that this worker performs at most at once.',
      ofPipeline,
    ),
    ended: counter(
      'shotlist_worker_orders_total',
      'Orders that this worker has ended, by outcome.',
      ['pipeline', 'outcome'],
    ),
    sinceBeat: gauge(
      'shotlist_worker_silent_seconds',
      'Time since the database last heard of this worker.',
      ofPipeline,
    ),
  };
}

interface Labels {
  readonly pipeline: string;
}

/** Of one distributed run, at its coordinator. */
export class QueueMetrics {
  readonly #metrics: Metrics;
  readonly #labels: Labels;
  readonly #workers = new Set<string>();

  constructor(metrics: Metrics, labels: Labels) {
    this.#metrics = metrics;
    this.#labels = labels;
  }

  /** Undefined: the database is away. The last numbers stay. */
  set(state: QueueState | undefined): void {
    const { orders, workers, silent, busy, term, behind, away } = this.#metrics;
    const labels = this.#labels;
    away.set(labels, state === undefined ? 1 : 0);
    if (state === undefined) return;
    for (const name of ['queued', 'parked', 'active'] as const)
      orders.set({ ...labels, state: name }, state[name]);
    term.set(labels, state.term);
    behind.set(labels, state.behind);
    const here = state.workers.filter(({ silentMs }) => silentMs < longestSilenceMs);
    workers.set(labels, here.length);
    const names = new Set(here.map(({ worker }) => worker));
    for (const gone of [...this.#workers].filter((name) => !names.has(name))) this.#forget(gone);
    for (const one of here) {
      this.#workers.add(one.worker);
      silent.set({ ...labels, worker: one.worker }, one.silentMs / 1000);
      busy.set({ ...labels, worker: one.worker }, one.busy);
    }
  }

  end(): void {
    const { orders, workers, term, behind, away } = this.#metrics;
    for (const worker of [...this.#workers]) this.#forget(worker);
    for (const state of ['queued', 'parked', 'active']) orders.remove({ ...this.#labels, state });
    for (const metric of [workers, term, behind, away]) metric.remove(this.#labels);
  }

  #forget(worker: string): void {
    this.#workers.delete(worker);
    for (const metric of [this.#metrics.silent, this.#metrics.busy])
      metric.remove({ ...this.#labels, worker });
  }
}

/** Of a worker in one run. */
export class WorkerMetrics {
  readonly #metrics: Metrics;
  readonly #labels: Labels;
  readonly #clock: Pick<Clock, 'elapsed'>;
  #beatAt: number;

  constructor(
    metrics: Metrics,
    { pipeline, places }: WatchedWorker,
    clock: Pick<Clock, 'elapsed'>,
  ) {
    this.#metrics = metrics;
    this.#labels = { pipeline };
    this.#clock = clock;
    this.#beatAt = clock.elapsed();
    metrics.places.set(this.#labels, places);
    metrics.away.set(this.#labels, 0);
    metrics.performing.set(this.#labels, 0);
  }

  beat(busy: number): void {
    this.#beatAt = this.#clock.elapsed();
    this.#metrics.performing.set(this.#labels, busy);
  }

  ended(outcome: string): void {
    this.#metrics.ended.inc({ ...this.#labels, outcome });
  }

  away(isAway: boolean): void {
    this.#metrics.away.set(this.#labels, isAway ? 1 : 0);
  }

  /** Brings what grows with time up to date. */
  collect(): void {
    this.#metrics.sinceBeat.set(this.#labels, (this.#clock.elapsed() - this.#beatAt) / 1000);
  }

  over(): void {
    const { places, performing, away, sinceBeat } = this.#metrics;
    for (const metric of [places, performing, away, sinceBeat]) metric.remove(this.#labels);
  }
}

// Measures how long the projects of a run wait in the service's queue and are rendered, from what polling sees.

interface Waiting {
  readonly kind: string;
  readonly status: 'queued' | 'rendering';
  /** By the clock's `elapsed`. */
  readonly since: number;
}

export class ProjectWaits {
  readonly #metrics: Metrics;
  /** By id: projects that this run made and that are not finished. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  see({ id, kind, status }: ProjectFacts, now: number): void {
    const known = this.#waiting.get(id);
    if (known === undefined) {
      // The beginning of other projects is unknown.
      if (kind !== undefined) this.#waiting.set(id, { kind, status: 'queued', since: now });
      return;
    }
    if (status === known.status) return;
    const seconds = (now - known.since) / 1000;
    const { queueWait, renderWait } = this.#metrics;
    (known.status === 'queued' ? queueWait : renderWait).observe({ kind: known.kind }, seconds);
    if (status === 'rendering') this.#waiting.set(id, { ...known, status, since: now });
    else this.#waiting.delete(id);
  }
}

// Turns what happens in one run into metrics.

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
