// The metrics of this process in the format of Prometheus. Labels have few values and name no file, item or project.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

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
  };
}
