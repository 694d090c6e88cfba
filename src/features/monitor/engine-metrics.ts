// The metrics of distributed runs. A worker has a label of its own in the metrics of the coordinator, until it is gone.
import { Counter, Gauge, type Registry } from 'prom-client';
import { longestSilenceMs, type QueueState, type WatchedWorker } from '../../run/engine-watch.ts';
import type { Clock } from '../../run/jobs/ports.ts';

export type EngineMetrics = ReturnType<typeof createEngineMetrics>;

export function createEngineMetrics(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Gauge<Label> => new Gauge({ name, help, labelNames, registers });
  const ofPipeline = ['pipeline'] as const;
  const ofWorker = ['pipeline', 'worker'] as const;
  return {
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
    ended: new Counter({
      name: 'shotlist_worker_orders_total',
      help: 'Orders that this worker has ended, by outcome.',
      labelNames: ['pipeline', 'outcome'] as const,
      registers,
    }),
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
  readonly #metrics: EngineMetrics;
  readonly #labels: Labels;
  readonly #workers = new Set<string>();

  constructor(metrics: EngineMetrics, labels: Labels) {
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
  readonly #metrics: EngineMetrics;
  readonly #labels: Labels;
  readonly #clock: Pick<Clock, 'elapsed'>;
  #beatAt: number;

  constructor(
    metrics: EngineMetrics,
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
