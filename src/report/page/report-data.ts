// The data of a report: plain JSON that the page shows. It can be mailed, so it has no path of the machine, no key and no
// address.
import type { Operation } from '../../contract/kinds.ts';

/** What became of a task. `waiting`: a run has yet to do it. `blocked`: a task that it needs failed, or is in doubt. */
export type TaskState =
  | 'done'
  | 'failed'
  | 'doubt'
  | 'running'
  | 'waiting'
  | 'blocked'
  | 'skipped'
  | 'excluded';

/** The states of an item: the one of its tasks that matters most to a person. */
export type ItemState = Exclude<TaskState, 'excluded'>;

export interface ReportData {
  readonly pipeline: string;
  readonly description?: string;
  /** ISO 8601: when the report was made. */
  readonly at: string;
  readonly rehearsal: boolean;
  /** A run was using the state file. */
  readonly running: boolean;
  /** False with `--no-inputs`. */
  readonly inputs: boolean;
  /** In the order in which they run. */
  readonly steps: readonly ReportStep[];
  readonly items: readonly ReportItem[];
  /** The tasks and files of steps that run once for all items. */
  readonly shared: ReportItem;
  /** The oldest first. */
  readonly runs: readonly ReportRun[];
  readonly credits: {
    readonly charged: number;
    readonly reserved: number;
    /** The budget of the pipeline file. */
    readonly budget?: number;
  };
  readonly spending: readonly Spending[];
  readonly failures: readonly FailureGroup[];
  readonly doubts: readonly ReportDoubt[];
}

export interface ReportStep {
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly operation: Operation;
  readonly stage: 'once' | 'item' | 'after';
  /** The steps that it waits for. */
  readonly after: readonly string[];
  /** The number of its tasks by state. */
  readonly tasks: Readonly<Partial<Record<TaskState, number>>>;
  /** Charged in all runs, refunds taken off. */
  readonly credits: number;
}

export interface ReportItem {
  /** Empty for the shared tasks. */
  readonly key: string;
  readonly state: ItemState;
  readonly credits: number;
  readonly tasks: readonly ReportTask[];
  /** The files that are uploaded. The first is what a result is compared with. */
  readonly inputs: readonly ReportFile[];
  /** The saved files. The last one is the result. */
  readonly outputs: readonly ReportFile[];
}

export interface ReportTask {
  /** The number of its step. */
  readonly step: number;
  readonly state: TaskState;
  /** In a fan-out. */
  readonly element?: number;
  readonly why?: string;
  readonly fingerprint?: string;
  readonly project?: string;
  /** Charged, refunds taken off, all attempts together. */
  readonly credits?: number;
  /** True if another task of the report pays for it. */
  readonly shares?: true;
  /** Epoch milliseconds: when the service began, and when it ended, as far as is known. */
  readonly began?: number;
  readonly ended?: number;
  /** The request's fields, with the names of steps for what other steps made. */
  readonly parameters?: readonly Parameter[];
  /** At least two, the first one first. */
  readonly takes?: readonly ReportTake[];
}

/** One of several results of the same request. */
export interface ReportTake {
  /** 1 is the first. */
  readonly number: number;
  /** True for the one that counts. */
  readonly picked?: true;
  /** As the state file says it. */
  readonly state: string;
  readonly credits?: number;
  /** Epoch milliseconds: when it was complete. */
  readonly at?: number;
  /** Chooses this take. */
  readonly command?: string;
  /** One for each picture of the result. */
  readonly files: readonly ReportFile[];
}

export interface Parameter {
  readonly name: string;
  readonly value: string;
}

type Medium = 'image' | 'video' | 'audio' | 'other';

export interface ReportFile {
  /** Without the folders. */
  readonly name: string;
  /** The number of the step that uploads or saves it. */
  readonly step: number;
  readonly medium: Medium;
  readonly bytes?: number;
  readonly sha256?: string;
  /** The number of its thumbnail among those of the report. */
  readonly picture?: number;
  /** The file itself, relative to the report; only if it is below the report's folder. */
  readonly href?: string;
}

export interface ReportRun {
  /** When it began, ISO 8601. */
  readonly at: string;
  /** Absent: it was interrupted, or it continues. */
  readonly ended?: string;
  readonly charged: number;
}

/** What a project cost, and when it began. */
export interface Spending {
  /** Epoch milliseconds. */
  readonly at: number;
  /** -1: the pipeline no longer has the step. */
  readonly step: number;
  readonly credits: number;
}

/** Tasks that failed for one reason. */
export interface FailureGroup {
  readonly step: number;
  readonly why: string;
  readonly code?: string;
  /** What a person can do: an imperative clause. */
  readonly advice?: string;
  /** The numbers of the items; -1 for the shared tasks. */
  readonly items: readonly number[];
}

export interface ReportDoubt {
  readonly step: number;
  /** The number of the item; -1 for a shared task. */
  readonly item: number;
  readonly task: string;
  /** The name that was sent to the service. */
  readonly name: string;
  readonly since: string;
  readonly reserved: number;
  readonly why?: string;
  /** What to type if the project is there, if it is not, and if nobody can tell. Undefined: the task's name stays out of the report. */
  readonly commands?: { readonly found: string; readonly absent: string; readonly unknown: string };
}
