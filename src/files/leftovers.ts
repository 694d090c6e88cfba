// Facts about files that may be orphans, and about items that seem to be gone.
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { realPathOr } from '../base/real-path.ts';
import { isSystemProblem } from '../base/system-error.ts';
import { normalized } from '../core/output-path.ts';

/** How the keys of items tell where their files are. */
export interface ItemFiles {
  /** The folder part of `items.glob`, relative to the pipeline's folder. Keys are paths below it. */
  readonly base: string;
  /** True if `items.key` names the items, so that a key is no path. */
  readonly named: boolean;
  /** At least so many names at the end of a key are values of a matrix. If there are more, no item seems to be gone. */
  readonly suffix: number;
}

interface LeftoversOptions {
  /** Absolute. Recorded outputs are relative to this folder. */
  readonly folder: string;
  /** Absolute. */
  readonly output: string;
  /** Undefined if items are no files. */
  readonly items: ItemFiles | undefined;
  /** True if some folders or files could not be looked at when the items were listed. */
  readonly blind: boolean;
  /** Items in missing or empty folders count as gone. */
  readonly missingFolders: boolean;
}

export class Leftovers {
  readonly #o: LeftoversOptions;
  readonly #root: string;
  /** By folder: whether it is there and has anything in it. */
  readonly #inhabited = new Map<string, boolean>();

  constructor(options: LeftoversOptions) {
    this.#o = options;
    this.#root = realPathOr(options.output);
  }

  /** A folder that is missing or empty may be the place of a drive that is not mounted. */
  isGone(item: string): boolean {
    const { folder, items, blind, missingFolders } = this.#o;
    if (items === undefined) return true;
    if (blind || missingFolders) return !blind;
    if (items.named) return false;
    const names = item.split('/');
    const path = names.slice(0, Math.max(1, names.length - items.suffix)).join('/');
    const parent = dirname(resolve(folder, items.base + path));
    const known = this.#inhabited.get(parent) ?? isInhabited(parent);
    this.#inhabited.set(parent, known);
    return known;
  }

  /** True if a recorded output is a file below the output folder, and no link leads there. */
  isReachable(path: string): boolean {
    const file = resolve(this.#o.folder, path);
    const below = relative(this.#o.output, file).split(sep).join('/');
    const safe = normalized(below);
    if (!safe.ok || safe.value !== below) return false;
    if (realPathOr(dirname(file)) !== join(this.#root, dirname(below))) return false;
    return statsOf(file)?.isFile() === true;
  }

  writtenAt(path: string): number {
    const stats = statsOf(resolve(this.#o.folder, path));
    return stats === undefined ? 0 : Math.max(stats.mtimeMs, stats.ctimeMs);
  }
}

/** The files in the folder of kept files. */
export function keptFilesIn(folder: string): readonly KeptFile[] {
  return namesIn(folder).flatMap((name): readonly KeptFile[] => {
    const [, sha256, extension = ''] = /^([0-9a-f]{64})(?:\.([a-z0-9]{1,10}))?$/.exec(name) ?? [];
    const stats = sha256 === undefined ? undefined : statsOf(join(folder, name));
    if (sha256 === undefined || stats?.isFile() !== true) return [];
    const at = Math.max(stats.mtimeMs, stats.ctimeMs);
    return [{ sha256, extension, bytes: stats.size, at }];
  });
}

const isInhabited = (folder: string): boolean => namesIn(folder).length > 0;

/** Empty for a folder that cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isSystemProblem(error)) return [];
    throw error;
  }
}

/** Does not follow a link. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}

/** A file of the folder of kept files, by its name. */
export interface KeptFile {
  readonly sha256: string;
  readonly extension: string;
  readonly bytes: number;
  /** When it was set aside, in milliseconds since 1970. */
  readonly at: number;
}
