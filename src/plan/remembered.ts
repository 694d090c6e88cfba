// What is remembered of a request outside the state file: by the user's receipts, and by the version of the state file in
// git. Asked before anything is bought.
import type { Fingerprint } from '../model/fingerprint.ts';
import type { JobLine, OutputLine } from '../model/line.ts';
import type { Job } from '../model/record/line.ts';

/** Why a creation must not be sent. `closed`: nor may any other; `why` is a sentence without its end. */
export type Refused =
  | { readonly is: 'paid-elsewhere' }
  | { readonly is: 'closed'; readonly why: string };

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
  lastKnown(
    job: string,
    project: string,
  ): Pick<JobLine, 'state' | 'credits' | 'result'> | undefined;
  /**
   * True if the account that this run pays with has paid for the project. `shown`: projects that the service has shown to
   * this account; another one of the same run tells, too.
   */
  isOurs(job: string, project: string, shown: ReadonlySet<string>): boolean;
  /** A detection that was done before: what it found decides what is asked of the tools. It is in the ledger from then on. */
  detected(fingerprint: Fingerprint, task: string): JobLine | undefined;
  /** The last act before a creation is sent; its intent is on disk. Undefined: it may be sent. */
  claim(line: Job, attempt: string): Refused | undefined;
  /** Before a project is deleted: whoever looks for its files finds them. */
  flush(): void;
  /** The saved files of an adopted job that are on this machine, outside this checkout, or in the store. */
  copies(job: JobLine): readonly OutputLine[];
  /**
   * The job as it is since another checkout deleted its project; undefined if no record of this machine says so. `isMissing`:
   * the service does not have the project, so files that another checkout has saved are enough.
   */
  deletedElsewhere(job: JobLine, isMissing?: boolean): JobLine | undefined;
  /** True if another pipeline has begun this take of a request. */
  hasTake(take: Fingerprint): boolean;
}

export const nothingRemembered: Remembered = {
  isEmpty: true,
  paid: () => undefined,
  lastKnown: () => undefined,
  isOurs: () => false,
  resolved: () => undefined,
  detected: () => undefined,
  settled: () => Promise.resolve(),
  claim: () => undefined,
  flush: () => undefined,
  copies: () => [],
  deletedElsewhere: () => undefined,
  hasTake: () => false,
};

// What a plan need not pay for although the state file does not know of it, as the user's receipts say. Plain data.
