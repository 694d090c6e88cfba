// The pipeline files that `schedule` follows: those that are named, and those in the folders that are named.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../base/result.ts';
import { isSystemProblem, systemReason } from '../base/system-error.ts';
import { problem, Refusal } from '../language/load/refusal.ts';
import { statsIfAny } from './file-stamps.ts';

export interface Places {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Without names: the folder `pipelines`, or the working folder if there is none. */
export function placesOf(names: readonly string[]): Places {
  const given = names.length > 0 ? names : [existsSync('pipelines') ? 'pipelines' : '.'];
  const files: string[] = [];
  const folders: string[] = [];
  for (const name of given) {
    // A file that is missing or cannot be looked at is reported when it is loaded.
    if (statsIfAny(name)?.isDirectory() === true) folders.push(name);
    else files.push(name);
  }
  for (const folder of folders) {
    const listed = yamlIn(folder);
    if (!listed.ok) throw new Refusal(problem(`the folder ${folder} ${listed.error}`));
  }
  return { files, folders };
}

/** The YAML files in a folder, not in its sub-folders. The error is the end of a sentence about the folder. */
export function yamlIn(folder: string): Result<readonly string[], string> {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name));
    return ok(names.sort().map((name) => (folder === '.' ? name : join(folder, name))));
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err(systemReason(error));
  }
}
