// Drift: what the state file and the service say differently, as facts.
import type { Account } from '../journal/ledger.ts';

/** What a refresh changed for one project. */
export interface DriftChange {
  readonly tasks: readonly string[];
  readonly project: string;
  readonly what: 'complete' | 'failed' | 'canceled' | 'gone' | 'lost' | 'credits';
  /** One sentence. */
  readonly why: string;
  /** Credits. */
  readonly before: number;
  readonly after: number;
}

export interface Refreshed {
  readonly projects: number;
  readonly changes: readonly DriftChange[];
  /** Projects that could not be read, with the reason: nothing was changed for them. */
  readonly unread: readonly { readonly project: string; readonly why: string }[];
}

export interface Difference {
  readonly project: string;
  readonly tasks: readonly string[];
  /** Credits. */
  readonly here: number;
  readonly there: number;
  readonly why: string;
}

export interface Audited {
  readonly projects: number;
  readonly credits: Account;
  /** What the jobs of the state file cost, added up: the runs must say the same. */
  readonly jobs: number;
  readonly differences: readonly Difference[];
  /** Projects that the service no longer tells of, such as deleted ones, and their credits by our own record. */
  readonly untold: { readonly projects: number; readonly credits: number };
  /** Creations whose outcome nobody knows, and the credits set aside for them. */
  readonly doubts: { readonly jobs: number; readonly credits: number };
}
