// The events of a run. The terminal, the JSON stream and the log only read them.

import type { Bug } from '../base/bug.ts';
import type { Cure } from '../contract/api/failure.ts';
import type { Code } from '../contract/codes.ts';
import type { Ending, Held } from './ending.ts';
import type { FileCounts } from './facts.ts';
import type { Plan } from './plan-table.ts';

/** `reused`: done by an earlier run, or by the job of another task. */
export type TaskEnding = Ending | 'reused';

/** An outage: of the service, of new creations only, or of storage at another host. */
export type Outage =
  | { readonly of: 'service' | 'creations' }
  | { readonly of: 'storage'; readonly at: string };

export type OutageEvent = Extract<RunEvent, { readonly type: 'waiting' | 'back' }>;

/** The fields of a pipeline that name hooks. */
export type HookField = 'on_finish' | 'on_doubt';

/** Where in the pipeline something happened, for logs. */
interface Whereabouts {
  readonly task: string;
  /** The item's key; absent for a task that is done once for all items. */
  readonly item?: string;
  /** The project behind the task. */
  readonly project?: string;
}

export type RunEvent =
  /**
   * The first event. `service`: the address that the key and everything else is sent to; absent in a rehearsal. `state`
   * and `output`: the state file and the output folder, relative to the working folder where they are below it.
   */
  | {
      readonly type: 'started';
      readonly rehearsal: boolean;
      readonly service?: string;
      readonly state: string;
      readonly output: string;
    }
  /** The service has charged credits for a project; below 0: it has given them back. The task itself may go on. */
  | ({ readonly type: 'charged'; readonly credits: number } & Whereabouts)
  | ({ readonly type: 'warning'; readonly message: string } & Partial<Whereabouts>)
  /** What the previews of a rehearsal should be judged by. */
  | { readonly type: 'note'; readonly message: string }
  /**
   * `budget`: the most credits that the run may charge; absent if there is no limit. `usualMs`: how long projects of a
   * tool usually take, by the newest ones of the state file, in milliseconds; absent in a rehearsal, and where nothing is
   * bought.
   */
  | {
      readonly type: 'planned';
      readonly plan: Plan;
      readonly budget?: number;
      readonly usualMs?: Readonly<Record<string, number>>;
    }
  /**
   * The run receives webhook events at this address. `doubts`: creations of earlier runs that are
   * in doubt.
   */
  | { readonly type: 'listening'; readonly address: string; readonly doubts: number }
  /**
   * A task has begun: its job is at work. Told once, and not for a task that needs no job, such as a reused one. `item`: the
   * item's key; absent for a task that is done once for all items.
   */
  | {
      readonly type: 'begun';
      readonly step: string;
      readonly task: string;
      readonly item?: string;
    }
  | ({
      readonly type: 'task';
      readonly step: string;
      readonly ending: TaskEnding;
      readonly why?: string;
      /** If the pipeline file, an item or a file of it is wrong: `shotlist explain` says more. */
      readonly code?: Code;
      /** Credits charged for it in this run. */
      readonly credits: number;
    } & Whereabouts)
  /**
   * An item is finished. `ok`: no task failed. `changed`: some task ran. `of`: the number of
   * finished items.
   */
  | {
      readonly type: 'item';
      readonly item: string;
      readonly ok: boolean;
      readonly changed: boolean;
      readonly of: number;
    }
  /** The number of projects that the account's plan has in progress at once: the run keeps to it. */
  | { readonly type: 'generations'; readonly most: number; readonly tier: string }
  /** The account's balance, in credits. */
  | { readonly type: 'account'; readonly balance: number; readonly tier?: string }
  /**
   * The run waits out an outage: sent when the outage begins and after each attempt. Times in
   * milliseconds.
   */
  | ({
      readonly type: 'waiting';
      readonly why: string;
      /** ISO 8601. */
      readonly since: string;
      readonly tries: number;
      readonly nextTryMs: number;
      /** `limits.outage`. */
      readonly limitMs: number;
    } & Outage)
  /** The outage is over, and the run continues. */
  | ({ readonly type: 'back'; readonly waitedMs: number } & Outage)
  | { readonly type: 'stopping'; readonly why: string }
  /** A bug in shotlist ended this task, and no other. */
  | ({ readonly type: 'bug' } & Whereabouts & Bug)
  /** `--commit`: the id of the commit, and how many outputs it has beside the state file. No `branch`: a detached HEAD. */
  | {
      readonly type: 'committed';
      readonly commit: string;
      readonly branch?: string;
      readonly outputs: number;
    }
  /** Only events of hooks follow. */
  | { readonly type: 'ended'; readonly summary: Summary }
  /**
   * A hook was called, after the run or because it could not begin. `calls`: the program without its arguments, or the
   * host of the webhook. `rehearsed`: a real run would have called it. `why`: the end of a sentence about the hook.
   * `output`: what the program printed, redacted.
   */
  | {
      readonly type: 'hook';
      readonly hook: HookField;
      readonly calls: string;
      readonly result: 'called' | 'failed' | 'rehearsed';
      readonly why?: string;
      readonly output?: string;
      readonly elapsedMs?: number;
    };

/** What only the run knows of a task that ended, beside the event that tells of it. */
export interface TaskDetail {
  /** What a person can do. */
  readonly advice?: string | undefined;
  readonly cure?: Cure | undefined;
  /** Local files that the reason names. */
  readonly named?: readonly string[] | undefined;
  readonly held?: Held | undefined;
  /** For a reused download, unless all its files are whole. */
  readonly files?: FileCounts | undefined;
}

/** The outcome of a run. Times in milliseconds, credits as the service charged them. */
export interface Summary {
  readonly outcome: RunOutcome;
  /** Why the run stopped early, if it did. */
  readonly stopped?: string;
  /** What stopped it: `failures` is a limit of the pipeline, `credits` an empty account, `machine` this computer. */
  readonly stoppedBy?: StoppedBy;
  /** The cap on credits that ended all buying, or else the one that held items back, if there was one. */
  readonly cap?: ReachedCap;
  /** Projects that are paid for and not fetched: the next run fetches them. Absent if there are none. */
  readonly paid?: PaidProjects;
  /** Tasks that are `pending` only because the run stopped, or a cap held them back: nothing is wrong with them. */
  readonly held: number;
  /** ISO 8601: when the next day or month begins, if budget.per_day or budget.per_month stopped the run. */
  readonly resumesAt?: string;
  /** When the next run or tick is useful, ISO 8601; set if projects still render. */
  readonly wakeAt?: string;
  readonly items: {
    readonly total: number;
    readonly done: number;
    /** Nothing was to be made of them: `if:` was false for each of their creations and downloads. */
    readonly skipped: number;
    readonly unfinished: number;
  };
  readonly tasks: Readonly<Record<TaskEnding, number>>;
  /** Files of reused downloads that are not here as recorded. */
  readonly files: FileCounts;
  readonly credits: {
    readonly charged: number;
    readonly refunded: number;
    readonly reserved: number;
  };
  readonly elapsedMs: number;
  /** The first hundred tasks that need attention. */
  readonly problems: readonly {
    readonly task: string;
    readonly ending: TaskEnding;
    readonly why: string;
    /** As in the event of the task. */
    readonly code?: Code;
    /** What a person can do. */
    readonly advice?: string;
  }[];
  /** All of these tasks, grouped by step and reason. The first hundred groups. */
  readonly groups: readonly ProblemGroup[];
  /** Creations in doubt that no task of this run stands for: of other items, of earlier contents, of other takes. */
  readonly otherDoubts?: OtherDoubts;
}

export interface OtherDoubts {
  readonly count: number;
  /** The first three. `name`: what was sent as the project's name. */
  readonly examples: readonly {
    readonly tasks: readonly string[];
    readonly name: string;
    readonly reserved: number;
  }[];
}

/** A cap on credits that was reached. `--budget` is the flag, `plan` what a person agreed to, or what `--plan` says. */
export interface ReachedCap {
  readonly name:
    | 'budget.credits'
    | 'budget.per_item'
    | 'budget.per_day'
    | 'budget.per_month'
    | '--budget'
    | 'plan';
  readonly most: number;
  /** Charged and not refunded, or set aside. For an item: of the one that needs the most. */
  readonly spent: number;
  /** With a cap of that much, the next run can finish; absent if a price is not known. */
  readonly needed?: number;
}

interface PaidProjects {
  /** Not known to be over. */
  readonly rendering: number;
  /** Complete, and not saved. */
  readonly ready: number;
}

export type StoppedBy =
  | 'interrupt'
  | 'unauthorized'
  | 'outage'
  | 'machine'
  | 'budget'
  | 'credits'
  | 'failures'
  | 'unanswered'
  | 'left';

export interface ProblemGroup {
  readonly step: string;
  readonly ending: TaskEnding;
  readonly why: string;
  readonly code?: Code;
  readonly advice?: string;
  /** What ends the problem: another file in the place of those in `files`, or only another run. Absent: read the advice. */
  readonly cure?: Cure;
  readonly count: number;
  /** The first three tasks. */
  readonly examples: readonly string[];
  /** The first three files that the reasons name. With several tasks, `why` leaves their names out. */
  readonly files?: readonly string[];
}

/** `waiting`: projects still render, and the run did not wait for them; the next run continues. */
export type RunOutcome =
  | 'done'
  | 'failed'
  | 'budget'
  | 'doubt'
  | 'unauthorized'
  | 'interrupted'
  | 'waiting';
