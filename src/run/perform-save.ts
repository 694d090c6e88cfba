// Jobs about results: download, copy, delete. A file is recorded once it is whole, synced and in its place.
import { extensionOf, extensionOfContentType } from '../api/asset.ts';
import { type ApiFailure, explainFailure } from '../api/failure.ts';
import type { Download } from '../api/project.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { OutputLine } from '../journal/line.ts';
import { toolNamed } from '../kinds/tools.ts';
import { outputPath } from '../plan/output-path.ts';
import type { CopyOrder, DeleteOrder, DownloadOrder, Outcome } from './job.ts';
import { freeFailure } from './perform-supply.ts';
import type { Performance } from './performance.ts';
import type { Fetched, LocalFile } from './ports.ts';
import { patiently } from './retry.ts';
import { scrubbed } from './scrub.ts';
import type { World } from './world.ts';

/** Paid and not fetched: never `failed`, the next run tries again. */
const pending = (why: string): Outcome => ({ end: 'pending', why });

function unfetched(failure: ApiFailure): Outcome {
  if (failure.reason === 'aborted') return { end: 'stopped' };
  const why = scrubbed(explainFailure(failure));
  return failure.reason === 'unauthorized'
    ? { end: 'stop', what: 'run', why, failure }
    : pending(why);
}

export async function* download(order: DownloadOrder, world: World): Performance {
  const known = order.downloads === undefined ? await addresses(order, world) : ok(order.downloads);
  if (!known.ok) return unfetched(known.error);
  let downloads = known.value;
  if (downloads.length === 0) return pending('the service lists no download for it');
  const count = downloads.length;
  for (let index = 0; index < count; index++) {
    const address = downloads[index];
    if (address === undefined) return pending(`the service lists fewer downloads than before`);
    const guess = extensionOfAddress(address.url);
    const temporary = await world.disk.temporary(folderOf(order.to, guess));
    if (!temporary.ok) return pending(temporary.error);
    let fetched = await fetchInto(address.url, temporary.value, order, world);
    if (
      !fetched.ok &&
      (fetched.error.reason === 'expired' || fetched.error.reason === 'not-found')
    ) {
      const fresh = await addresses(order, world);
      if (!fresh.ok) return unfetched(fresh.error);
      downloads = fresh.value;
      fetched = await fetchInto(
        downloads[index]?.url ?? address.url,
        temporary.value,
        order,
        world,
      );
    }
    if (!fetched.ok) {
      await world.disk.discard(temporary.value);
      return unfetched(fetched.error);
    }
    const extension = extensionOfContentType(fetched.value.contentType) ?? guess;
    const saved = await place(
      order,
      { index, count, extension },
      temporary.value,
      fetched.value,
      world,
    );
    if (!saved.ok) return pending(saved.error);
    yield { durable: true, event: { event: 'output', job: order.fingerprint, ...saved.value } };
  }
  return { end: 'done', live: {} };
}

const fetchInto = (
  url: string,
  into: LocalFile,
  order: DownloadOrder,
  world: World,
): Promise<Result<Fetched, ApiFailure>> =>
  patiently('free', order.attempts, world, () => world.api.download(url, into));

async function addresses(
  order: DownloadOrder,
  world: World,
): Promise<Result<readonly Download[], ApiFailure>> {
  const record = toolNamed(order.tool)?.record ?? 'image';
  const read = await patiently('free', order.attempts, world, () =>
    world.api.project(record, order.project),
  );
  return read.ok ? ok(read.value.downloads) : err(read.error);
}

function extensionOfAddress(url: string): string {
  return (URL.canParse(url) ? extensionOf(new URL(url).pathname) : '') || 'bin';
}

/** Any name in the folder that the file will stand in; only the folder matters. */
const folderOf = (to: string, extension: string): string =>
  to.endsWith('/') ? `${to}1.${extension}` : to;

interface Position {
  readonly index: number;
  readonly count: number;
  readonly extension: string;
}

async function place(
  order: { readonly to: string; readonly task: string },
  position: Position,
  temporary: LocalFile,
  { bytes, digest }: Fetched,
  world: World,
): Promise<Result<OutputLine, string>> {
  const path = outputPath(order.to, position);
  const placed = path.ok ? await world.disk.place(temporary, path.value, digest) : path;
  if (!placed.ok) await world.disk.discard(temporary);
  if (!path.ok) return path;
  if (!placed.ok) return err(placed.error);
  return ok({
    task: order.task,
    index: position.index,
    path: world.disk.recordedAs(path.value),
    bytes,
    sha256: digest,
  });
}

/** The result is on disk already: another place gets a copy of it. */
export async function* copy(order: CopyOrder, world: World): Performance {
  const count = order.sources.length;
  for (const { output, from } of order.sources) {
    const temporary = await world.disk.temporary(folderOf(order.to, extensionOf(output.path)));
    if (!temporary.ok) return pending(temporary.error);
    const copied = await world.disk.copy(world.disk.fileAt(from), temporary.value);
    if (!copied.ok) return pending(copied.error);
    if (copied.value.digest !== output.sha256) {
      await world.disk.discard(temporary.value);
      return pending(`${output.path} changed while it was being copied`);
    }
    const position = { index: output.index, count, extension: extensionOf(output.path) };
    const saved = await place(order, position, temporary.value, copied.value, world);
    if (!saved.ok) return pending(saved.error);
    yield { durable: true, event: { event: 'output', job: order.fingerprint, ...saved.value } };
  }
  return { end: 'done', live: {} };
}

export async function* remove(order: DeleteOrder, world: World): Performance {
  const record = toolNamed(order.tool)?.record ?? 'image';
  const gone = await patiently('free', order.attempts, world, () =>
    world.api.deleteProject(record, order.project),
  );
  if (!gone.ok && gone.error.reason !== 'not-found') return freeFailure(gone.error);
  yield { durable: false, event: { event: 'deleted', job: order.fingerprint, task: order.task } };
  return { end: 'done', live: {} };
}
