// What jobs do with the output store: put saved files there, ask whether it has them, and fetch those that are not on this
// disk. A download is over only when the store has its files, so the delete of the project, which waits for the download, waits
// for the store too.
import { digestFrom, digestOf } from '../../base/digest.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { extensionOf } from '../../contract/api/asset.ts';
import { normalized } from '../../core/output-path.ts';
import type { Disk, Fetched, LocalFile, StoreAnswer, StoreFailure } from '../../core/ports.ts';
import { backoffAfter } from '../../core/retry.ts';
import type { OutputLine } from '../../model/line.ts';
import type { DeleteOrder, Ended, JobOutcome, Source, StoreOrder } from './job.ts';
import type { JobContext, Performance, Recorded } from './job-context.ts';
import { pending, stopped, unsaved } from './outcome.ts';

const stopping: StoreFailure = { reason: 'aborted', message: 'the run is stopping' };

/** Repeats a request while the store may still do it. Makes at most `attempts` tries, with growing pauses. */
export async function withStoreRetries<T>(
  attempts: number,
  { clock, backoffMs, stop }: Pick<JobContext, 'clock' | 'backoffMs' | 'stop'>,
  call: () => StoreAnswer<T>,
): Promise<Result<T, StoreFailure>> {
  for (let tries = 1; ; tries++) {
    if (stop.aborted) return err(stopping);
    const answer = await call();
    if (answer.ok || answer.error.reason !== 'unavailable' || tries >= attempts) return answer;
    await clock.sleep(backoffAfter(tries, backoffMs, clock.chance()), stop);
  }
}

type Storing = AsyncGenerator<Recorded, Ended | undefined, void>;

/** The files were saved by an earlier run, and only the store lacks them. */
export async function* store(order: StoreOrder, context: JobContext): Performance {
  for (const { output, from } of order.sources) {
    const unstored = yield* put(order, output, context.disk.fileAt(from), context);
    if (unstored !== undefined) return unstored;
  }
  return { is: 'done', live: {} };
}

interface ForJob {
  readonly fingerprint: string;
  readonly attempts: number;
}

/** Puts a file that was just recorded. Returns how its task ends if the store did not take the file. */
export async function* putInStore(order: ForJob, output: OutputLine, context: JobContext): Storing {
  const at = context.disk.fileAt({ in: 'output', path: output.path });
  return yield* put(order, output, at, context);
}

async function* put(
  { fingerprint: job, attempts }: ForJob,
  { task, index, path, sha256, bytes }: OutputLine,
  file: LocalFile,
  context: JobContext,
): Storing {
  const { store } = context;
  if (store === undefined) return undefined;
  const taken = await withStoreRetries(attempts, context, () =>
    store.put(file, digestFrom(sha256), bytes),
  );
  if (!taken.ok) return unstored(path, taken.error);
  const event = { event: 'stored', job, task, index, store: store.id } as const;
  yield { durable: true, event };
  return undefined;
}

/** Nothing more is bought: on a machine that does not last, the result would exist only at the service. */
function unstored(path: string, { reason, message }: StoreFailure): Ended {
  if (reason === 'aborted') return stopped;
  const ended = pending(`${path} is saved here, but not in the store: ${message}`);
  return reason === 'damaged' ? ended : { ...ended, stops: 'machine' };
}

/** How a delete ends if the store lacks a file that is not on this disk; undefined if the delete may go on. */
export async function notInStore(
  { onlyStored = [], attempts }: DeleteOrder,
  context: JobContext,
): Promise<Ended | undefined> {
  const { store } = context;
  for (const { path, sha256, bytes } of onlyStored) {
    if (store === undefined) return pending(`kept: ${path} is not here, and there is no store`);
    const has = await withStoreRetries(attempts, context, () =>
      store.has(digestFrom(sha256), bytes),
    );
    if (!has.ok)
      return has.error.reason === 'aborted' ? stopped : pending(`kept: ${has.error.message}`);
    if (!has.value) return pending(`kept: ${path} is not here, and the store no longer has it`);
  }
  return undefined;
}

/** Fetches an output into a temporary file. The hash is verified, and the file is synced. */
export async function fetchFromStore(
  { path, sha256, bytes }: OutputLine,
  into: LocalFile,
  attempts: number,
  context: JobContext,
): Promise<Result<Fetched, JobOutcome>> {
  const { store } = context;
  if (store === undefined) return err(pending(`${path} is not here, and there is no store`));
  const digest = digestFrom(sha256);
  const got = await withStoreRetries(attempts, context, () => store.get(digest, bytes, into));
  return got.ok
    ? ok({ bytes, digest, contentType: '', isVerified: true })
    : err(unfetched(path, got.error));
}

function unfetched(path: string, { reason, message }: StoreFailure): JobOutcome {
  if (reason === 'aborted') return stopped;
  if (reason === 'local') return unsaved({ message, systemic: true });
  return pending(`${path} could not be fetched: ${message}`);
}

export interface FileHere {
  readonly file: LocalFile;
  /** Call when the file is no longer needed. Removes only a temporary file. */
  release(): Promise<void>;
}

/**
 * The file of a recorded output on this disk. A file from the store is put in its recorded place, like a download, so
 * that the next run finds it; if something else is there, or the output folder is another one now, only a temporary
 * file is made.
 */
export async function onThisDisk(
  { output, from }: { readonly output: OutputLine; readonly from: Source },
  attempts: number,
  context: JobContext,
): Promise<Result<FileHere, JobOutcome>> {
  const { disk } = context;
  const release = async (): Promise<void> => undefined;
  if (from.in !== 'store') return ok({ file: disk.fileAt(from), release });
  const { path, sha256 } = output;
  const extension = extensionOf(path);
  const place = placeBelow(disk, path);
  const temporary = await disk.temporary(
    place ?? `fetched${extension === '' ? '' : `.${extension}`}`,
    digestOf({ fetched: sha256, path }),
  );
  if (!temporary.ok) return err(unsaved(temporary.error));
  const file = temporary.value;
  const fetched = await fetchFromStore(output, file, attempts, context);
  if (!fetched.ok) return fetched;
  if (place === undefined) return ok({ file, release: () => disk.discard(file) });
  const placed = await disk.place(file, place, fetched.value.digest);
  if (placed.ok) return ok({ file: disk.fileAt({ in: 'output', path }), release });
  await disk.discard(file);
  return err(unsaved(placed.error));
}

/** The recorded place as a path below the output folder; undefined if it is taken, or somewhere else. */
function placeBelow(disk: Disk, path: string): string | undefined {
  const root = disk.recordedAs('');
  const below = root === '' ? path : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : '';
  const place = normalized(below);
  if (below === '' || !place.ok || place.value !== below) return undefined;
  return disk.output(path).is === 'absent' ? below : undefined;
}
