// Measures how long the projects of a run wait in the service's queue and are rendered, from what polling sees.
import type { ProjectFacts } from '../../run/request-watch.ts';
import type { Metrics } from './metrics.ts';

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
