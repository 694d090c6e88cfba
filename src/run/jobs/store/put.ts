// Puts saved files into the store, and asks whether the store has them. A download is over only when the store has its
// files, so the delete of the project, which waits for the download, waits for the store too.
import { digestFrom } from '../../../base/digest.ts';
import type { OutputLine } from '../../../model/line.ts';
import type { DeleteOrder, Ended, StoreOrder } from '../job.ts';
import type { JobContext } from '../job-context.ts';
import { pending, stopped } from '../outcome.ts';
import type { Performance, Recorded } from '../performance.ts';
import type { LocalFile, StoreFailure } from '../ports.ts';
import { retryWhileAway } from './insistence.ts';

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
  const taken = await retryWhileAway(attempts, context, () =>
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
    const has = await retryWhileAway(attempts, context, () => store.has(digestFrom(sha256), bytes));
    if (!has.ok)
      return has.error.reason === 'aborted' ? stopped : pending(`kept: ${has.error.message}`);
    if (!has.value) return pending(`kept: ${path} is not here, and the store no longer has it`);
  }
  return undefined;
}
