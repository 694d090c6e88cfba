// Every hole in the wall: what a run needs of the world, as interfaces. No code.

import type { MediaType } from '../../../contract/api/asset.ts';
import type { ApiFailure } from '../../../contract/api/failure.ts';
import type {
  Account,
  FaceDetection,
  Project,
  RecordKind,
  Taking,
} from '../../../contract/api/project.ts';
import type { Digest } from '../../../contract/base/digest.ts';
import type { JsonObject } from '../../../contract/base/json.ts';
import type { Result } from '../../../contract/base/result.ts';
import type { CreditTotals, Ledger } from '../../journal/ledger.ts';
import type { Happened } from '../../journal/line.ts';
import type { FileFact } from '../../plan/facts.ts';
import type { JobOrder, Outcome, Place } from './job.ts';

/** Time. Everything that waits or dates asks here, so that a test owns it. */
export interface Clock {
  /** Epoch milliseconds, for time stamps and expiries. People and time servers set it forward and back. */
  now(): number;
  /** Milliseconds since some moment, for durations: it only ever goes forward, at the pace of real time. */
  elapsed(): number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 ≤ chance < 1, for jitter and names. */
  chance(): number;
}

type Answer<T> = Promise<Result<T, ApiFailure>>;

/**
 * The service. One call is one request; nothing is retried here. A request that was sent is waited for, also when the
 * run is stopping; one that was not sent by then answers `aborted`.
 */
export interface MediaApi {
  uploadAddress(file: { type: MediaType; extension: string }): Answer<UploadTarget>;
  /** Streams a file to a presigned address; answers the SHA-256 of what was sent. */
  put(target: UploadTarget, file: LocalFile): Answer<Digest>;
  detectFaces(body: JsonObject): Answer<{ readonly id: string }>;
  faceDetection(id: string): Answer<FaceDetection>;
  /** The account, where this deployment tells it (facts.md, Account): undefined where it does not. */
  account(): Answer<Account | undefined>;
  /** The one call that costs credits. `known`: aborted when its outcome came another way, so that nobody waits for it. */
  create(tool: string, body: JsonObject, known?: AbortSignal): Answer<Taking>;
  project(record: RecordKind, id: string): Answer<Project>;
  deleteProject(record: RecordKind, id: string): Answer<void>;
  /**
   * Streams a download into a temporary file and syncs it to disk. One that was cut leaves there what came, when the
   * storage can go on from it: the next call for that file, in this run or a later one, fetches only the rest.
   * An empty file is no result.
   */
  download(url: string, into: LocalFile): Answer<Fetched>;
}

export interface UploadTarget {
  readonly uploadUrl: string;
  readonly filePath: string;
}

/** An absolute path on this machine. */
export interface LocalFile {
  readonly path: string;
}

export interface Fetched {
  readonly bytes: number;
  readonly digest: Digest;
  readonly contentType: string;
}

/** Why a file could not be read or written. */
export interface FileTrouble {
  /** The place, and what is wrong with it. */
  readonly message: string;
  /** This machine's trouble (full, read-only, failing), not this file's own: the next file would meet it too. */
  readonly systemic: boolean;
}

/** The disk. Inputs and recorded outputs are relative to the pipeline file, new outputs to the output folder. */
export interface Disk {
  /** What is known of a file without reading it; its digest where it was hashed before and is unchanged. */
  input(path: string): FileFact;
  output(path: string): FileFact;
  kept(digest: string, extension: string): FileFact;
  /** Reads and hashes a file, so that the next look knows its digest. An error is the end of a sentence about the file. */
  digest(place: Place): Promise<Result<Digest, string>>;
  /** Where a file really is. */
  fileAt(place: Place): LocalFile;
  /** How a path below the output folder is recorded: relative to the pipeline file. */
  recordedAs(outputPath: string): string;
  /**
   * A name for a file that is being written, in the folder that it will stand in. The same `work` has the same name in
   * every run: a later one finds what an earlier one left, and nothing piles up.
   */
  temporary(outputPath: string, work: Digest): Promise<Result<LocalFile, FileTrouble>>;
  /**
   * Puts a finished, synced file in its place, whole or not at all, and syncs the folder. What stood there with
   * other content is kept under its hash: nothing that was paid for is ever overwritten.
   */
  place(
    temporary: LocalFile,
    outputPath: string,
    digest: Digest,
  ): Promise<Result<void, FileTrouble>>;
  /** Copies an output or a kept file to a temporary file and syncs it. */
  copy(source: LocalFile, into: LocalFile): Promise<Result<Fetched, FileTrouble>>;
  /** Removes a temporary file that came to nothing, and what was noted about it. */
  discard(file: LocalFile): Promise<void>;
}

/** The journal: append-only while a run lasts. */
export interface Journal {
  /** Gives events their numbers and times, folds them into the ledger and writes them. */
  append(events: readonly Happened[]): void;
  /** Resolves when all that was appended is on disk. */
  sync(): Promise<void>;
  readonly ledger: Ledger;
  /** What this run's budget is compared with. */
  readonly account: CreditTotals;
}

/** The next thing that happened to a job. */
export type Notice =
  /** The job waits until the event is durable; `proceed` lets it go on. */
  | {
      readonly is: 'event';
      readonly key: string;
      readonly event: Happened;
      readonly durable: boolean;
    }
  /** A creation that was surely not taken would be sent again; `proceed` or `decline` answers. */
  | { readonly is: 'ask'; readonly key: string }
  | { readonly is: 'ended'; readonly key: string; readonly outcome: Outcome };

/** Where jobs are performed: in this process, or elsewhere. What crosses is plain data. */
export interface Runner {
  start(order: JobOrder): void;
  /** All that happened since the last call; waits for at least one. */
  next(): Promise<readonly Notice[]>;
  proceed(key: string): void;
  /** The job that waits ends here, as `withheld`, without sending anything more. */
  decline(key: string, why: string): void;
  /** Running requests end, waiting is given up: every job ends soon. */
  abort(): void;
  /** Makes `next` fail: the loop cannot go on. */
  fail(error: unknown): void;
}
