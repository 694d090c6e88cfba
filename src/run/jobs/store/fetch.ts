// Fetches recorded files from the store, where a step needs their bytes and they are not on this disk.

import { digestFrom, digestOf } from '../../../base/digest.ts';
import { err, ok, type Result } from '../../../base/result.ts';
import { extensionOf } from '../../../contract/api/asset.ts';
import type { OutputLine } from '../../../model/line.ts';
import { normalized } from '../../../plan/output-path.ts';
import type { JobOutcome, Source } from '../job.ts';
import type { JobContext } from '../job-context.ts';
import { pending, stopped, unsaved } from '../outcome.ts';
import type { Disk, Fetched, LocalFile, StoreFailure } from '../ports.ts';
import { retryWhileAway } from './insistence.ts';

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
  const got = await retryWhileAway(attempts, context, () => store.get(digest, bytes, into));
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
