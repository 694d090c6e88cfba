// What is to be done about a step whose turn has come, and what that is decided with.
import type { JobLine } from '../journal/line.ts';
import type { Scope } from '../language/expression.ts';
import type { Pipeline, Step } from '../language/pipeline.ts';
import type { Act } from '../plan/decide.ts';
import type { Verdict } from '../plan/planning.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { Budget } from './budget.ts';
import type { FileFacts } from './file-facts.ts';
import type { ItemRun } from './item-run.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Clock, Journal } from './jobs/ports.ts';
import type { Renewing } from './refresh-inputs.ts';
import type { StepBreaker } from './step-breaker.ts';

export type Action =
  | {
      readonly action: 'job';
      /** Undefined where no other task can share the job. */
      readonly fingerprint: Fingerprint | undefined;
      readonly order: JobOrder;
    }
  /** Another task's job is in the air for the same content: this one waits for it, and pays nothing. */
  | { readonly action: 'join'; readonly fingerprint: Fingerprint }
  /** Another item uses the same project just now: it is asked again when something has happened. */
  | { readonly action: 'wait' }
  | { readonly action: 'reuse'; readonly fingerprint: Fingerprint; readonly job: JobLine }
  /** These are made fresh first; then it is asked again. */
  | { readonly action: 'renew'; readonly list: readonly Renewing[] }
  /** In doubt; `reserve`: credits that may have been charged. */
  | { readonly action: 'hold'; readonly why: string; readonly reserve: number }
  | {
      readonly action: 'skip' | 'fail' | 'later' | 'exclude' | 'block';
      readonly why: string;
    };

/** By item, then by step: what becomes of the items that cannot be done as they are. */
export type Hopeless = ReadonlyMap<string, ReadonlyMap<string, Verdict>>;

export interface DispatcherOptions {
  readonly pipeline: Pipeline;
  readonly base: Pick<Scope, 'inputs' | 'env' | 'run'>;
  readonly journal: Journal;
  readonly fileFacts: FileFacts;
  readonly clock: Clock;
  readonly budget: Budget;
  /** A result that is gone here and there may be paid again. */
  readonly payAgain: boolean;
  /** The service's events are listened to: one may say what became of a creation in doubt. */
  readonly listening?: boolean;
  /** May this be done for a step in this run? What is done before is reused in any case. */
  readonly allows: (step: Step, act: Act) => boolean;
  readonly stepBreaker: StepBreaker;
  readonly hopeless: Hopeless;
  /** Jobs that failed in this run: siblings with the same content would meet the same fate. */
  readonly failed: Map<Fingerprint, string>;
  /** A name for the next job. */
  readonly key: () => string;
  /** Would a download meet a delete of the same project, or a delete a use of it, of any item? */
  readonly inUse: (itemRun: ItemRun, step: Step, fingerprint: Fingerprint) => boolean;
  /** Was a job for this content begun in this run, in the air or over? Known only where steps are left out. */
  readonly begunNow: (fingerprint: Fingerprint) => boolean;
  /** Is a job for this content in the air? */
  readonly isInFlight: (fingerprint: Fingerprint) => boolean;
}
