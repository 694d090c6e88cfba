// The folders that outputs land in: made when needed, kept below the output folder, synced in groups.
import { type FileHandle, mkdir, open, opendir, realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

interface Folder {
  readonly handle: FileHandle;
  /** Nothing stood in it when it was opened: what a run places there can displace nothing. */
  readonly wasEmpty: boolean;
}

/** Handles of the folders used last; a deep tree does not use up all that a process may open. */
const openMax = 64;

export class OutputFolders {
  readonly #root: string;
  readonly #open = new Map<string, Promise<Folder>>();
  readonly #queued = new Map<string, Promise<void>>();

  /** `root` is absolute. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Makes a folder, and throws when links lead out of the output folder. */
  ensure(folder: string): Promise<Folder> {
    const known = this.#open.get(folder);
    if (known !== undefined) return known;
    const opening = openFolder(this.#root, folder);
    this.#open.set(folder, opening);
    opening.catch(() => this.#open.delete(folder));
    return this.#evict().then(() => opening);
  }

  async #evict(): Promise<void> {
    if (this.#open.size <= openMax) return;
    for (const [folder, opening] of this.#open) {
      if (this.#queued.has(folder)) continue;
      this.#open.delete(folder);
      await (await opening).handle.close();
      return;
    }
  }

  /** New names in a folder are on disk when this resolves. Those that ask meanwhile share the next sync. */
  sync(folder: string): Promise<void> {
    const queued = this.#queued.get(folder);
    if (queued !== undefined) return queued;
    const next = this.#syncOnce(folder);
    this.#queued.set(folder, next);
    return next;
  }

  async #syncOnce(folder: string): Promise<void> {
    const { handle } = await this.ensure(folder);
    this.#queued.delete(folder);
    await handle.sync();
  }

  async close(): Promise<void> {
    const folders = [...this.#open.values()];
    this.#open.clear();
    for (const opening of folders) await (await opening).handle.close();
  }
}

async function openFolder(root: string, folder: string): Promise<Folder> {
  await mkdir(folder, { recursive: true });
  const inside = relative(await realpath(root), await realpath(folder));
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw new Error('a link leads out of the output folder');
  const wasEmpty = await isEmpty(folder);
  return { handle: await open(folder, 'r'), wasEmpty };
}

async function isEmpty(folder: string): Promise<boolean> {
  await using listing = await opendir(folder);
  return (await listing.read()) === null;
}
