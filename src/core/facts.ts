// What is known of files without reading them, and what receipts say of requests, as values for decisions.
import type { Digest } from '../base/digest.ts';
import { extensionOf } from '../contract/api/asset.ts';
import type { Job, Output } from '../model/record/line.ts';

export type FileFact =
  /**
   * `digest` is undefined until the content is read. `unusable`: the file is not the medium that its name says, or was
   * cut off; the end of a sentence about it.
   */
  | {
      readonly is: 'file';
      readonly bytes: number;
      readonly digest: Digest | undefined;
      readonly unusable?: string;
    }
  /** Missing, unreadable, not a file: `why` is the end of a sentence about it. `barred`: it must not be read. */
  | { readonly is: 'absent'; readonly why: string; readonly barred?: true };

/** A recorded output: its path relative to the pipeline file, and its content. */
export type RecordedFile = Pick<Output, 'path' | 'sha256'>;

export interface OutputFacts {
  /** The store of this pipeline, as the state file names it; undefined if there is none. */
  readonly store?: string | undefined;
  /** A recorded output, by its path relative to the pipeline file, so that it is found even if `output:` changes. */
  output(path: string): FileFact;
  /**
   * True if nothing is at the path of a recorded output, and its content has never been there in this checkout: another
   * checkout saved it.
   */
  isElsewhere(output: RecordedFile): boolean;
  /** A replaced output, which is kept under its hash. */
  kept(digest: string, extension: string): FileFact;
}

export interface DiskFacts extends OutputFacts {
  /** A file that a step uploads, by its path in the pipeline. */
  input(path: string): FileFact;
  /** The recorded form of a path below the current output folder. */
  recordedAs(path: string): string;
}

export interface Facts extends DiskFacts {
  /** A file that another pipeline has saved, by its absolute path. */
  copy(file: Output): FileFact;
  /** What is recorded must be in this checkout, whatever others and the store have. */
  readonly mustBeHere: boolean;
  /** False for a file that shotlist did not make, and that nobody has given up. */
  mayReplace(path: string): boolean;
}

/** A file whose size is right and that was not read yet counts: it is read before anything depends on it. */
export const isSame = ({ bytes, sha256 }: Output, fact: FileFact): boolean =>
  fact.is === 'file' && fact.bytes === bytes && (fact.digest ?? sha256) === sha256;

/** A replaced output is kept under its hash. */
export const isKept = (output: Output, facts: OutputFacts): boolean =>
  isSame(output, facts.kept(output.sha256, extensionOf(output.path)));

/** The store of this run has the file, as far as is recorded. */
export const isStored = ({ stored }: Output, { store }: OutputFacts): boolean =>
  store !== undefined && stored === store;

/** Recorded files that a run reuses although they are not here as recorded. */
export interface FileCounts {
  /** Somebody changed their content. */
  readonly changed: number;
  /** Another checkout saved them, and they have never been in this one; or the store has them. */
  readonly elsewhere: number;
  /** Those of them that the store has. */
  readonly stored: number;
}

export const sumOf = (one: FileCounts, other: FileCounts): FileCounts => ({
  changed: one.changed + other.changed,
  elsewhere: one.elsewhere + other.elsewhere,
  stored: one.stored + other.stored,
});

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
type Claim =
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
