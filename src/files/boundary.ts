// The boundary around a pipeline's files: a file to read must really be in the repository, links followed, unless the
// user allows more. A cloned repository may contain a link named pic.png that leads to a private key.
import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { futureRealPath, isWithin, realPathOr } from '../base/real-path.ts';
import { repositoryOf } from '../base/repository.ts';
import { isSystemProblem } from '../base/system-error.ts';
import type { Code } from '../contract/codes.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type Problem, problem } from '../language/load/refusal.ts';
import { reservedFolder, toolFolderIn } from '../language/reserved-name.ts';
import { statsIfAny } from './file-stamps.ts';

interface BoundaryOptions {
  /** Absolute, links followed. */
  readonly repository: string;
  /** `--allow-outside`. */
  readonly allowOutside: boolean;
  /** Absolute: paths that the user wrote with `--input`. */
  readonly named: readonly string[];
}

/** A forgotten folder is checked again. */
const maxFolders = 10_000;
const maxOutside = 1000;

interface Folder {
  readonly real: string;
  /** Where it is, if files in it must not be read. */
  readonly where: string | undefined;
}

const outsideHint = 'use --allow-outside to allow it';

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
      return statsIfAny(path) !== undefined && !this.#allowOutside
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
    if (this.#folders.size >= maxFolders) this.#folders.clear();
    this.#folders.set(path, folder);
    return folder;
  }

  #note(real: string): void {
    if (this.#outside.size < maxOutside) this.#outside.add(real);
  }
}

const gitsOwn = (parts: readonly string[]): string | undefined =>
  parts.some((part) => reservedFolder(part) === '.git') ? 'in a .git folder' : undefined;

/** True if a folder above a path is in the repository. */
function leadsThrough(repository: string, path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (isWithin(realPathOr(folder), repository)) return true;
    if (dirname(folder) === folder) return false;
  }
}

// What a pipeline may read and write without the user's permission: only files that are really in its repository, links
// followed.

export interface OutsideOptions {
  /** `--allow-outside`: inputs and outputs of the pipeline may be outside its repository. */
  readonly allowOutside?: boolean | undefined;
  /** `--output`, relative to the working folder. */
  readonly output?: string | undefined;
}

export function boundaryOf(
  { folder, named }: BoundPipeline,
  { allowOutside = false }: OutsideOptions,
): Boundary {
  return new Boundary({ repository: repositoryOf(folder), allowOutside, named });
}

/**
 * Why nothing may be written to the output folder; checked before a folder is made. Even for a rehearsal, which writes
 * elsewhere, the pipeline's output folder must be in the repository, so that a rehearsal shows what a run will report.
 */
export function checkOutput(loaded: BoundPipeline, options: OutsideOptions): Problem | undefined {
  const { folder, pipeline } = loaded;
  const repository = repositoryOf(folder);
  if (options.output !== undefined) {
    const wrong = reservedIn(resolve(options.output), repository);
    if (wrong === undefined) return undefined;
    return problem(`--output ${options.output} ${wrong}`, 'shotlist', 'name another folder');
  }
  const refused = folderRefusal(loaded, resolve(folder, pipeline.output), options);
  if (refused === undefined) return undefined;
  const { code, why, hint, outside } = refused;
  const more = outside ? `${hint}, or name the folder yourself with --output <folder>` : hint;
  return atOutput(loaded, code, why, more);
}

/** `why` is the end of a sentence about the folder. */
interface FolderRefusal {
  readonly code: Code;
  readonly why: string;
  readonly hint: string;
  readonly outside: boolean;
}

/** Why nothing may be written to a folder that a pipeline names; checked before the folder is made. */
export function folderRefusal(
  { folder: own }: BoundPipeline,
  folder: string,
  { allowOutside = false }: OutsideOptions,
): FolderRefusal | undefined {
  const repository = repositoryOf(own);
  const refused = (why: string, hint: string): FolderRefusal => ({
    code: 'SL703',
    why,
    hint,
    outside: false,
  });
  const reserved = reservedIn(folder, repository);
  if (reserved !== undefined) return refused(reserved, 'name another folder');
  if (allowOutside) return undefined;
  const real = futureRealPath(folder);
  if (real === undefined) return refused('goes through a broken link', 'remove the link');
  if (isWithin(real, repository)) return undefined;
  const why = `is outside the repository ${repository}`;
  return { code: 'SL702', why, hint: 'use --allow-outside to allow it', outside: true };
}

/** The end of a sentence about a folder. */
function reservedIn(path: string, repository: string): string | undefined {
  for (const place of [path, futureRealPath(path) ?? path]) {
    const inside = isWithin(place, repository);
    const from = inside ? relative(repository, place) : place;
    const reserved = from
      .split(sep)
      .map(reservedFolder)
      .find((found) => found !== undefined);
    const kept = reserved ?? (inside ? toolFolderIn(from) : undefined);
    if (kept !== undefined) return `is in a ${kept} folder, where nothing is written`;
  }
  return undefined;
}

function atOutput(
  { pipeline, file }: BoundPipeline,
  code: Code,
  why: string,
  hint: string,
): Problem {
  const { source, output } = pipeline;
  const message = `output: ${JSON.stringify(output)} ${why}`;
  const span = source.spanOf(['output']);
  return {
    reason: 'input',
    text: source.text,
    diagnostics: [{ severity: 'error', code, file, span, message, hint }],
  };
}
