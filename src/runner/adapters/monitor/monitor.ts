// A monitor: hears about the runs of this process, and answers /healthz, /readyz and /metrics.
import { ok, type Result } from '../../../contract/base/result.ts';
import type { WatchedWorker, WorkerObserver, WorkerWatch } from '../../report/engine-watch.ts';
import type { RunObserver, RunWatch, WatchedRun } from '../../report/run-watch.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { ListenAddress } from '../http/listen.ts';
import { createEngineMetrics, QueueMetrics, WorkerMetrics } from './engine-metrics.ts';
import { createMetrics } from './metrics.ts';
import { ProjectWaits } from './project-waits.ts';
import { Readiness } from './readiness.ts';
import { RunMetrics } from './run-metrics.ts';
import { openMonitorServer } from './server.ts';

export interface MonitorOptions {
  readonly listen: ListenAddress;
  /** Aborted when the process is asked to stop. */
  readonly stop?: AbortSignal | undefined;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}

export interface Monitor extends RunObserver, WorkerObserver {
  /** Where it answers, `http://127.0.0.1:9464`. */
  readonly address: string;
  /** The process is set up, and waits for work on these state files (absolute paths). */
  opened(states: readonly string[]): void;
  /** The database, in which the process looks for work, is away or back. */
  databaseAway(isAway: boolean): void;
  /** When the next run of a pipeline is due, in epoch milliseconds; undefined if none is. */
  setNextDue(pipeline: string, due: number | undefined): void;
  close(): Promise<void>;
}

/** More pipelines than this share one label. */
const mostPipelines = 200;

/** The error says why the monitor cannot listen there. */
export async function startMonitor({
  listen,
  stop,
  clock,
}: MonitorOptions): Promise<Result<Monitor, string>> {
  const metrics = createMetrics();
  const { registry } = metrics;
  const engineMetrics = createEngineMetrics(registry);
  const readiness = new Readiness(stop);
  const running = new Set<RunMetrics | WorkerMetrics>();
  const names = new Set<string>();
  const labelOf = (pipeline: string): string => {
    if (names.size < mostPipelines) names.add(pipeline);
    return names.has(pipeline) ? pipeline : 'other';
  };
  const server = await openMonitorServer(listen, {
    reasons: () => readiness.reasons(),
    async metrics() {
      for (const run of running) run.collect();
      return { type: registry.contentType, text: await registry.metrics() };
    },
  });
  if (!server.ok) return server;
  const begin = ({ pipeline, kinds, state }: WatchedRun): RunWatch => {
    const label = labelOf(pipeline);
    const run = new RunMetrics(metrics, { pipeline: label, kinds }, clock);
    let queue: QueueMetrics | undefined;
    running.add(run);
    readiness.runBegins(state);
    return {
      event(event) {
        run.event(event);
        readiness.event(event);
        if (event.type !== 'ended') return;
        queue?.end();
        running.delete(run);
      },
      request(request) {
        run.request(request);
        readiness.request(request);
      },
      project: (project) => run.project(project),
      ledger: (totals) => run.ledger(totals),
      refused(reason) {
        run.end(reason === 'system' ? 'stopped' : 'refused');
        readiness.refused(reason);
        queue?.end();
        running.delete(run);
      },
      queue(state) {
        queue ??= new QueueMetrics(engineMetrics, { pipeline: label });
        queue.set(state);
        readiness.databaseAway(state === undefined);
      },
    };
  };
  const beginWorker = ({ pipeline, places }: WatchedWorker): WorkerWatch => {
    const worker = new WorkerMetrics(engineMetrics, { pipeline: labelOf(pipeline), places }, clock);
    const waits = new ProjectWaits(metrics);
    running.add(worker);
    return {
      beat: (busy) => worker.beat(busy),
      ended: (outcome) => worker.ended(outcome),
      away(isAway) {
        worker.away(isAway);
        readiness.databaseAway(isAway);
      },
      request({ route, status }) {
        metrics.requests.inc({ route, status });
        readiness.request({ route, status });
      },
      project: (project) => waits.see(project, clock.elapsed()),
      over() {
        worker.over();
        running.delete(worker);
      },
    };
  };
  return ok({
    address: server.value.address,
    begin,
    beginWorker,
    databaseAway: (isAway) => readiness.databaseAway(isAway),
    opened: (states) => readiness.opened(states),
    setNextDue(pipeline, due) {
      const labels = { pipeline: labelOf(pipeline) };
      if (due === undefined) metrics.nextDue.remove(labels);
      else metrics.nextDue.set(labels, due / 1000);
    },
    close: () => server.value.close(),
  });
}
