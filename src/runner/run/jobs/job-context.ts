// What a job is performed with: the plugs, and how long to wait.

import type { Outages } from './outages.ts';
import type { Clock, Disk, MediaApi } from './ports.ts';
import type { WebhookInbox } from './webhook-inbox.ts';

export interface JobContext {
  /** Its free calls wait while the service is away. */
  readonly api: MediaApi;
  readonly outages: Pick<
    Outages,
    'waitedMs' | 'holdCreations' | 'readyToCreate' | 'hearOfCreation'
  >;
  readonly disk: Disk;
  readonly clock: Clock;
  /** Aborted when the run is asked to stop: waiting ends, requests that pay are waited for. */
  readonly stop: AbortSignal;
  /** The first pause before a request is sent again, in milliseconds. */
  readonly backoffMs: number;
  /** How many times faster than the hosted service this one is: polling follows it. */
  readonly speedFactor: number;
  /** What the service's events tell; undefined: nobody listens to them, projects are only polled. */
  readonly inbox?: WebhookInbox | undefined;
}
