// Everything that a run says while it lasts. The terminal, the JSON stream and the log only read it.
import type { Bug } from '../../contract/base/bug.ts';
import type { Plan } from '../plan/plan.ts';

export type TaskEnding =
  | 'done'
  | 'reused'
  | 'skipped'
  | 'excluded'
  | 'failed'
  | 'doubt'
  | 'pending'
  | 'blocked';

/** What is away: the service, the service for new projects only, or the storage at another host. */
export type Outage =
  | { readonly of: 'service' | 'creations' }
  | { readonly of: 'storage'; readonly at: string };

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
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'planned'; readonly plan: Plan }
  /** The service's events are received here; so many creations of earlier runs are in doubt and wait for one. */
  | { readonly type: 'listening'; readonly address: string; readonly doubts: number }
  | {
      readonly type: 'task';
      readonly task: string;
      readonly step: string;
      readonly ending: TaskEnding;
      readonly why?: string;
      /** Credits charged for it in this run. */
      readonly credits: number;
    }
  /** An item is over. `ok`: all its tasks ended well; `changed`: something was done for it; `of`: how many items are over. */
  | {
      readonly type: 'item';
      readonly item: string;
      readonly ok: boolean;
      readonly changed: boolean;
      readonly of: number;
    }
  /** What the service says of the account, in credits. */
  | { readonly type: 'account'; readonly balance: number; readonly tier?: string }
  /** Something is away, and the run waits for it: told when that begins and after each try. Times in milliseconds. */
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
  /** It is back, and the run goes on. */
  | ({ readonly type: 'back'; readonly waitedMs: number } & Outage)
  | { readonly type: 'stopping'; readonly why: string }
  /** An error of ours that nobody expected ended what was done for a task, and no other. */
  | ({ readonly type: 'bug'; readonly task: string } & Bug)
  | { readonly type: 'ended'; readonly summary: Summary };

/** How a run came out. Times in milliseconds, credits as the service charged them. */
export interface Summary {
  readonly outcome: Outcome;
  /** Why it stopped early, if it did. */
  readonly stopped?: string;
  readonly items: { readonly total: number; readonly done: number; readonly unfinished: number };
  readonly tasks: Readonly<Record<TaskEnding, number>>;
  readonly credits: {
    readonly charged: number;
    readonly refunded: number;
    readonly reserved: number;
  };
  readonly elapsedMs: number;
  /** The first hundred tasks that did not end well. */
  readonly trouble: readonly {
    readonly task: string;
    readonly ending: TaskEnding;
    readonly why: string;
    /** What a person can do. */
    readonly advice?: string;
  }[];
  /** All of them, those of one step that ended for the same reason together. The first hundred groups. */
  readonly groups: readonly TroubleGroup[];
}

export interface TroubleGroup {
  readonly step: string;
  readonly ending: TaskEnding;
  readonly why: string;
  readonly advice?: string;
  readonly count: number;
  /** The first three tasks. */
  readonly examples: readonly string[];
}

export type Outcome =
  | 'done'
  | 'failed'
  | 'refused'
  | 'budget'
  | 'doubt'
  | 'unauthorized'
  | 'interrupted';
