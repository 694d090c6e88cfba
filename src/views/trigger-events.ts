// The events of `shotlist schedule` and `shotlist watch`. The terminal, the JSON stream and the log only read them. Times are in
// ISO 8601, those of a schedule in its time zone.
import type { Complaint } from '../contract/yaml/diagnostic.ts';
import type { RunEvent, Summary } from '../core/run-event.ts';

/** Why the pipeline file cannot be used, or why a run did not begin. */
export interface TriggerProblem {
  readonly reason: 'input' | 'locked' | 'system' | 'unreachable';
  readonly diagnostics: readonly Complaint[];
  /** The text of the pipeline file, for code frames. */
  readonly text?: string;
}

interface AboutFile {
  /** The pipeline file, as it was given or found. */
  readonly file: string;
}

interface AboutRun extends AboutFile {
  /** The pipeline's name. */
  readonly pipeline: string;
  readonly due: string;
}

export type ScheduleEvent =
  /**
   * The schedule of a file is followed from now on: it is new, or it has changed. `next` is its next due time; `service` is
   * the address of its service, absent for rehearsals.
   */
  | (AboutFile & {
      readonly type: 'scheduled';
      readonly pipeline: string;
      readonly next?: string;
      readonly service?: string;
    })
  /** Nothing of this file is run until the file changes. */
  | (AboutFile & { readonly type: 'unscheduled'; readonly why: 'removed' | 'no-schedule' })
  | (AboutFile & { readonly type: 'invalid'; readonly problem: TriggerProblem })
  | (AboutFile & { readonly type: 'unauthorized' })
  | (AboutFile & { readonly type: 'notice'; readonly message: string })
  | (AboutRun & { readonly type: 'due' })
  /** The state file is in use by another process; the run waits for it. */
  | (AboutRun & { readonly type: 'locked' })
  | (AboutRun & { readonly type: 'run'; readonly event: RunEvent })
  /** `state` and `output`: as in the event `started` of a run. `open`: the run was cut short, and will be continued. */
  | (AboutRun & {
      readonly type: 'ran';
      readonly summary: Summary;
      readonly state: string;
      readonly output: string;
      readonly open: boolean;
      readonly next?: string;
    })
  /** The run did not begin, or this machine stopped it. `again`: it is tried again. */
  | (AboutRun & {
      readonly type: 'refused';
      readonly problem: TriggerProblem;
      readonly again: boolean;
    })
  /** `due` is the first of the due times that are left out. */
  | (AboutRun & { readonly type: 'left-out'; readonly why: 'missed' | 'overlap' });

export type WatchEvent =
  /** The first event, and again when the pipeline file has changed. `files`: the files that match now. */
  | {
      readonly type: 'watching';
      readonly file: string;
      readonly pipeline: string;
      readonly glob: string;
      readonly files: number;
    }
  /** A run begins with these files. `settling`: files that may still be written, and are left out. */
  | {
      readonly type: 'batch';
      readonly why: BatchReason;
      readonly added: number;
      readonly changed: number;
      readonly items: number;
      readonly settling: number;
      /** Files that failed before, and are left out until they change. */
      readonly failed: number;
    }
  | { readonly type: 'run'; readonly event: RunEvent }
  /** `state` and `output`: as in the event `started` of a run. `removed`: failed items whose file is gone. */
  | {
      readonly type: 'ran';
      readonly summary: Summary;
      /** The pipeline file, as it was named. */
      readonly pipeline: string;
      readonly state: string;
      readonly output: string;
      readonly removed: number;
    }
  /** The run did not begin, or this machine stopped it. */
  | { readonly type: 'refused'; readonly problem: TriggerProblem }
  /** The pipeline file has changed and cannot be used: nothing runs until it changes again. */
  | { readonly type: 'invalid'; readonly problem: TriggerProblem }
  /** What a run left open is tried again. `at`: ISO 8601. */
  | { readonly type: 'again'; readonly at: string }
  /** Nothing runs until the pipeline file changes or the watch is started again. */
  | { readonly type: 'paused'; readonly why: string }
  | { readonly type: 'notice'; readonly message: string };

export type BatchReason =
  /** New and changed files are complete. */
  | 'files'
  /** The pipeline file has changed. */
  | 'pipeline'
  /** An earlier run left something open. */
  | 'again';
