// What the run does about a step whose turn has come.
import type { JobLine } from '../journal/line.ts';
import type { End } from '../plan/ending.ts';
import type { Verdict } from '../plan/planning.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Refresh } from './refresh-inputs.ts';

export type Action =
  | {
      readonly action: 'start';
      /** Undefined where no other task can share the job. */
      readonly fingerprint: Fingerprint | undefined;
      readonly order: JobOrder;
    }
  /** Another task's job is in flight for the same content: this task waits for it, and pays nothing. */
  | { readonly action: 'join'; readonly fingerprint: Fingerprint }
  | { readonly action: 'reuse'; readonly fingerprint: Fingerprint; readonly job: JobLine }
  /** These are made fresh first; then the task is asked again. */
  | { readonly action: 'refresh'; readonly list: readonly Refresh[] }
  | Wait
  | EndWithoutJob;

/** The task is asked again when something has happened that may let it go on. */
export interface Wait {
  readonly action: 'wait';
}

export interface EndWithoutJob extends End {
  readonly action: 'end';
  /** `doubt`: credits that may have been charged for it. */
  readonly reserve?: number;
}

/** By item, then by step: what becomes of the items that cannot be done as they are. */
export type Hopeless = ReadonlyMap<string, ReadonlyMap<string, Verdict>>;
