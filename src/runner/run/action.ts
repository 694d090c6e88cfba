// The actions of a run: what it does about a step that is ready.
import type { JobLine } from '../journal/line.ts';
import type { FileCounts } from '../plan/decide.ts';
import type { End } from '../plan/ending.ts';
import type { ItemVerdict } from '../plan/planning.ts';
import type { Fingerprint } from '../task/fingerprint.ts';
import type { JobOrder } from './jobs/job.ts';
import type { Refresh } from './refresh-inputs.ts';

export type Action =
  | {
      readonly action: 'start';
      /** Undefined if no other task can share the job. */
      readonly fingerprint: Fingerprint | undefined;
      readonly order: JobOrder;
    }
  /** Another task's job is in flight for the same content. This task waits for that job, and pays nothing. */
  | { readonly action: 'join'; readonly fingerprint: Fingerprint }
  | Reuse
  /** These outputs are refreshed first; then the task is decided again. */
  | { readonly action: 'refresh'; readonly list: readonly Refresh[] }
  | Wait
  | EndWithoutJob;

/** Done before. `files`: those of a download, unless all are whole; then `why` says so. */
export interface Reuse {
  readonly action: 'reuse';
  readonly fingerprint: Fingerprint;
  readonly job: JobLine;
  readonly why: string;
  readonly files: FileCounts | undefined;
}

/** The task is decided again after an event that may let it continue. */
export interface Wait {
  readonly action: 'wait';
}

export interface EndWithoutJob extends End {
  readonly action: 'end';
  /** For `doubt`: the credits that may have been charged. */
  readonly reserve?: number;
}

/** By item, then by step: the verdicts for items that cannot be done as planned. */
export type UnrunnableItems = ReadonlyMap<string, ReadonlyMap<string, ItemVerdict>>;
