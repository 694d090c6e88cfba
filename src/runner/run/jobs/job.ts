// A job order: what the loop asks a runner to do, and how it may end. Plain JSON, so it can cross a wire.
import type { Download } from '../../../contract/api/project.ts';
import type { Bug } from '../../../contract/base/bug.ts';
import type { JsonObject } from '../../../contract/base/json.ts';
import type { OutputLine } from '../../journal/line.ts';
import type { End } from '../../plan/ending.ts';
import type { Expectation } from '../../plan/estimate.ts';
import type { Fingerprint } from '../../task/fingerprint.ts';

/** A place for a file. */
export type Place =
  /** As an `upload` step names it: relative to the pipeline file. */
  | { readonly in: 'input'; readonly path: string }
  /** A recorded output: relative to the pipeline file. */
  | { readonly in: 'output'; readonly path: string }
  /** Superseded by another output, and kept under its hash. */
  | { readonly in: 'kept'; readonly digest: string; readonly extension: string };

interface Common {
  /** Names the job among those that run; the loop chose it. */
  readonly key: string;
  /** For whom it is done. */
  readonly task: string;
  /** The step kind's name: what `limits.steps` counts. */
  readonly kind: string;
  /** How often a free request is tried in all. */
  readonly attempts: number;
}

export interface UploadOrder extends Common {
  readonly operation: 'upload';
  readonly fingerprint: Fingerprint;
  readonly from: Place;
  /** The file's name, for its extension. */
  readonly name: string;
  /** SHA-256 that the content must still have. */
  readonly content: string;
}

/** A deleted project's saved files are uploaded in place of its addresses, one for each download. */
export interface ReuploadOrder extends Common {
  readonly operation: 'reupload';
  readonly files: readonly {
    readonly fingerprint: Fingerprint;
    readonly from: Place;
    readonly name: string;
    readonly content: string;
  }[];
  /** What the journal keeps of the project. */
  readonly result: JsonObject;
}

export interface DetectOrder extends Common {
  readonly operation: 'detect';
  readonly fingerprint: Fingerprint;
  /** Set: read this detection again instead of starting one. */
  readonly detection?: string;
  readonly body: JsonObject;
  readonly timeoutMs: number;
}

export interface CreateOrder extends Common {
  readonly operation: 'create';
  readonly fingerprint: Fingerprint;
  readonly body: JsonObject;
  /** Unique to the attempt; sent as the project's name. */
  readonly name: string;
  readonly attempt: number;
  /** Credits set aside. */
  readonly reserve: number;
  /** What that estimate was made of. */
  readonly expectation: Expectation;
  readonly timeoutMs: number;
}

/** Paid already: wait for its result, or read a settled one again for fresh addresses. */
export interface AttachOrder extends Common {
  readonly operation: 'attach';
  readonly fingerprint: Fingerprint;
  readonly project: string;
  readonly settled: boolean;
  /** Credits charged so far. */
  readonly credits: number;
  readonly timeoutMs: number;
}

/** In doubt since an earlier run: an event that names the attempt would say what became of it. */
export interface AwaitOrder extends Common {
  readonly operation: 'await';
  readonly fingerprint: Fingerprint;
  /** The attempt's. */
  readonly name: string;
  /** Credits set aside. */
  readonly reserve: number;
  readonly timeoutMs: number;
  /** When it was begun, ISO 8601. */
  readonly begun: string;
}

export interface DownloadOrder extends Common {
  readonly operation: 'download';
  readonly fingerprint: Fingerprint;
  /** The step kind of the project. */
  readonly tool: string;
  readonly project: string;
  readonly to: string;
  /** Addresses that were just read; absent: they are read first. */
  readonly downloads?: readonly Download[];
}

export interface CopyOrder extends Common {
  readonly operation: 'copy';
  readonly fingerprint: Fingerprint;
  readonly to: string;
  readonly sources: readonly { readonly output: OutputLine; readonly from: Place }[];
}

export interface DeleteOrder extends Common {
  readonly operation: 'delete';
  readonly fingerprint: Fingerprint;
  readonly tool: string;
  readonly project: string;
}

/** Reads files, so that the next look knows their digests. */
export interface DigestOrder extends Common {
  readonly operation: 'digest';
  readonly places: readonly Place[];
}

export type JobOrder =
  | UploadOrder
  | ReuploadOrder
  | DetectOrder
  | CreateOrder
  | AttachOrder
  | AwaitOrder
  | DownloadOrder
  | CopyOrder
  | DeleteOrder
  | DigestOrder;

/** A file whose name says another format than it holds; `holds` is the extension of what it is. */
export interface Misnamed {
  readonly path: string;
  readonly holds: string;
}

/** A file that could not be read; `why` is the end of a sentence about it. */
export interface Unreadable {
  readonly place: Place;
  readonly why: string;
}

/**
 * How the tasks of a job end. `failed`: not charged, or refunded. `doubt`: it may be paid. `pending`: paid and known, but
 * not over in time, or its files could not be fetched, or the run stopped: the next run goes on with it.
 */
export interface Ended extends End {
  readonly is: 'ended';
  readonly ending: 'failed' | 'doubt' | 'pending';
  /** What kind of failure it was. */
  readonly code?: string;
  /** `failed`, and another attempt may succeed. */
  readonly again?: boolean;
  /** Siblings would meet the same fate: what stops for them, the run, everything that pays, or the step. */
  readonly stops?: 'unauthorized' | 'outage' | 'credits' | 'machine' | 'step';
}

export type Outcome =
  /** `live`: its outputs as requests see them now. */
  | { readonly is: 'done'; readonly live: JsonObject; readonly misnamed?: Misnamed }
  | Ended
  /** Files were read and hashed, but for these. */
  | { readonly is: 'read'; readonly unreadable: readonly Unreadable[] }
  /** It was not sent: there is no money for it any more, or no sense in it. */
  | { readonly is: 'withheld'; readonly why: string }
  /** An input is no longer in storage: the free task that made it is done again. */
  | { readonly is: 'resupply'; readonly why: string }
  /** An error that nobody expected ended this job, and no other. */
  | { readonly is: 'bug'; readonly bug: Bug };
