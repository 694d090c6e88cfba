// A file as the last commit has it.
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryOf } from '../files/repository.ts';
import { type GitOptions, git } from './git.ts';
import { placeIn } from './place.ts';

/** Undefined if the last commit does not have the file, or git cannot say. */
export async function headVersion(file: string, options: GitOptions): Promise<string | undefined> {
  const top = repositoryOf(dirname(file));
  if (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) === undefined) return undefined;
  const path = placeIn(top, file);
  if (path === undefined) return undefined;
  // `git show` could be told to convert the content by a program.
  const content = await git(top, ['cat-file', 'blob', `HEAD:${path}`], options);
  return content.ok ? content.value : undefined;
}
