// The folders that outputs land in: made when needed, kept below the output folder, synced in groups.
import { existsSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../../contract/files/make-folder.ts';
import { linkTrouble } from './output-links.ts';

/** How many folders are remembered as ready; one that was forgotten is looked at again. */
const readyMax = 10_000;

export class OutputFolders {
  readonly #root: string;
  readonly #ready = new Set<string>();
  readonly #queued = new Map<string, Promise<void>>();

  /** `root` is absolute. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Makes a folder; throws when links lead out of the output folder, before anything is made there. */
  async ensure(folder: string): Promise<void> {
    if (this.#ready.has(folder)) return;
    makeFolder(this.#root);
    const root = await realpath(this.#root);
    let standing = folder;
    while (!existsSync(standing)) standing = dirname(standing);
    const trouble = linkTrouble(await realpath(standing), root);
    if (trouble !== undefined) throw new Error(trouble);
    makeFolder(folder);
    if (this.#ready.size >= readyMax) this.#ready.clear();
    this.#ready.add(folder);
  }

  /** New names in a folder are on disk when this resolves. Those that ask meanwhile share the next sync. */
  sync(folder: string): Promise<void> {
    const queued = this.#queued.get(folder);
    if (queued !== undefined) return queued;
    const next = syncFolder(folder, () => this.#queued.delete(folder));
    this.#queued.set(folder, next);
    return next;
  }
}

/** Makes the names in a folder durable. `begins` is called when it is too late to join. */
export async function syncFolder(
  folder: string,
  begins: () => void = () => undefined,
): Promise<void> {
  await using handle = await open(folder, 'r');
  begins();
  await handle.sync();
}
