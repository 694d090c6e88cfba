// A folder as a store, for example on a network drive: `<folder>/<first two digits>/<SHA-256>`.
import { randomBytes } from 'node:crypto';
import { constants, lstatSync } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../base/digest.ts';
import { makeFolder } from '../base/folder.ts';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem } from '../base/system-error.ts';
import type { LocalFile, OutputStore, StoreAnswer, StoreFailure } from '../core/ports.ts';
import { createNew } from '../files/new-file.ts';
import { OutputFolders, syncFolder } from '../files/output-folders.ts';
import { chunksOf } from '../files/part.ts';
import { Broken, failureOf, receive, verifiedPieces } from './verified-file.ts';

interface FolderOptions {
  /** Names the store in the state file. */
  readonly id: string;
  /** Absolute. Made when it is needed. */
  readonly folder: string;
  /** If it is aborted, transfers end immediately. */
  readonly cut: AbortSignal;
}

export class FolderStore implements OutputStore {
  readonly id: string;
  readonly #folder: string;
  readonly #cut: AbortSignal;
  readonly #folders: OutputFolders;

  constructor({ id, folder, cut }: FolderOptions) {
    this.id = id;
    this.#folder = folder;
    this.#cut = cut;
    this.#folders = new OutputFolders(folder);
  }

  async check(): StoreAnswer<void> {
    return await this.#attempt(async () => {
      makeFolder(this.#folder);
      await access(this.#folder, constants.W_OK);
    });
  }

  async put(file: LocalFile, digest: Digest, bytes: number): StoreAnswer<void> {
    return await this.#attempt(async () => {
      if (this.#sizeOf(digest) === bytes) return;
      const folder = this.#folderOf(digest);
      await this.#ensure(folder);
      // Others may put the same file at the same time, from this machine or another one.
      const draft = join(folder, `.${digest.slice(0, 16)}-${randomBytes(8).toString('hex')}.part`);
      try {
        await this.#write(draft, verifiedPieces(file, digest, bytes));
        await rename(draft, this.#placeOf(digest));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
      await this.#folders.sync(folder);
      await syncFolder(this.#folder);
    });
  }

  async #ensure(folder: string): Promise<void> {
    try {
      await this.#folders.ensure(folder);
    } catch (error) {
      if (isSystemProblem(error) || !(error instanceof Error)) throw error;
      const message = `the store ${this.#folder} cannot be written: ${error.message}`;
      throw new Broken({ reason: 'refused', message });
    }
  }

  async #write(draft: string, pieces: AsyncIterable<Buffer>): Promise<void> {
    await using target = await createNew(draft);
    for await (const piece of this.#uncut(pieces)) await target.writeFile(piece);
    await target.datasync();
  }

  async get(digest: Digest, bytes: number, into: LocalFile): StoreAnswer<void> {
    if (this.#sizeOf(digest) === undefined)
      return err({
        reason: 'missing',
        message: `the store ${this.#folder} does not have ${digest}`,
      });
    const got = await this.#attempt(async () => {
      await using file = await open(this.#placeOf(digest), 'r');
      const wanted = { digest, bytes, store: `the store ${this.#folder}` };
      return await receive(this.#uncut(chunksOf(file)), wanted, into);
    });
    return got.ok ? got.value : got;
  }

  async has(digest: Digest, bytes: number): StoreAnswer<boolean> {
    return await this.#attempt(async () => this.#sizeOf(digest) === bytes);
  }

  #folderOf(digest: Digest): string {
    return join(this.#folder, digest.slice(0, 2));
  }

  #placeOf(digest: Digest): string {
    return join(this.#folderOf(digest), digest);
  }

  /** Undefined if the store does not have the file. A link is no file of the store. */
  #sizeOf(digest: Digest): number | undefined {
    const stats = lstatSync(this.#placeOf(digest), { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : undefined;
  }

  async *#uncut(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      if (this.#cut.aborted) throw new Broken({ reason: 'aborted', message: '' });
      yield piece;
    }
  }

  async #attempt<T>(work: () => Promise<T>): Promise<Result<T, StoreFailure>> {
    try {
      return ok(await work());
    } catch (error) {
      const { reason, message } = failureOf(error, `the store ${this.#folder}`);
      return err({ reason, message });
    }
  }
}
