// A job order: what the loop asks a runner to do, and how it may end. Plain JSON, so it can cross a wire.
import type { ApiFailure } from '../../../contract/api/failure.ts';
import type { Download } from '../../../contract/api/project.ts';
import type { Bug } from '../../../contract/base/bug.ts';
import type { JsonObject } from '../../../contract/base/json.ts';
import type { OutputLine } from '../../journal/line.ts';
import type { Expectation } from '../../plan/estimate.ts';
import type { Fingerprint } from '../../task/fingerprint.ts';
import type { Place } from './place.ts';

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

export type Outcome =
  /** `live`: its outputs as requests see them now. */
  | { readonly end: 'done'; readonly live: JsonObject; readonly misnamed?: Misnamed }
  /** Files were read and hashed, but for these. */
  | { readonly end: 'read'; readonly unreadable: readonly Unreadable[] }
  /** Not charged, or refunded. `code` says what kind of failure it was. */
  | {
      readonly end: 'failed';
      readonly why: string;
      readonly again: boolean;
      readonly code?: string;
    }
  /** It was not sent: there is no money for it any more, or no sense in it. */
  | { readonly end: 'withheld'; readonly why: string }
  | { readonly end: 'doubt'; readonly why: string }
  /** Paid and known, but not over in time, or its files could not be fetched: the next run goes on with it. */
  | { readonly end: 'pending'; readonly why: string }
  /** An input is no longer in storage: the free task that made it is done again. */
  | { readonly end: 'resupply'; readonly why: string }
  /** Siblings would meet the same fate: 401, 402, 403. */
  | {
      readonly end: 'stop';
      readonly what: 'run' | 'paid' | 'step';
      readonly why: string;
      readonly failure: ApiFailure;
    }
  /** We were asked to stop. */
  | { readonly end: 'stopped' }
  /** An error that nobody expected ended this job, and no other. */
  | { readonly end: 'bug'; readonly bug: Bug };

/** How a job ends for the tasks that it was for, once what a bug has left is on record. */
export type Landing = Exclude<Outcome, { readonly end: 'bug' }>;
