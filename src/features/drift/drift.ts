// Drift: the differences between the state file and the service, as data.
import type { CreditTotals } from '../../model/ledger.ts';

/** A change that a refresh made for one project. */
export interface DriftChange {
  readonly tasks: readonly string[];
  readonly project: string;
  readonly what: 'complete' | 'failed' | 'canceled' | 'deleted' | 'lost' | 'credits';
  /** One sentence. */
  readonly why: string;
  /** Credits. */
  readonly before: number;
  readonly after: number;
}

export interface Refreshed {
  readonly projects: number;
  readonly changes: readonly DriftChange[];
  /** Projects that could not be read, and why. Nothing was changed for them. */
  readonly unread: readonly { readonly project: string; readonly why: string }[];
}

export interface Difference {
  readonly project: string;
  readonly tasks: readonly string[];
  /** Credits by the state file. */
  readonly recorded: number;
  /** Credits by the service. */
  readonly reported: number;
  readonly why: string;
}

export interface Audited {
  readonly projects: number;
  readonly credits: CreditTotals;
  /** The total cost of the jobs in the state file; the runs must have the same total. */
  readonly jobs: number;
  readonly differences: readonly Difference[];
  /** Projects that the service no longer reports, such as deleted projects, and their credits by the state file. */
  readonly unreported: { readonly projects: number; readonly credits: number };
  /** Creations in doubt, and the credits reserved for them. */
  readonly doubts: { readonly jobs: number; readonly credits: number };
}
