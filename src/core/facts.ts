// What is known of files without reading them, and what receipts say of requests, as values for decisions.
import type { Job, Output } from '../model/record/line.ts';
import type { FileFact, Facts as OwnFacts } from './disk-facts.ts';

export type { FileFact };

/** Paths are relative to the pipeline file, but for those of copies, which are absolute. */
export interface Facts extends OwnFacts {
  /** A file that another pipeline has saved. */
  copy(file: Output): FileFact;
  /** What is recorded must be in this checkout, whatever others and the store have. */
  readonly mustBeHere: boolean;
  /** False for a file that shotlist did not make, and that nobody has given up. */
  mayReplace(path: string): boolean;
}

/** What this machine's receipts know of a request. */
export interface Receipt {
  /** To be joined with the line of the state file: attempts that another one paid for are adopted. Without outputs. */
  readonly line: Job;
  /** Files that other pipelines have saved. */
  readonly copies: readonly Output[];
  /** Who paid, or is paying: the end of a sentence. */
  readonly payer: { readonly state: string; readonly pipeline: string };
  /** The process of another payer is at work now. */
  readonly isBusy: boolean;
  /** The payer has recorded whole files of all results. */
  readonly hasSaved: boolean;
}

export interface ReceiptsView {
  /** Undefined if no other state file knows the request. */
  get(job: string): Receipt | undefined;
}

/** `why`: the end of a sentence about the receipts. */
export type Claim =
  | { readonly is: 'go' }
  | { readonly is: 'busy' }
  /** What counts instead, to be joined with the line of the state file. */
  | { readonly is: 'known'; readonly line: Job }
  /** Not sent, and nothing more is bought. */
  | { readonly is: 'locked' | 'unwritable'; readonly why: string };

export interface ReceiptsPort extends ReceiptsView {
  readonly file: string;
  /** The last act before a creation is sent; its intent is on disk. */
  claim(line: Job, attempt: string): Claim;
  /** Before a project is deleted: whoever looks for its files finds them. */
  flush(): boolean;
  /** Which account has paid for the project: the one that pays now, or another one; undefined if it was not known then. */
  payerOf(job: string, project: string): 'us' | 'another' | undefined;
}
