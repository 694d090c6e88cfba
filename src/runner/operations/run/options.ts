// What a run can be told, by programs and by tests.
import type { ClientOptions } from '../../adapters/http/http-client.ts';
import type { RunEvent } from '../../report/run-event.ts';
import type { Clock, Disk, MediaApi } from '../../run/jobs/ports.ts';
import type { LineFile } from '../../run/journal-writer.ts';
import type { PrepareOptions } from '../planning/prepare.ts';
import type { Pictures, Speed } from '../service/local-service.ts';
import type { TargetOptions } from '../service/target.ts';
import type { WebhookOptions } from '../service/webhooks.ts';

export interface RunOptions extends TargetOptions, PrepareOptions, WebhookOptions {
  /** `--budget`, in credits. If the pipeline sets a budget too, the smaller one counts. */
  readonly budget?: number | undefined;
  /** `--run-id`: the budget covers all runs with this id. */
  readonly runId?: string | undefined;
  /** `--pay-again`: pay again for a result that is gone, both here and at the service. */
  readonly payAgain?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with everything that happens. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Aborted: nothing new starts, running requests end, and a later run goes on from there. */
  readonly signal?: AbortSignal;
  /**
   * How long running requests may take after `signal` was aborted, in milliseconds; default 30,000. Then they are cut, and
   * a creation among them is in doubt.
   */
  readonly graceMs?: number;
  /** How fast the local service of a rehearsal renders; default: at once. */
  readonly rehearsalSpeed?: Speed;
  /** What the local service of a rehearsal renders; default: real previews. */
  readonly rehearsalPictures?: Pictures;
}

/** For tests: what stands between a run and the world. */
export interface RunInternals {
  /** What the journal's lines go through on their way to the state file. */
  readonly lines?: (file: LineFile) => LineFile;
  readonly api?: (api: MediaApi) => MediaApi;
  readonly disk?: (disk: Disk) => Disk;
  /** Limits of the client, and its network. */
  readonly client?: Partial<ClientOptions>;
  /** The first pause before a request is sent again, in milliseconds; default 1000. */
  readonly backoffMs?: number;
  /** How many times faster than the hosted service the service is, which polling follows; default 1. */
  readonly speedFactor?: number;
}
