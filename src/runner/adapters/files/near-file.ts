// "did you mean …?" for a file that does not exist.
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isSystemProblem } from '../../../contract/files/system-error.ts';
import { suggestion } from '../../../contract/yaml/diagnostic.ts';

/** Compares the name with those of the files beside it. */
export const nearFile = (path: string): string | undefined =>
  suggestion(basename(path), namesBeside(path));

function namesBeside(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path));
  } catch (error) {
    if (isSystemProblem(error)) return [];
    throw error;
  }
}
