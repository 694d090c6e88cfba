// Moves results: fetches them from the service, copies them, puts them into the store. A file is recorded once it is complete,
// synced and in its place.
import { type Digest, digestFrom, digestOf } from '../base/digest.ts';
import { err, ok, type Result } from '../base/result.ts';
import { extensionOf, extensionOfContentType, mediaTypeOf } from '../contract/api/asset.ts';
import { extensionMark } from '../language/result-name.ts';
import type { Output } from '../model/record/line.ts';
import type { WholeFile } from './decide.ts';
import { Ended, pendingIfFailed, stopped } from './ended.ts';
import { outputPath } from './output-path.ts';
import type {
  Fetched,
  FileProblem,
  LocalFile,
  MediaApi,
  StoreAnswer,
  StoreFailure,
} from './ports.ts';
import { patiently } from './retry.ts';
import type { World } from './world.ts';

/** Whose results they are, and what they are saved for. `to`: below the output folder; 'kept': in `.shotlist/kept`. */
export interface Saving {
  readonly job: string;
  readonly attempt: string;
  readonly task: string;
  readonly to: string;
  readonly isKept: boolean;
  readonly attempts: number;
}

export class Files {
  readonly #o: World;

  constructor(world: World) {
    this.#o = world;
  }

  /** One result. `urlOf`: its address; again, after one that was refused. */
  async fetch(
    saving: Saving,
    { index, count }: { readonly index: number; readonly count: number },
    urlOf: (isAgain: boolean) => Promise<string>,
  ): Promise<void> {
    const { calls } = this.#o;
    let url = await urlOf(false);
    const guess = extensionOfUrl(url);
    const into = await this.#temporary(saving, index, guess);
    const get = (): Promise<Fetched> =>
      calls.storage(url, () => this.#download(url, into), saving.attempts);
    let fetched: Fetched;
    try {
      fetched = await get();
    } catch (error) {
      if (!(error instanceof Ended) || error.code !== 'expired') throw pendingIfFailed(error);
      url = await urlOf(true);
      fetched = await get().catch((again: unknown) => {
        throw pendingIfFailed(again);
      });
    }
    const extension = extensionOfContentType(fetched.contentType) ?? guess;
    await this.#place(saving, { index, count, extension }, into, fetched);
  }

  /**
   * If the storage does not tell the hash of a file, a file that does not decode is fetched again. Bytes that come twice are what
   * the storage has: they are saved, and a delete of their project refuses.
   */
  async #download(url: string, into: LocalFile): ReturnType<MediaApi['download']> {
    const { api, disk } = this.#o;
    const fetched = await api.download(url, into);
    if (!fetched.ok || fetched.value.isVerified) return fetched;
    const { digest } = fetched.value;
    const damage = this.#came.get(into.path) === digest ? undefined : await disk.damage(into);
    if (damage === undefined) return fetched;
    this.#came.set(into.path, digest);
    await disk.discard(into);
    return err({ reason: 'damaged', message: `it ${damage}` });
  }

  /** Bytes that did not decode, by the file that they were written to. */
  readonly #came = new Map<string, Digest>();

  /** A result of which a whole file is on this machine, or in the store. */
  async copy(saving: Saving, file: WholeFile, count: number): Promise<void> {
    const { output } = file;
    const { index } = output;
    const extension = extensionOf(output.path);
    const into = await this.#temporary(saving, index, extension);
    const copied = await this.#bytesOf(file, into, saving.attempts);
    await this.#place(saving, { index, count, extension }, into, {
      ...copied,
      isUntold: output.unchecked,
    });
  }

  async #bytesOf({ from, output }: WholeFile, into: LocalFile, attempts: number): Promise<Fetched> {
    if (from === 'store') return await this.#fromStore(output, into, attempts);
    const copied = await this.#o.disk.copy(this.placeOf({ from, output }), into);
    if (!copied.ok) throw problemEnd(copied.error);
    if (copied.value.digest === output.sha256) return copied.value;
    await this.#o.disk.discard(into);
    throw new Ended('pending', `${output.path} changed while it was being copied`);
  }

  /** Where a file is that is on this machine. */
  placeOf({ from, output }: WholeFile): LocalFile {
    const { disk } = this.#o;
    if (from === 'copy') return { path: output.path };
    if (from === 'place') return disk.fileAt({ in: 'output', path: output.path });
    const extension = extensionOf(output.path);
    return disk.fileAt({ in: 'kept', digest: output.sha256, extension });
  }

  /** A file for an upload: itself, or a temporary one from the store. */
  async local(
    file: WholeFile,
    attempts: number,
  ): Promise<{ readonly file: LocalFile; over(): Promise<void> }> {
    if (file.from !== 'store') return { file: this.placeOf(file), over: async () => undefined };
    const { output } = file;
    const extension = extensionOf(output.path);
    const name = `fetched${extension === '' ? '' : `.${extension}`}`;
    const made = await this.#o.disk.temporary(name, digestOf({ fetched: output.sha256 }));
    if (!made.ok) throw problemEnd(made.error);
    await this.#fromStore(output, made.value, attempts);
    return { file: made.value, over: () => this.#o.disk.discard(made.value) };
  }

  // Places

  /** Its name depends on the content and the target, because two tasks may fetch one project to two places at the same time. */
  async #temporary({ job, to }: Saving, index: number, extension: string): Promise<LocalFile> {
    const named = to.replaceAll(extensionMark, extension);
    const inFolder = to.endsWith('/') ? `${named}1.${extension}` : named;
    const made = await this.#o.disk.temporary(inFolder, digestOf({ job, to, index }));
    if (!made.ok) throw problemEnd(made.error);
    return made.value;
  }

  async #place(
    saving: Saving,
    position: { readonly index: number; readonly count: number; readonly extension: string },
    temporary: LocalFile,
    { bytes, digest, isUntold }: Pick<Fetched, 'bytes' | 'digest' | 'isUntold'>,
  ): Promise<void> {
    const { disk, journal } = this.#o;
    const { job, attempt: of, task } = saving;
    const { index, extension } = position;
    const isAudio = mediaTypeOf(extension) === 'audio';
    const seconds = isAudio ? await disk.seconds(temporary) : undefined;
    const isUnchecked = isUntold === true && !(await disk.showsItsEnd(temporary));
    const placed = await this.#put(saving, position, temporary, digest);
    if (!placed.ok) {
      await disk.discard(temporary);
      throw problemEnd(placed.error);
    }
    const { path, isKept } = placed.value;
    const output: Omit<Output, 'at'> = { of, task, index, path, bytes, sha256: digest };
    if (seconds !== undefined) output.seconds = seconds;
    if (isKept) output.kept = true;
    if (isUnchecked) output.unchecked = true;
    await journal.commit({ job, is: 'output', output });
    await this.store(saving, output);
  }

  /** Into its place; a result that nobody waits for any more goes to the kept files if its place is taken. */
  async #put(
    { to, isKept }: Saving,
    position: { readonly index: number; readonly count: number; readonly extension: string },
    temporary: LocalFile,
    digest: Digest,
  ): Promise<Result<{ path: string; isKept: boolean }, FileProblem>> {
    const { disk } = this.#o;
    const below = outputPath(to, position);
    if (!below.ok && !isKept) return err({ message: below.error, systemic: false });
    if (below.ok && to !== '') {
      const path = disk.recordedAs(below.value);
      const there = disk.output(path);
      const isTaken = isKept && there.is === 'file' && there.digest !== digest;
      const placed = isTaken ? undefined : await disk.place(temporary, below.value, digest);
      if (placed?.ok === true) return ok({ path, isKept: false });
      if (placed !== undefined && (!isKept || placed.error.systemic)) return placed;
    }
    const kept = await disk.keep(temporary, digest, position.extension);
    return kept.ok ? ok({ path: kept.value, isKept: true }) : kept;
  }

  // The store

  /** A file that is recorded and perhaps only on this machine. Throws if the store does not take it. */
  async store(
    { job, attempts }: Pick<Saving, 'job' | 'attempts'>,
    output: Omit<Output, 'at'>,
  ): Promise<void> {
    const { store, journal, disk } = this.#o;
    if (store === undefined || output.kept) return;
    const { of, task, index, path, bytes, sha256 } = output;
    const file = disk.fileAt({ in: 'output', path });
    const taken = await this.#patiently(attempts, () => store.put(file, digestFrom(sha256), bytes));
    if (taken.ok)
      return await journal.commit({ job, is: 'stored', store: store.id, of, task, index, path });
    if (taken.error.reason === 'aborted') throw stopped();
    const why = `${path} is saved here, but not in the store: ${taken.error.message}`;
    // On a machine that does not last, what is bought next would exist only at the service.
    throw new Ended(
      'pending',
      why,
      taken.error.reason === 'damaged' ? {} : { stops: 'buying', code: 'local' },
    );
  }

  /** Why a delete must wait: the store lacks a file that is nowhere else. */
  async missingInStore(
    { path, sha256, bytes }: Output,
    attempts: number,
  ): Promise<string | undefined> {
    const { store } = this.#o;
    if (store === undefined) return `kept: ${path} is not here, and there is no store`;
    const has = await this.#patiently(attempts, () => store.has(digestFrom(sha256), bytes));
    if (!has.ok) return `kept: ${has.error.message}`;
    return has.value ? undefined : `kept: ${path} is not here, and the store no longer has it`;
  }

  async #fromStore(output: Output, into: LocalFile, attempts: number): Promise<Fetched> {
    const { store } = this.#o;
    const { path, sha256, bytes } = output;
    if (store === undefined)
      throw new Ended('pending', `${path} is not here, and there is no store`);
    const digest = digestFrom(sha256);
    const got = await this.#patiently(attempts, () => store.get(digest, bytes, into));
    if (got.ok) return { bytes, digest, contentType: '', isVerified: true };
    const { reason, message } = got.error;
    if (reason === 'aborted') throw stopped();
    if (reason === 'local') throw problemEnd({ message, systemic: true });
    throw new Ended('pending', `${path} could not be fetched: ${message}`);
  }

  #patiently<T>(attempts: number, call: () => StoreAnswer<T>): StoreAnswer<T> {
    const { signal: stop, clock, backoffMs } = this.#o;
    const isAway = ({ reason }: StoreFailure): boolean => reason === 'unavailable';
    return patiently(attempts, { clock, stop, backoffMs }, isAway, call);
  }
}

/** A result that cannot be saved must not be bought: a problem of this machine ends all buying. */
export const problemEnd = ({ message, systemic }: FileProblem): Ended =>
  new Ended('pending', message, systemic ? { stops: 'buying', code: 'local' } : {});

/** The service's own name is used only if it has a plain extension. */
function extensionOfUrl(url: string): string {
  const extension = extensionOf(URL.parse(url)?.pathname ?? '');
  return /^[a-z0-9]{1,10}$/.test(extension) ? extension : 'bin';
}
