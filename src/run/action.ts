// The actions of a run: what it does about a step that is ready, and the settings on which that depends.

import type { FileCounts } from '../core/file-counts.ts';
import type { FileFacts } from '../core/file-facts.ts';
import type { JournalWriter } from '../core/journal-writer.ts';
import type { Act } from '../core/planned-action.ts';
import type { Clock } from '../core/ports.ts';
import type { Scope } from '../language/expression.ts';
import type { Pipeline, Step } from '../language/pipeline.ts';
import type { Fingerprint } from '../model/fingerprint.ts';
import type { JobLine } from '../model/line.ts';
import type { End } from '../plan/ending.ts';
import type { Remembered } from '../plan/remembered.ts';
import type { Takes } from '../plan/takes.ts';
import type { JobOrder } from './jobs/job.ts';
import type { ManifestNotes } from './manifest-notes.ts';
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
  /** Too early as long as no creation may begin: then the task is decided again. */
  | { readonly action: 'slot' }
  | EndWithoutJob;

/** Done before. `files`: those of a download, unless all are whole; then `why` says so. */
export interface Reuse {
  readonly action: 'reuse';
  readonly fingerprint: Fingerprint;
  readonly job: JobLine;
  readonly why: string;
  readonly files: FileCounts | undefined;
  /** Credits that other takes have cost. */
  readonly others: number;
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

/** By item, then by task: the verdicts for items that cannot be done as planned. */
export type UnrunnableItems = ReadonlyMap<string, ReadonlyMap<string, End>>;

/** The settings of a run that affect decisions. */
export interface RunTerms {
  readonly pipeline: Pipeline;
  readonly base: Pick<Scope, 'inputs' | 'env' | 'run'>;
  readonly journal: JournalWriter;
  readonly fileFacts: FileFacts;
  readonly clock: Clock;
  /** A result that is lost here and at the service may be paid for again. */
  readonly payAgain: boolean;
  /** Every output must be in this checkout. */
  readonly requireOutputs: boolean;
  readonly takes: Takes;
  /** Default: nothing. */
  readonly remembered?: Remembered | undefined;
  /** The run receives the service's events, so an event may resolve a creation in doubt. */
  readonly listening?: boolean;
  /** Whether this act is allowed for a step in this run. Results of earlier runs are always reused. */
  readonly allows: (step: Step, act: Act) => boolean;
  readonly unrunnable: UnrunnableItems;
  /** Jobs that failed in this run: other tasks with the same content would fail in the same way. */
  readonly failed: Map<Fingerprint, string>;
  /** The run is a tick: it repeats no failure that would repeat itself, and makes no inputs that are not needed yet. */
  readonly isTick?: boolean;
  /** Keeps what the fingerprints of the decided tasks are made of. */
  readonly manifests?: ManifestNotes;
}
