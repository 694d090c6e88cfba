// Opens a monitor: /healthz, /readyz and /metrics for a process that runs pipelines.
import { err, type Result } from '../../contract/base/result.ts';
import { realClock } from '../adapters/clock.ts';
import type { ListenAddress } from '../adapters/http/listen.ts';
import type { Monitor } from '../adapters/monitor/monitor.ts';
import type { Clock } from '../run/jobs/ports.ts';
import { type Problem, problem } from './pipeline/problem.ts';

export type { Monitor };

export interface MonitoringOptions {
  /** `--monitor`: where to listen. */
  readonly listen: ListenAddress;
  /** The signal that the runs get too: if it is aborted, the process is no longer ready. */
  readonly signal?: AbortSignal | undefined;
  /** Default: the system's clock. */
  readonly clock?: Pick<Clock, 'now' | 'elapsed'>;
}

/** Hand the monitor to the runs with the option `monitor`, and close it at the end. */
export async function openMonitor({
  listen,
  signal,
  clock = realClock,
}: MonitoringOptions): Promise<Result<Monitor, Problem>> {
  // The metrics library takes a tenth of a second to load.
  const { startMonitor } = await import('../adapters/monitor/monitor.ts');
  const started = await startMonitor({ listen, stop: signal, clock });
  if (started.ok) return started;
  const hint = 'choose another port; 0 selects a free one';
  return err(problem(`--monitor: ${started.error}`, 'shotlist', hint));
}
