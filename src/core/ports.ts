// The ports of a run: everything that it needs from the outside, as interfaces. No code.

import type { Digest } from '../base/digest.ts';
import type { JsonObject } from '../base/json.ts';
import type { Result } from '../base/result.ts';
import type { MediaType } from '../contract/api/asset.ts';
import type { ApiFailure } from '../contract/api/failure.ts';
import type {
  AcceptedCreation,
  Account,
  FaceDetection,
  Project,
  RecordKind,
} from '../contract/api/project.ts';
import type { Output } from '../model/record/line.ts';
import type { DiskFacts, FileFact, RecordedFile } from './facts.ts';

/** Time. Everything that waits or needs the time uses this interface, so that a test controls it. */
export interface Clock {
  /** Epoch milliseconds, for time stamps and expiries. People and time servers may set it forward and back. */
  now(): number;
  /** Milliseconds since an arbitrary moment, for durations. Only goes forward, at the pace of real time. */
  elapsed(): number;
  /** Resolves after this many milliseconds, or as soon as one of the signals is aborted. */
  sleep(ms: number, ...signals: readonly AbortSignal[]): Promise<void>;
  /** 0 ≤ chance < 1, for jitter and names. */
  chance(): number;
}

/** The value that a call to the service resolves with. */
export type ServiceAnswer<T> = Promise<Result<T, ApiFailure>>;

/**
 * The service. One call is one request; nothing is retried here. A request that was sent is completed even if the run
 * is stopping; a request that was not sent by then returns `aborted`.
 */
export interface MediaApi {
  /** An address for each file, in the order of the files. */
  uploadAddresses(items: readonly UploadItem[]): ServiceAnswer<readonly UploadTarget[]>;
  /** Streams a file to a presigned address; returns the SHA-256 of the sent bytes. */
  put(target: UploadTarget, file: LocalFile): ServiceAnswer<Digest>;
  detectFaces(body: JsonObject): ServiceAnswer<{ readonly id: string }>;
  faceDetection(id: string): ServiceAnswer<FaceDetection>;
  /** The account (facts.md, Account); undefined if this deployment has no account endpoint. */
  account(): ServiceAnswer<Account | undefined>;
  /**
   * The only call that costs credits; the caller takes the turn under the request rate. `known`: aborted when the outcome
   * is known from an event, which ends the wait.
   */
  create(tool: string, body: JsonObject, known?: AbortSignal): ServiceAnswer<AcceptedCreation>;
  project(record: RecordKind, id: string): ServiceAnswer<Project>;
  deleteProject(record: RecordKind, id: string): ServiceAnswer<void>;
  /**
   * Streams a download into a temporary file and syncs it to disk. After a cut, the received bytes stay there if the
   * storage can resume: the next call for that file, in this run or a later one, fetches only the rest. An empty file
   * is not a valid result.
   */
  download(url: string, into: LocalFile): ServiceAnswer<Fetched>;
}

/** The service as a job sees it. */
export interface JobApi extends Omit<MediaApi, 'uploadAddresses'> {
  /** Uploads that need an address at about the same time share a request. */
  uploadAddress(item: UploadItem): ServiceAnswer<UploadTarget>;
}

/** A file to upload. */
export interface UploadItem {
  readonly type: MediaType;
  /** Without the dot. */
  readonly extension: string;
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
  /** True if the storage told the hash of the file, and these bytes have it. */
  readonly isVerified: boolean;
  /** Set if the storage told neither its length nor its hash: a part of it would look the same. */
  readonly isUntold?: true | undefined;
}

/** Why a file could not be read or written. */
export interface FileProblem {
  /** The place and the problem. */
  readonly message: string;
  /** The cause is this machine (a full, read-only or failing disk), not this file: the next file would fail too. */
  readonly systemic: boolean;
}

/**
 * The disk. Inputs and recorded outputs are relative to the pipeline file, new outputs to the output folder. Its facts about a file
 * are those that are known without reading it: the digest only if the file was hashed before and is unchanged.
 */
export interface Disk extends DiskFacts {
  /**
   * Reads and hashes a file, so that the next look knows its digest. The error is the end of a sentence about the file.
   */
  digest(place: Place, stop?: AbortSignal): Promise<Result<Digest, string>>;
  /** The absolute path of a file. */
  fileAt(place: Place): LocalFile;
  /**
   * A name for a temporary file, in the folder of the final file. The same `work` gets the same name in every run, so a
   * later run finds the part that an earlier one left, and no leftovers pile up.
   */
  temporary(outputPath: string, work: Digest): Promise<Result<LocalFile, FileProblem>>;
  /**
   * What is wrong with a media file, as the end of a sentence about the file; undefined if nothing is, or if its format
   * cannot be checked.
   */
  damage(file: LocalFile): Promise<string | undefined>;
  /** True if the format of a media file shows where it ends, and the file ends there. */
  showsItsEnd(file: LocalFile): Promise<boolean>;
  /** How long a sound is, in seconds; undefined if its header does not say. */
  seconds(file: LocalFile): Promise<number | undefined>;
  /**
   * Moves a finished, synced file into place atomically, and syncs the folder. An existing file with other content is
   * kept under its hash: paid content is never overwritten.
   */
  place(
    temporary: LocalFile,
    outputPath: string,
    digest: Digest,
  ): Promise<Result<void, FileProblem>>;
  /** Somebody else has put an output of this checkout into its place. */
  remember(output: RecordedFile): Promise<void>;
  /** Moves a finished, synced file to the kept files, under its hash. The path relative to the pipeline file. */
  keep(
    temporary: LocalFile,
    digest: Digest,
    extension: string,
  ): Promise<Result<string, FileProblem>>;
  /** A file outside this checkout, by its absolute path. */
  foreign(path: string): FileFact;
  /** Copies an output or a kept file to a temporary file and syncs it. */
  copy(source: LocalFile, into: LocalFile): Promise<Result<Fetched, FileProblem>>;
  /** Removes an unused temporary file and its note. */
  discard(file: LocalFile): Promise<void>;
}

/**
 * Why a store did not do what it was asked.
 *
 * - `unavailable`: the store may do it later.
 * - `refused`: the store or the request must be changed first.
 * - `missing`: the store does not have the file.
 * - `damaged`: the bytes are not those that the hash names.
 * - `local`: this machine could not read or write a file.
 * - `aborted`: the run is stopping.
 */
export interface StoreFailure {
  readonly reason: 'unavailable' | 'refused' | 'missing' | 'damaged' | 'local' | 'aborted';
  /** The store, and what happened: a sentence without its end. */
  readonly message: string;
}

export type StoreAnswer<T> = Promise<Result<T, StoreFailure>>;

/** Where saved files are kept besides the output folder, by the hash of their content. One call is one attempt. */
export interface OutputStore {
  /** Names the store in the state file. */
  readonly id: string;
  /** Finds out before anything is bought whether files can be put. */
  check(): StoreAnswer<void>;
  /** When this resolves, the store has the file for good. A file that it already has is not sent again. */
  put(file: LocalFile, digest: Digest, bytes: number): StoreAnswer<void>;
  /** Streams a file into a temporary file, verifies the hash, and syncs the file. After a failure, nothing is left. */
  get(digest: Digest, bytes: number, into: LocalFile): StoreAnswer<void>;
  has(digest: Digest, bytes: number): StoreAnswer<boolean>;
}

/** A file that is recorded, and that a store has. */
export type StoredFile = Pick<Output, 'path' | 'sha256' | 'bytes' | 'unchecked'>;

/** Where one result goes. Plain data, because it may travel. */
export interface Spot {
  /** Below the output folder, with marks for its number and extension (`outputPath`); empty: to the kept files. */
  readonly to: string;
  /** Which of how many results of its project. */
  readonly index: number;
  readonly count: number;
  /** If its place is taken, it goes to the kept files. */
  readonly isKept: boolean;
  /** Names the temporary file. */
  readonly work: Digest;
  /** Bytes that were fetched before and did not decode. */
  readonly came?: Digest | undefined;
}

/** What a hand says of a result that it has saved; paths are relative to the pipeline file. */
export type Saved = Pick<
  Output,
  'path' | 'bytes' | 'sha256' | 'seconds' | 'kept' | 'unchecked' | 'stored'
>;

/** A file to send up: an input, or a file that is only on this machine. */
export type Source =
  | Extract<Place, { readonly in: 'input' }>
  | { readonly in: 'here'; readonly file: LocalFile };

/**
 * Moves the bytes of a run, here or on other machines. Each call is one attempt, which may be made twice, and by anybody. A
 * `FileProblem` says that what came could not be put into its place.
 */
export interface Hands {
  /** False if others move bytes: what they say of a file is checked before its project is deleted. */
  readonly isHere: boolean;
  /** The SHA-256 of what was sent. `content`: of what should be. */
  upload(target: UploadTarget, source: Source, content: string | undefined): ServiceAnswer<Digest>;
  /** Fetches a result, checks it, and puts it into its place. */
  save(url: string, spot: Spot): ServiceAnswer<Result<Saved, FileProblem>>;
  /** The same with a file of the store. */
  bring(file: StoredFile, spot: Spot): StoreAnswer<Result<Saved, FileProblem>>;
  /** The same with a file on this machine. */
  copy(from: LocalFile, file: StoredFile, spot: Spot): Promise<Result<Saved, FileProblem>>;
  /** Puts a saved file into the store. */
  store(file: StoredFile): StoreAnswer<void>;
}

/** The place of a file. */
export type Place =
  /** As an `upload` step names it: relative to the pipeline file. */
  | { readonly in: 'input'; readonly path: string }
  /** A recorded output: relative to the pipeline file. */
  | { readonly in: 'output'; readonly path: string }
  /** Superseded by another output, and kept under its hash. */
  | { readonly in: 'kept'; readonly digest: string; readonly extension: string };
