// Checks links in the output folder: they must not lead a download out of it, nor into a folder of git or shotlist.
import { join, relative, resolve, sep } from 'node:path';
import { reservedFolder } from '../../plan/reserved-name.ts';
import { futureRealPath, realPathOr } from './real-path.ts';
import { isWithin } from './within.ts';

/** The problem with a folder below the output folder, as a sentence. Both paths are absolute, links followed. */
export function linkProblem(folder: string, root: string): string | undefined {
  if (!isWithin(folder, root)) return 'a link leads out of the output folder';
  const parts = relative(root, folder).split(sep);
  const reserved = parts.map(reservedFolder).find((name) => name !== undefined);
  return reserved === undefined ? undefined : `a link leads into a ${reserved} folder`;
}

/** The number of folders to remember. A forgotten folder is checked again. */
const foldersMax = 10_000;

/** Checked for each download before anything is paid. */
export class OutputLinks {
  readonly #root: string;
  readonly #known = new Map<string, string | undefined>();

  /** `root` is the output folder, absolute. */
  constructor(root: string) {
    this.#root = realPathOr(root);
  }

  /** Why nothing can be written to `to`, as a sentence. The text of `to` stays below the output folder. */
  problem(to: string): string | undefined {
    const folder = to.slice(0, to.lastIndexOf('/') + 1);
    if (folder === '') return undefined;
    const known = this.#known.get(folder);
    if (known !== undefined || this.#known.has(folder)) return known;
    const real = futureRealPath(resolve(join(this.#root, folder)));
    const found = real === undefined ? 'a link leads nowhere' : linkProblem(real, this.#root);
    if (this.#known.size >= foldersMax) this.#known.clear();
    this.#known.set(folder, found);
    return found;
  }
}
