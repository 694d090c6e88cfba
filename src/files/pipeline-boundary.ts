// What a pipeline may read and write without the user's permission: only files that are really in its repository, links
// followed.
import { relative, resolve, sep } from 'node:path';
import { futureRealPath } from '../base/real-path.ts';
import { repositoryOf } from '../base/repository.ts';
import { isWithin } from '../base/within.ts';
import type { Code } from '../contract/codes/all.ts';
import type { BoundPipeline } from '../language/load/bound-pipeline.ts';
import { type Problem, problem } from '../language/load/refusal.ts';
import { reservedFolder, toolFolderIn } from '../language/reserved-name.ts';
import { Boundary } from './boundary.ts';

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
export interface FolderRefusal {
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
