// The state that the parts of a run share: the options, and the findings before the run.
import type { Redactor } from '../../base/redactor.ts';
import type { LookSchedule } from '../../plan/look-schedule.ts';
import type { Clock } from '../../run/jobs/ports.ts';
import type { RunEvent } from '../../run/run-event.ts';
import type { RunView } from '../../run/run-view.ts';
import type { RunWatch } from '../../run/run-watch.ts';
import { speedFactorOf } from '../../service-api/connect-service.ts';
import type { Target } from '../../service-api/target.ts';
import type { WebhookConfig } from '../../service-api/webhooks.ts';
import type { StoreChoice } from '../../stores/open-store.ts';
import type { LiveFacts } from '../../views/live/live-facts.ts';
import type { Prepared } from '../plan/prepare.ts';
import type { Manner } from './manner.ts';
import type { RunInternals, RunOptions } from './options.ts';

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
  readonly onEvent: (event: RunEvent) => void;
  /** What `onEvent` folds into. */
  readonly view: RunView;
  /** For others who ask how far the run is. */
  readonly answer: () => LiveFacts;
  /** Undefined without a monitor. */
  readonly watch: RunWatch | undefined;
}

export interface PreparedRun extends RunContext {
  readonly prepared: Prepared;
  /** Credits; undefined if there is no limit. */
  readonly budget: number | undefined;
  /** By the clock's `elapsed`. */
  readonly began: number;
  /** A tick that can bring nothing forward now: it sends nothing. */
  readonly asleep: boolean;
  readonly lookSchedule: LookSchedule;
}

/** The speed of the service relative to the hosted one. */
export const speedOf = ({ options, internals, target }: RunContext): number =>
  internals.speedFactor ?? speedFactorOf(target, options.rehearsalSpeed ?? 'instant');
