// What is remembered of a request outside the state file: by the user's receipts, and by the version of the state file in
// git. Asked before anything is bought.
import type { Fingerprint } from '../model/fingerprint.ts';
import type { JobLine, OutputLine } from '../model/line.ts';

export interface Remembered {
  /** True if nothing is remembered of any request at this service, so that nobody needs to ask. */
  readonly isEmpty: boolean;
  /**
   * The job that a creation would repeat. From then on, it is in the ledger. `busy`: another process is paying for the request
   * now, or the service must be asked first whether the project is there; `settled` resolves when that is known.
   */
  paid(fingerprint: Fingerprint, task: string): JobLine | 'busy' | undefined;
  /**
   * What became of a creation in doubt, or what a project had that was found deleted, if another pipeline of this user knows.
   * It is in the ledger from then on.
   */
  resolved(job: JobLine, task: string): JobLine | undefined;
  /** Resolves when `paid` has another answer than `busy`, or when the signal is aborted. */
  settled(fingerprint: Fingerprint, stop: AbortSignal): Promise<void>;
  /** What any record of this machine knew last of a project. */
  lastKnown(job: string, project: string): JobLine | undefined;
  /** True if the account that this run pays with has paid for the project. */
  isOurs(job: string, project: string): boolean;
  /** A detection that was done before: what it found decides what is asked of the tools. It is in the ledger from then on. */
  detected(fingerprint: Fingerprint, task: string): JobLine | undefined;
  /**
   * The last act before a creation is sent; its intent is on disk. `busy`: another process has begun the same one, and this one
   * must not be sent. `onPurpose`: another take, which is paid for whatever is remembered. `before`: the job without the
   * intent; what became of its attempt counts, also where nothing else knows it.
   */
  claim(line: JobLine, onPurpose: boolean, before: JobLine | undefined): 'go' | 'busy';
  /** The saved files of an adopted job that are on this machine, outside this checkout, or in the store. */
  copies(job: JobLine): readonly OutputLine[];
  /**
   * The job as it is since another checkout deleted its project; undefined if no record of this machine says so. `isMissing`:
   * the service does not have the project, so files that another checkout has saved are enough.
   */
  deletedElsewhere(job: JobLine, isMissing?: boolean): JobLine | undefined;
  /** The number of the newest take of a request that is remembered; 1 if there is none but the first. */
  newestTake(first: Fingerprint): number;
}

export const nothingRemembered: Remembered = {
  isEmpty: true,
  paid: () => undefined,
  lastKnown: () => undefined,
  isOurs: () => false,
  resolved: () => undefined,
  detected: () => undefined,
  settled: () => Promise.resolve(),
  claim: () => 'go',
  copies: () => [],
  deletedElsewhere: () => undefined,
  newestTake: () => 1,
};

// What a plan need not pay for although the state file does not know of it, as the user's receipts say. Plain data.

/** Who paid. `name`: the branch, or the path of the state file or pipeline file; absent for `this-state`. */
export interface PaidBy {
  readonly by: 'this-state' | 'branch' | 'state' | 'pipeline';
  readonly name?: string;
}

export interface PaidSource extends PaidBy {
  readonly creations: number;
  /** YYYY-MM-DD: the first and the last day. */
  readonly first: string;
  readonly last: string;
}

/** Creations that the state file takes over from receipts. Those in doubt and those whose results are lost do not count. */
export interface PaidAlready {
  readonly creations: number;
  /** What they cost when they were paid for. */
  readonly credits: number;
  /** The first hundred, the largest first. */
  readonly sources: readonly PaidSource[];
  /** ISO 8601: when the receipts were read. */
  readonly at: string;
}

/** What the receipts say of one task, and what follows. `bought`: another account paid, whose project cannot be seen. */
export interface PaidTask extends PaidBy {
  readonly follows: 'adopted' | 'copied' | 'lost' | 'doubt' | 'bought';
  /** ISO 8601. */
  readonly at: string;
  readonly project?: string;
  readonly credits?: number;
  /** The files that are copied. Empty if the store has them. */
  readonly files?: readonly string[];
}
