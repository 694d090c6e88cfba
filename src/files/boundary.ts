// The boundary around a pipeline's files: a file to read must really be in the repository, links followed, unless the
// user allows more. A cloned repository may contain a link named pic.png that leads to a private key.
import { type BigIntStats, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { realPathOr } from '../base/real-path.ts';
import { isSystemProblem } from '../base/system-error.ts';
import { isWithin } from '../base/within.ts';
import { reservedFolder } from '../language/reserved-name.ts';

export interface BoundaryOptions {
  /** Absolute, links followed. */
  readonly repository: string;
  /** `--allow-outside`. */
  readonly allowOutside: boolean;
  /** Absolute: paths that the user wrote with `--input`. */
  readonly named: readonly string[];
}

/** The number of folders to remember. A forgotten folder is checked again. */
const foldersMax = 10_000;
/** The number of places outside the repository to remember. */
const outsideMax = 1000;

interface Folder {
  readonly real: string;
  /** Where it is, if files in it must not be read. */
  readonly where: string | undefined;
}

export const outsideHint = 'use --allow-outside to allow it';

export class Boundary {
  readonly #repository: string;
  readonly #allowOutside: boolean;
  readonly #named: ReadonlySet<string>;
  readonly #folders = new Map<string, Folder>();
  readonly #outside = new Set<string>();

  constructor({ repository, allowOutside, named }: BoundaryOptions) {
    this.#repository = repository;
    this.#allowOutside = allowOutside;
    // A name inside the repository says nothing about where a link of that name leads.
    this.#named = new Set(named.filter((path) => !leadsThrough(repository, path)));
  }

  /** The files that were read outside the repository because the user allows it: at most a thousand real paths. */
  get outside(): readonly string[] {
    return [...this.#outside].sort();
  }

  /**
   * Why a file must not be read, as the end of a sentence about the file. Undefined if it may be read, or does not
   * exist. `stats`: of the path itself, if the caller knows that it is no link.
   */
  refusal(path: string, stats?: Pick<BigIntStats, 'isSymbolicLink'>): string | undefined {
    if (this.#named.has(path)) return undefined;
    let real: string;
    let where: string | undefined;
    try {
      if ((stats ?? lstatSync(path)).isSymbolicLink()) {
        real = realpathSync.native(path);
        where = this.#crossing(real);
      } else {
        const folder = this.#folder(dirname(path));
        real = join(folder.real, basename(path));
        where = folder.where ?? gitsOwn([basename(path)]);
      }
    } catch (error) {
      if (!isSystemProblem(error)) throw error;
      // Some links below /proc lead to files without a path.
      return stands(path) && !this.#allowOutside
        ? `leads to a place that cannot be determined: ${outsideHint}`
        : undefined;
    }
    if (where === undefined) return undefined;
    if (!this.#allowOutside) return `is ${where}: ${outsideHint}`;
    this.#note(real);
    return undefined;
  }

  /** Why a folder must not be searched, as the end of a sentence about the folder. `real` contains no links. */
  folderRefusal(real: string): string | undefined {
    const where = this.#crossing(real);
    return where === undefined || this.#allowOutside ? undefined : `is ${where}: ${outsideHint}`;
  }

  #crossing(real: string): string | undefined {
    if (!isWithin(real, this.#repository)) return 'outside the repository';
    return gitsOwn(relative(this.#repository, real).split(sep));
  }

  #folder(path: string): Folder {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const real = realpathSync.native(path);
    const folder = { real, where: this.#crossing(real) };
    if (this.#folders.size >= foldersMax) this.#folders.clear();
    this.#folders.set(path, folder);
    return folder;
  }

  #note(real: string): void {
    if (this.#outside.size < outsideMax) this.#outside.add(real);
  }
}

const gitsOwn = (parts: readonly string[]): string | undefined =>
  parts.some((part) => reservedFolder(part) === '.git') ? 'in a .git folder' : undefined;

function stands(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (isSystemProblem(error)) return false;
    throw error;
  }
}

/** True if a folder above a path is in the repository. */
function leadsThrough(repository: string, path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (isWithin(realPathOr(folder), repository)) return true;
    if (dirname(folder) === folder) return false;
  }
}
