// Opens a monitor: /healthz, /readyz and /metrics for a process that runs pipelines.

import { realClock } from '../../run/clock.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { ListenAddress } from '../../service-api/address.ts';
import type { Monitor } from './monitor.ts';

export type { Monitor };

export interface MonitoringOptions {
  /** `--monitor`: where to listen. */
  readonly listen: ListenAddress;
  /** The signal that the runs get too: if it is aborted, the process is no longer ready. */
  readonly signal?: AbortSignal | undefined;
  /** Default: the system's clock. */
  readonly clock?: Pick<Clock, 'now' | 'elapsed'>;
}

/**
 * Opens a monitor: `/healthz`, `/readyz` and `/metrics` of the runs that get it as their option `monitor`.
 *
 * @example
 * ```ts
 * import { loadPipeline, openMonitor, run } from 'shotlist';
 *
 * const pipeline = await loadPipeline('pipeline.yaml');
 * const monitor = await openMonitor({ listen: { host: '127.0.0.1', port: 0 } });
 * await run(pipeline, { rehearse: true, rehearsalPictures: 'plain', monitor });
 * console.log(await (await fetch(`${monitor.address}/metrics`)).text());
 * await monitor.close();
 * ```
 */
export async function openMonitor({
  listen,
  signal,
  clock = realClock,
}: MonitoringOptions): Promise<Monitor> {
  // The metrics library takes a tenth of a second to load.
  const { startMonitor } = await import('./monitor.ts');
  return await startMonitor({ listen, stop: signal, clock });
}
