// The folders for outputs: created when needed, kept below the output folder, and synced in groups.
import { existsSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { makeFolder } from '../base/folder.ts';
import { futureRealPath, isWithin, realPathOr } from '../base/real-path.ts';
import { extensionOf } from '../contract/api/asset.ts';
import { reservedFolder, toolFolderIn } from '../language/reserved-name.ts';
import { extensionMark } from '../language/result-name.ts';
import { statsIfAny } from './file-stamps.ts';

/** A forgotten folder is checked again. */
const maxReady = 10_000;

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
    if (this.#ready.size >= maxReady) this.#ready.clear();
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

// Checks the folders below the output folder: no link may lead a download out of it, nor into a folder of git or shotlist,
// and no file may have the name of a folder.

/** The problem with a folder below the output folder, as a sentence. Both paths are absolute, links followed. */
export function linkProblem(folder: string, root: string): string | undefined {
  if (!isWithin(folder, root)) return 'a link leads out of the output folder';
  const parts = relative(root, folder).split(sep);
  const reserved =
    parts.map(reservedFolder).find((name) => name !== undefined) ??
    toolFolderIn(relative(root, folder));
  return reserved === undefined ? undefined : `a link leads into a ${reserved} folder`;
}

/** The first part of `folder` that is there and is no folder, relative to `root`. */
function fileOnTheWay(root: string, folder: string): string | undefined {
  let path = root;
  for (const part of relative(root, folder).split(sep)) {
    path = join(path, part);
    // Links are judged by where they lead, and what cannot be entered is reported when it is written to.
    const stats = statsIfAny(path);
    if (stats === undefined) return undefined;
    if (!stats.isDirectory()) return relative(root, path).split(sep).join('/');
  }
  return undefined;
}

const maxFolders = 10_000;

/** Checks for each download, before anything is paid, that its folder is there or can be made. */
export class OutputLinks {
  readonly #root: string;
  readonly #known = new Map<string, string | undefined>();

  /** `root` is the output folder, absolute. */
  constructor(root: string) {
    this.#root = realPathOr(root);
  }

  /** Why nothing can be written to `to`, as a sentence. The text of `to` stays below the output folder. */
  problem(to: string): string | undefined {
    return this.#folderProblem(to.slice(0, to.lastIndexOf('/') + 1)) ?? this.#nameProblem(to);
  }

  #folderProblem(folder: string): string | undefined {
    if (folder === '') return undefined;
    const known = this.#known.get(folder);
    if (known !== undefined || this.#known.has(folder)) return known;
    const found = this.#problemOf(resolve(join(this.#root, folder)));
    if (this.#known.size >= maxFolders) this.#known.clear();
    this.#known.set(folder, found);
    return found;
  }

  /** Without an extension, several results get names of their own. */
  #nameProblem(to: string): string | undefined {
    if (to.endsWith('/') || to.includes(extensionMark) || extensionOf(to) === '') return undefined;
    return statsIfAny(join(this.#root, to))?.isDirectory() === true
      ? `${to} in the output folder is a folder, and a file must have this name`
      : undefined;
  }

  #problemOf(folder: string): string | undefined {
    const file = fileOnTheWay(this.#root, folder);
    if (file !== undefined)
      return `${file} in the output folder is a file, and a folder must have this name`;
    const real = futureRealPath(folder);
    return real === undefined ? 'a link leads nowhere' : linkProblem(real, this.#root);
  }
}
