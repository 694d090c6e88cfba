// Files to and from the storage of the service, at the addresses that the service gave out. Needs no key.
import { Redactor } from '../base/redactor.ts';
import { err } from '../base/result.ts';
import type { MediaApi } from '../core/ports.ts';
import { FileFetcher } from './fetch-file.ts';
import { type LeastProgress, leastProgress } from './given-up.ts';
import { stopped } from './http-failure.ts';
import { putFile } from './put-file.ts';
import { Storage } from './storage.ts';
import type { StorageAddresses } from './storage-address.ts';

export interface StorageClientOptions {
  /** Hides secrets in answers. */
  readonly redactor?: Redactor | undefined;
  /** Milliseconds until the head of an answer must arrive. */
  readonly answerMs?: number | undefined;
  /** Milliseconds without a byte until an answer counts as cut. */
  readonly stallMs?: number | undefined;
  /** Transfers have no deadline, but must make progress. */
  readonly progress?: LeastProgress | undefined;
  /** The longest file to fetch, in bytes. */
  readonly longestFile?: number | undefined;
  readonly connections?: number | undefined;
  /** If it is aborted, requests that were not sent yet are not sent. */
  readonly stop?: AbortSignal | undefined;
  /** If it is aborted, transfers end immediately. */
  readonly cut?: AbortSignal | undefined;
}

export interface StorageClient extends Pick<MediaApi, 'put' | 'download'> {
  close(): Promise<void>;
}

export const defaults = { connections: 128, answerMs: 120_000, stallMs: 120_000 };

export function storageClient(
  addresses: StorageAddresses,
  options: StorageClientOptions,
): StorageClient {
  const { stop, cut, redactor = new Redactor([]) } = options;
  const { progress = leastProgress, longestFile = 64 * 2 ** 30 } = options;
  const {
    connections = defaults.connections,
    answerMs = defaults.answerMs,
    stallMs = defaults.stallMs,
  } = options;
  const storage = new Storage({ addresses, connections, answerMs, stallMs, progress, cut });
  const fetcher = new FileFetcher(storage, longestFile);
  return {
    put: async ({ uploadUrl }, file) =>
      stop?.aborted ? err(stopped) : redactor.value(await putFile(storage, uploadUrl, file)),
    download: async (url, into) =>
      stop?.aborted ? err(stopped) : redactor.value(await fetcher.fetch(url, into)),
    close: () => storage.close(),
  };
}
