// The events of `shotlist schedule`. The terminal, the JSON stream and the log only read them. Times are in ISO 8601, in
// the schedule's time zone.
import type { Complaint, IncludedTexts } from '../contract/yaml/diagnostic.ts';
import type { RunEvent, Summary } from '../run/run-event.ts';

/** Why a file cannot be used, or why a run did not begin. */
export interface ScheduleProblem {
  readonly reason: string;
  readonly diagnostics: readonly Complaint[];
  /** The text of the pipeline file, for code frames. */
  readonly text?: string;
  /** The texts of the files that the pipeline includes, by their names in the diagnostics. */
  readonly included?: IncludedTexts;
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
  | (AboutFile & { readonly type: 'invalid'; readonly problem: ScheduleProblem })
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
      readonly problem: ScheduleProblem;
      readonly again: boolean;
    })
  /** `due` is the first of the due times that are left out. */
  | (AboutRun & { readonly type: 'left-out'; readonly why: 'catch-up' | 'overlap' });
