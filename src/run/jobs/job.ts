// A job order: the walk's instruction to a performer, and the possible outcomes, as plain data.

import type { Bug } from '../../base/bug.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Download } from '../../contract/api/project.ts';
import type { Place } from '../../core/ports.ts';
import type { Fingerprint } from '../../model/fingerprint.ts';
import type { JobLine, OutputLine } from '../../model/line.ts';
import type { End } from '../../plan/ending.ts';
import type { Expectation } from '../../plan/estimate.ts';

/** Where the bytes of a recorded output come from. */
export type Source = Place | { readonly in: 'store' };

/** What every order has. */
export interface OrderHead {
  /** Identifies the job among the jobs in flight; chosen by the walk. */
  readonly key: string;
  /** The task that the job is for. */
  readonly task: string;
  /** The step kind's name, which `limits.steps` counts. */
  readonly kind: string;
  /** The number of tries of a free request. */
  readonly attempts: number;
}

export interface UploadOrder extends OrderHead {
  readonly operation: 'upload';
  readonly fingerprint: Fingerprint;
  readonly from: Place;
  /** The file's name, for its extension. */
  readonly name: string;
  /** The SHA-256 that the content must still have. */
  readonly content: string;
  /** The file is a recorded output that is not here, and is fetched from the store first. */
  readonly stored?: OutputLine;
}

/** Uploads a deleted project's saved files, which replace its download addresses, one for each download. */
export interface ReuploadOrder extends OrderHead {
  readonly operation: 'reupload';
  readonly files: readonly {
    readonly fingerprint: Fingerprint;
    readonly output: OutputLine;
    readonly from: Source;
  }[];
  /** The part of the project that the journal keeps. */
  readonly result: JsonObject;
}

export interface DetectOrder extends OrderHead {
  readonly operation: 'detect';
  readonly fingerprint: Fingerprint;
  /** If set, this detection is read again instead of starting one. */
  readonly detection?: string;
  readonly body: JsonObject;
  readonly timeoutMs: number;
}

interface Saving {
  /** In a reroll: the result is saved there, below the output folder, as a part of the job. */
  readonly saveTo?: string;
}

export interface CreateOrder extends OrderHead, Saving {
  readonly operation: 'create';
  readonly fingerprint: Fingerprint;
  readonly body: JsonObject;
  /** Unique to the attempt; sent as the project's name. */
  readonly name: string;
  readonly attempt: number;
  /** Credits set aside. */
  readonly reserve: number;
  /** The basis of that estimate. */
  readonly expectation: Expectation;
  /** Set for each take after the first. */
  readonly take?: NonNullable<JobLine['take']>;
  readonly timeoutMs: number;
}

/** Already paid: waits for the result, or reads a settled project again for fresh addresses. */
export interface AttachOrder extends OrderHead, Saving {
  readonly operation: 'attach';
  readonly fingerprint: Fingerprint;
  readonly project: string;
  readonly settled: boolean;
  /** When the project was created, in milliseconds since 1970. */
  readonly since: number;
  /** Credits charged so far. */
  readonly credits: number;
  readonly timeoutMs: number;
  /** Another record has paid for it, and the project may be gone. */
  readonly adopted?: true;
}

/** In doubt since an earlier run: waits for an event that names the attempt. */
export interface AwaitOrder extends OrderHead, Saving {
  readonly operation: 'await';
  readonly fingerprint: Fingerprint;
  /** The name of the attempt. */
  readonly name: string;
  /** Credits set aside. */
  readonly reserve: number;
  readonly timeoutMs: number;
}

export interface DownloadOrder extends OrderHead {
  readonly operation: 'download';
  readonly fingerprint: Fingerprint;
  /** The step kind of the project. */
  readonly tool: string;
  readonly project: string;
  readonly to: string;
  /** Addresses that were just read; if absent, they are read first. */
  readonly downloads?: readonly Download[];
}

export interface CopyOrder extends OrderHead {
  readonly operation: 'copy';
  readonly fingerprint: Fingerprint;
  readonly to: string;
  readonly sources: readonly { readonly output: OutputLine; readonly from: Source }[];
}

/** Puts saved files into the store. */
export interface StoreOrder extends OrderHead {
  readonly operation: 'store';
  readonly fingerprint: Fingerprint;
  readonly sources: readonly { readonly output: OutputLine; readonly from: Place }[];
}

export interface DeleteOrder extends OrderHead {
  readonly operation: 'delete';
  readonly fingerprint: Fingerprint;
  readonly tool: string;
  readonly project: string;
  /** Files that are not on this disk: the store must still have them. */
  readonly onlyStored?: readonly OutputLine[];
  /** Files that are on this disk: they must be whole. */
  readonly onDisk?: readonly { readonly output: OutputLine; readonly from: Place }[];
}

/** Waits until what is remembered of a request is known: then the task is decided again. */
export interface SettleOrder extends OrderHead {
  readonly operation: 'settle';
  readonly fingerprint: Fingerprint;
}

/** Reads files, so that the next look knows their digests. */
export interface DigestOrder extends OrderHead {
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
  | StoreOrder
  | DeleteOrder
  | SettleOrder
  | DigestOrder;

/** An unreadable file; `why` is the end of a sentence about the file. */
export interface Unreadable {
  readonly place: Place;
  readonly why: string;
}

/**
 * How the tasks of a job end. `failed`: not charged, or refunded. `doubt`: perhaps paid. `pending`: paid and known, but
 * the project did not finish in time, its files could not be fetched, or the run stopped; the next run continues it.
 * `rendering`: the project still renders, and the run does not wait for it.
 */
export interface Ended extends Omit<End, 'held' | 'named'> {
  readonly is: 'ended';
  readonly ending: 'failed' | 'doubt' | 'pending' | 'rendering';
  /** The kind of failure. */
  readonly code?: string;
  /** For `failed`: another attempt may succeed. */
  readonly again?: boolean;
  /** Other tasks would fail in the same way, so this stops the run, all buying, or the step. */
  readonly stops?: 'unauthorized' | 'outage' | 'credits' | 'unanswered' | 'machine' | 'step';
}

export type JobOutcome =
  /** `live`: the outputs as requests see them now. */
  | { readonly is: 'done'; readonly live: JsonObject }
  | Ended
  /** Files were read and hashed, except these. */
  | { readonly is: 'read'; readonly unreadable: readonly Unreadable[] }
  /** The creation was not sent, because the budget does not cover it or because it would be pointless. */
  | { readonly is: 'withheld'; readonly why: string }
  /** Storage no longer has an input: the free task behind that input is repeated. */
  | { readonly is: 'resupply'; readonly why: string }
  /** An unexpected error ended this job, but no other. */
  | { readonly is: 'bug'; readonly bug: Bug };
