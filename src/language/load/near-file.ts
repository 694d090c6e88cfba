// "did you mean …?" for a file that does not exist.
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isSystemProblem } from '../../base/system-error.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';

/** Compares the name with those of the files beside it. Undefined if the file is there. */
export function nearFile(path: string): string | undefined {
  const names = namesBeside(path);
  return names.includes(basename(path)) ? undefined : suggestion(basename(path), names);
}

function namesBeside(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path));
  } catch (error) {
    if (isSystemProblem(error)) return [];
    throw error;
  }
}
