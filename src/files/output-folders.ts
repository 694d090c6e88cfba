// The folders for outputs: created when needed, kept below the output folder, and synced in groups.
import { existsSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';
import { linkProblem } from './output-links.ts';

/** The number of folders to remember as ready. A forgotten folder is checked again. */
const readyMax = 10_000;

export class OutputFolders {
  readonly #root: string;
  readonly #ready = new Set<string>();
  readonly #queued = new Map<string, Promise<void>>();

  /** `root` is absolute. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Creates a folder. Throws before it creates anything if links lead out of the output folder. */
  async ensure(folder: string): Promise<void> {
    if (this.#ready.has(folder)) return;
    makeFolder(this.#root);
    const root = await realpath(this.#root);
    let standing = folder;
    while (!existsSync(standing)) standing = dirname(standing);
    const problem = linkProblem(await realpath(standing), root);
    if (problem !== undefined) throw new Error(problem);
    makeFolder(folder);
    if (this.#ready.size >= readyMax) this.#ready.clear();
    this.#ready.add(folder);
  }

  /** When this resolves, new names in the folder are on disk. Calls that arrive during a sync share the next sync. */
  sync(folder: string): Promise<void> {
    const queued = this.#queued.get(folder);
    if (queued !== undefined) return queued;
    const next = syncFolder(folder, () => this.#queued.delete(folder));
    this.#queued.set(folder, next);
    return next;
  }
}

/** Makes the names in a folder durable. Calls `begins` when it is too late to join this sync. */
export async function syncFolder(
  folder: string,
  begins: () => void = () => undefined,
): Promise<void> {
  await using handle = await open(folder, 'r');
  begins();
  await handle.sync();
}
