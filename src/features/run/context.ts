// What the parts of a run share: its options, and what was found before it begins.

import type { Redactor } from '../../base/redactor.ts';
import type { Plan } from '../../core/plan-table.ts';
import type { Clock } from '../../core/ports.ts';
import type { RunEvent, TaskDetail } from '../../core/run-event.ts';
import type { RunView } from '../../core/run-view.ts';
import type { Engine } from '../../distributed/coordinator.ts';
import { speedFactorOf } from '../../service-api/connect-service.ts';
import type { Pictures, Speed } from '../../service-api/local-service.ts';
import type { Target, TargetOptions } from '../../service-api/target.ts';
import type { WebhookConfig, WebhookOptions } from '../../service-api/webhooks.ts';
import type { StoreChoice } from '../../stores/open-store.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import type { RunInternals } from '../internals.ts';
import type { PrepareOptions } from '../planning/options.ts';
import type { PlanReading } from '../planning/reading.ts';

export interface RunOptions extends TargetOptions, PrepareOptions, WebhookOptions {
  /**
   * Epoch milliseconds: the due time of the schedule that the run is for. A run for this due time that has ended is not
   * repeated, and one that was interrupted continues.
   */
  readonly due?: number | undefined;
  /** `--plan`: the digest of a plan. The run buys and deletes what that plan said, or refuses. */
  readonly plan?: string | undefined;
  /**
   * Asks a person before a hosted run buys, if the plan may take more credits than `confirmAbove`, or if its price is not
   * known. The run then buys no more than the plan says, and refuses if a file has changed meanwhile.
   */
  readonly confirm?: ((question: RunQuestion) => Promise<boolean>) | undefined;
  /** In credits; default: `confirm_above` of the pipeline. */
  readonly confirmAbove?: number | undefined;
  /** `--commit`: make one git commit with the state file and the outputs of this pipeline, at most 1 MiB each and 20 MiB in all. */
  readonly commit?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Called with every event of the run. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Called while the plan is made: it has looked at `seen` of the items. */
  readonly onLook?: ((seen: number, of: number) => void) | undefined;
  /** Called when the run begins: `facts` says at any time how far the run is. */
  readonly onLive?: ((facts: () => LiveFacts) => void) | undefined;
  /**
   * `--engine`: the address of a Postgres database, without a password. Workers on several machines move the bytes of the run, and
   * the database has its record until it ends. Their secret is in SHOTLIST_WORKER_SECRET.
   */
  readonly engine?: string | undefined;
  /** If it is aborted, nothing new starts and requests in flight are completed; a later run continues from there. */
  readonly signal?: AbortSignal;
  /**
   * How long requests in flight may take after `signal` is aborted, in milliseconds; default 30,000. Then they are cut,
   * and a creation among them is in doubt.
   */
  readonly graceMs?: number;
  /**
   * `--detach-after`: from then on, in milliseconds, the run creates nothing and does not wait for projects that render. It
   * saves what is ready and ends with the outcome `waiting`; a later run or tick continues it.
   */
  readonly detachAfterMs?: number | undefined;
  /** How fast the local service of a rehearsal renders; default: immediately. */
  readonly rehearsalSpeed?: Speed;
  /** What the local service of a rehearsal renders; default: real previews. */
  readonly rehearsalPictures?: Pictures;
}

/** When a scheduled run was due: ISO 8601, in UTC. */
export const dueTimeOf = ({ due }: RunOptions): string | undefined =>
  due === undefined ? undefined : new Date(due).toISOString();

/** For the time left: the medians of the tools hold for the hosted service, and for a rehearsal at a known speed. */
export function paceOf(speed: Speed | undefined): number | undefined {
  if (speed === undefined || speed === 'instant') return undefined;
  return speed === 'realtime' ? 1 : speed;
}

/** What a person sees before a run buys. The `planned` event has told the plan. */
export interface RunQuestion {
  readonly plan: Plan;
  readonly reading: PlanReading;
  /** The question is asked because the plan may take more credits than this. */
  readonly above: number;
  /** The question is asked because something is paid for again. */
  readonly isAgain: boolean;
}

/** `run` waits until everything is over; `tick` looks, buys and ends. */
export type Manner = 'run' | 'tick';

export interface RunContext {
  readonly manner: Manner;
  readonly target: Target;
  readonly webhooks: WebhookConfig | undefined;
  /** Undefined if the pipeline names no store. */
  readonly store: StoreChoice | undefined;
  readonly options: RunOptions;
  readonly internals: RunInternals;
  readonly clock: Clock;
  /** Hides the run's secrets in events and in everything that is written. */
  readonly redactor: Redactor;
  readonly onEvent: (event: RunEvent, detail?: TaskDetail) => void;
  /** What `onEvent` folds into. */
  readonly view: RunView;
  /** For others who ask how far the run is. */
  readonly answer: () => LiveFacts;
  /** Of a run whose bytes move on several machines. */
  readonly engine: Engine | undefined;
}

/** The speed of the service relative to the hosted one. */
export const speedOf = ({ options, internals, target }: RunContext): number =>
  internals.speedFactor ?? speedFactorOf(target, options.rehearsalSpeed ?? 'instant');
