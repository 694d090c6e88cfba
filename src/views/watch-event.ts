// The events of `shotlist watch`. The terminal, the JSON stream and the log only read them.
import type { Complaint, IncludedTexts } from '../contract/yaml/diagnostic.ts';
import type { RunEvent, Summary } from '../run/run-event.ts';

/** Why the pipeline file cannot be used, or why a run did not begin. */
export interface WatchProblem {
  readonly reason: 'input' | 'locked' | 'system' | 'unreachable';
  readonly diagnostics: readonly Complaint[];
  /** The text of the pipeline file, for code frames. */
  readonly text?: string;
  /** The texts of the files that the pipeline includes, by their names in the diagnostics. */
  readonly included?: IncludedTexts;
}

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
  | { readonly type: 'refused'; readonly problem: WatchProblem }
  /** The pipeline file has changed and cannot be used: nothing runs until it changes again. */
  | { readonly type: 'invalid'; readonly problem: WatchProblem }
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
