// Jobs about results: download, copy, delete. A file is recorded once it is complete, synced and in place.

import { digestOf } from '../../base/digest.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { extensionOf, extensionOfContentType, mediaTypeOf } from '../../contract/api/asset.ts';
import type { ApiFailure } from '../../contract/api/failure.ts';
import type { Download } from '../../contract/api/project.ts';
import { recordOf } from '../../contract/tools/all.ts';
import { outputPath } from '../../core/output-path.ts';
import type { Fetched, FileProblem, LocalFile, ServiceAnswer } from '../../core/ports.ts';
import { patiently } from '../../core/retry.ts';
import { extensionMark } from '../../language/result-name.ts';
import type { OutputLine } from '../../model/line.ts';
import { type Finding, find, notFound, recordGone } from './gone.ts';
import type {
  AttachOrder,
  AwaitOrder,
  CopyOrder,
  CreateOrder,
  DeleteOrder,
  DownloadOrder,
  Ended,
  JobOutcome,
} from './job.ts';
import type { JobContext, Performance, Recorded } from './job-context.ts';
import { outcomeOf, pending, unsaved } from './outcome.ts';
import { fetchFromStore, notInStore, putInStore } from './store.ts';

export async function* download(order: DownloadOrder, context: JobContext): Performance {
  const addresses = new Addresses(order, context);
  const count = await addresses.count();
  if (!count.ok) return yield* addresses.unread(count.error);
  if (count.value === 0) return pending('the service lists no download for it');
  let unstored: Ended | undefined;
  for (let index = 0; index < count.value; index++) {
    const address = await addresses.at(index);
    if (!address.ok) return yield* addresses.unread(address.error);
    const guess = extensionOfAddress(address.value);
    const temporary = await temporaryFor(order, index, guess, context);
    if (!temporary.ok) return unsaved(temporary.error);
    const into = temporary.value;
    let fetched = await fetchInto(into, address.value, order, context);
    if (!fetched.ok && fetched.error.reason === 'expired') {
      const fresh = await addresses.another(index);
      if (fresh?.ok === false) return yield* addresses.unread(fresh.error);
      if (fresh !== undefined) fetched = await fetchInto(into, fresh.value, order, context);
    }
    // The received part stays on disk: the next run resumes it.
    if (!fetched.ok) return outcomeOf('save', fetched.error);
    addresses.came();
    const extension = extensionOfContentType(fetched.value.contentType) ?? guess;
    const position = { index, count: count.value, extension };
    const saved = await place(order, position, into, fetched.value, context);
    if (!saved.ok) return unsaved(saved.error);
    yield { durable: true, event: { event: 'output', job: order.fingerprint, ...saved.value } };
    // A file that the store does not take must not hold up the others, which may expire at the service.
    unstored ??= yield* putInStore(order, saved.value, context);
  }
  if (unstored !== undefined) return unstored;
  return { is: 'done', live: {} };
}

/**
 * The performance of an order, then the download of its result, if the order says where: no step of the pipeline may
 * download a take before a person picks it.
 */
export async function* saved(
  order: CreateOrder | AttachOrder | AwaitOrder,
  performance: Performance,
  context: JobContext,
): Performance {
  const outcome = yield* performance;
  const { saveTo, key, task, kind, attempts, fingerprint } = order;
  if (saveTo === undefined || outcome.is !== 'done') return outcome;
  const { id: project } = outcome.live;
  if (typeof project !== 'string') throw new Error(`bug: ${task} is done without a project`);
  const head = { key, task, kind, attempts, fingerprint };
  const rest = { ...head, operation: 'download', tool: kind, project, to: saveTo } as const;
  const saving = yield* download(rest, context);
  return saving.is === 'done' ? outcome : saving;
}

/**
 * If the storage does not tell the hash of a file, a file that does not decode is fetched again. Bytes that come twice
 * are what the storage has: they are saved, and a delete of their project refuses.
 */
async function fetchInto(
  into: LocalFile,
  url: string,
  order: DownloadOrder,
  context: JobContext,
): Promise<Result<Fetched, ApiFailure>> {
  const { api, disk } = context;
  let before: string | undefined;
  return await patiently('free', order.attempts, context, async () => {
    const fetched = await api.download(url, into);
    if (!fetched.ok || fetched.value.isVerified) return fetched;
    const { digest } = fetched.value;
    const damage = digest === before ? undefined : await disk.damage(into);
    if (damage === undefined) return fetched;
    before = digest;
    await disk.discard(into);
    return err({ reason: 'damaged', message: `it ${damage}` });
  });
}

/** The extension for a file's name. The service's own name is used only if it has a plain extension. */
function extensionOfAddress(url: string): string {
  const extension = extensionOf(URL.parse(url)?.pathname ?? '');
  return /^[a-z0-9]{1,10}$/.test(extension) ? extension : 'bin';
}

/**
 * The temporary name depends on the content and the target, because two tasks may fetch one project to two places at
 * the same time.
 */
function temporaryFor(
  { fingerprint: job, to }: DownloadOrder | CopyOrder,
  index: number,
  extension: string,
  context: JobContext,
): Promise<Result<LocalFile, FileProblem>> {
  const named = to.replaceAll(extensionMark, extension);
  const inFolder = to.endsWith('/') ? `${named}1.${extension}` : named;
  return context.disk.temporary(inFolder, digestOf({ job, to, index }));
}

interface Position {
  readonly index: number;
  readonly count: number;
  readonly extension: string;
}

async function place(
  order: { readonly to: string; readonly task: string },
  position: Position,
  temporary: LocalFile,
  { bytes, digest, isUntold }: Pick<Fetched, 'bytes' | 'digest' | 'isUntold'>,
  context: JobContext,
): Promise<Result<OutputLine, FileProblem>> {
  const path = outputPath(order.to, position);
  if (!path.ok) {
    await context.disk.discard(temporary);
    return err({ message: path.error, systemic: false });
  }
  const seconds =
    mediaTypeOf(position.extension) === 'audio' ? await context.disk.seconds(temporary) : undefined;
  const isUnproved = isUntold === true && !(await context.disk.showsItsEnd(temporary));
  const placed = await context.disk.place(temporary, path.value, digest);
  if (!placed.ok) {
    await context.disk.discard(temporary);
    return placed;
  }
  return ok({
    task: order.task,
    index: position.index,
    path: context.disk.recordedAs(path.value),
    bytes,
    sha256: digest,
    ...(seconds === undefined ? {} : { duration: seconds }),
    ...(isUnproved ? { unproved: true } : {}),
  });
}

/** The result is already on disk: copies it to another place. */
export async function* copy(order: CopyOrder, context: JobContext): Performance {
  const count = order.sources.length;
  for (const { output, from } of order.sources) {
    const temporary = await temporaryFor(order, output.index, extensionOf(output.path), context);
    if (!temporary.ok) return unsaved(temporary.error);
    const copied = await copyInto(temporary.value, { output, from }, order.attempts, context);
    if (!copied.ok) {
      await context.disk.discard(temporary.value);
      return copied.error;
    }
    const position = { index: output.index, count, extension: extensionOf(output.path) };
    const copy = { ...copied.value, isUntold: output.unproved };
    const saved = await place(order, position, temporary.value, copy, context);
    if (!saved.ok) return unsaved(saved.error);
    yield { durable: true, event: { event: 'output', job: order.fingerprint, ...saved.value } };
    const unstored = yield* putInStore(order, saved.value, context);
    if (unstored !== undefined) return unstored;
  }
  return { is: 'done', live: {} };
}

async function copyInto(
  into: LocalFile,
  { output, from }: CopyOrder['sources'][number],
  attempts: number,
  context: JobContext,
): Promise<Result<Fetched, JobOutcome>> {
  if (from.in === 'store') return await fetchFromStore(output, into, attempts, context);
  const copied = await context.disk.copy(context.disk.fileAt(from), into);
  if (!copied.ok) return err(unsaved(copied.error));
  if (copied.value.digest === output.sha256) return copied;
  return err(pending(`${output.path} changed while it was being copied`));
}

export async function* remove(order: DeleteOrder, context: JobContext): Performance {
  const missing = (await notInStore(order, context)) ?? (await damaged(order, context));
  if (missing !== undefined) return missing;
  // Other pipelines may want its files.
  context.remembered?.flush();
  const record = recordOf(order.tool);
  const gone = await patiently('free', order.attempts, context, () =>
    context.api.deleteProject(record, order.project),
  );
  if (!gone.ok && gone.error.reason !== 'not-found') return outcomeOf('supply', gone.error);
  yield { durable: false, event: { event: 'deleted', job: order.fingerprint, task: order.task } };
  return { is: 'done', live: {} };
}

/** How a delete ends if a saved file is no whole medium; undefined if the delete may go on. */
async function damaged(
  { onDisk = [] }: DeleteOrder,
  { disk }: JobContext,
): Promise<Ended | undefined> {
  for (const { output, from } of onDisk) {
    const damage = await disk.damage(disk.fileAt(from));
    if (damage !== undefined)
      return pending(
        `kept: ${output.path} ${damage}; remove the file, and the next run fetches it again`,
      );
  }
  return undefined;
}

// The download addresses of a project. They expire and are then read again, but never twice without a successful
// download in between: a storage that refuses everything must not be asked forever.

export class Addresses {
  readonly #order: DownloadOrder;
  readonly #context: JobContext;
  #downloads: readonly Download[] | undefined;
  /** True if this job read the addresses itself. If they look expired, the clock is wrong. */
  #own = false;
  #refreshed = false;
  /** What was found in place of the project. */
  #found: Exclude<Finding, { readonly is: 'there' }> | undefined;

  constructor(order: DownloadOrder, context: JobContext) {
    this.#order = order;
    this.#context = context;
    this.#downloads = order.downloads;
  }

  /** The number of files. */
  async count(): ServiceAnswer<number> {
    const known = this.#downloads === undefined ? await this.#read() : ok(this.#downloads);
    return known.ok ? ok(known.value.length) : known;
  }

  /** The address of a file. An expired address is not tried at all. */
  async at(index: number): ServiceAnswer<string> {
    const known = this.#downloads === undefined ? await this.#read() : ok(this.#downloads);
    if (!known.ok) return known;
    const listed = known.value[index];
    if (listed === undefined) return err(fewer);
    const isPast = Date.parse(listed.expires_at) <= this.#context.clock.now();
    if (!isPast || this.#own) return ok(listed.url);
    return (await this.another(index)) ?? ok(listed.url);
  }

  /** A fresh address in place of one that was refused; undefined if that one was already fresh. */
  async another(index: number): Promise<Result<string, ApiFailure> | undefined> {
    if (this.#refreshed) return undefined;
    this.#refreshed = true;
    const fresh = await this.#read();
    if (!fresh.ok) return fresh;
    const listed = fresh.value[index];
    return listed === undefined ? err(fewer) : ok(listed.url);
  }

  /** How the job ends if its addresses cannot be read. */
  *unread(failure: ApiFailure): Generator<Recorded, JobOutcome> {
    if (this.#found === undefined) return outcomeOf('save', failure);
    if (this.#found.is === 'missing') return notFound;
    const settled = { credits: 0, isSettled: true };
    return yield* recordGone(this.#order, this.#found.project, settled, this.#context);
  }

  /** Call after a successful download: the next file may need a fresh address again. */
  came(): void {
    this.#refreshed = false;
  }

  async #read(): ServiceAnswer<readonly Download[]> {
    const { tool, project, attempts, fingerprint } = this.#order;
    const record = recordOf(tool);
    const found = await find({ fingerprint, project, record, attempts }, this.#context);
    if (!found.ok) return found;
    if (found.value.is !== 'there') {
      this.#found = found.value;
      return err({ reason: 'not-found', message: 'Not Found' });
    }
    this.#downloads = found.value.project.downloads;
    this.#own = true;
    return ok(this.#downloads);
  }
}

const fewer: ApiFailure = {
  reason: 'expired',
  message: 'the service lists fewer downloads than before',
};
