// Has results moved by the hands of the run, and records them: once they are complete, synced and in their places.
import { digestFrom, digestOf } from '../base/digest.ts';
import type { Result } from '../base/result.ts';
import { extensionOf } from '../contract/api/asset.ts';
import type { Move } from '../model/record/job.ts';
import type { Output } from '../model/record/line.ts';
import type { WholeFile } from './decide.ts';
import { Ended, pendingIfFailed, stopped } from './ended.ts';
import type {
  FileProblem,
  LocalFile,
  OutputStore,
  Saved,
  Spot,
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
    const { calls, hands } = this.#o;
    let spot = spotOf(saving, index, count);
    let url = await urlOf(false);
    const save = async (): ReturnType<typeof hands.save> => {
      const saved = await hands.save(url, spot);
      if (!saved.ok && saved.error.reason === 'damaged')
        spot = { ...spot, came: saved.error.digest ?? spot.came };
      return saved;
    };
    const get = () => calls.storage(url, save, saving.attempts);
    let saved: Awaited<ReturnType<typeof get>>;
    try {
      saved = await get();
    } catch (error) {
      if (!(error instanceof Ended) || error.code !== 'expired') throw pendingIfFailed(error);
      url = await urlOf(true);
      saved = await get().catch((again: unknown) => {
        throw pendingIfFailed(again);
      });
    }
    await this.#record(saving, index, saved);
  }

  /** A result of which a whole file is on this machine, or in the store. */
  async copy(saving: Saving, file: WholeFile, count: number): Promise<void> {
    const { output } = file;
    const { hands } = this.#o;
    const spot = spotOf(saving, output.index, count);
    const saved =
      file.from === 'store'
        ? await this.#fromStore(output, saving.attempts, () => hands.bring(output, spot))
        : await hands.copy(this.placeOf(file), output, spot);
    await this.#record(saving, output.index, saved);
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
    const digest = digestFrom(output.sha256);
    await this.#fromStore(output, attempts, (store) => store.get(digest, output.bytes, made.value));
    return { file: made.value, over: () => this.#o.disk.discard(made.value) };
  }

  async #record(saving: Saving, index: number, saved: Result<Saved, FileProblem>): Promise<void> {
    if (!saved.ok) throw problemEnd(saved.error);
    const { journal } = this.#o;
    const { job, attempt: of, task } = saving;
    const { stored, ...file } = saved.value;
    const output: Omit<Output, 'at'> = { of, task, index, ...file };
    const { path } = file;
    const recorded: Move = { job, is: 'output', output };
    if (stored !== undefined)
      return await journal.commit(recorded, {
        job,
        is: 'stored',
        store: stored,
        of,
        task,
        index,
        path,
      });
    await journal.commit(recorded);
    await this.store(saving, output);
  }

  // The store

  /** A file that is recorded and perhaps only on this machine. Throws if the store does not take it. */
  async store(
    { job, attempts }: Pick<Saving, 'job' | 'attempts'>,
    output: Omit<Output, 'at'>,
  ): Promise<void> {
    const { store, journal, hands } = this.#o;
    if (store === undefined || output.kept) return;
    const { of, task, index, path } = output;
    const taken = await this.#patiently(attempts, () => hands.store(output));
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
  async missingInStore(output: Output, attempts: number): Promise<string | undefined> {
    const { store, hands } = this.#o;
    const { path, sha256, bytes } = output;
    if (store === undefined) return `kept: ${path} is not here, and there is no store`;
    if (!hands.isHere) {
      const { over } = await this.local({ from: 'store', output }, attempts);
      await over();
      return undefined;
    }
    const has = await this.#patiently(attempts, () => store.has(digestFrom(sha256), bytes));
    if (!has.ok) return `kept: ${has.error.message}`;
    return has.value ? undefined : `kept: ${path} is not here, and the store no longer has it`;
  }

  async #fromStore<T>(
    { path }: Output,
    attempts: number,
    get: (store: OutputStore) => StoreAnswer<T>,
  ): Promise<T> {
    const { store } = this.#o;
    if (store === undefined)
      throw new Ended('pending', `${path} is not here, and there is no store`);
    const got = await this.#patiently(attempts, () => get(store));
    if (got.ok) return got.value;
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

/** Two tasks may fetch one project to two places at the same time. */
const spotOf = ({ job, to, isKept }: Saving, index: number, count: number): Spot => ({
  to,
  index,
  count,
  isKept,
  work: digestOf({ job, to, index }),
});
