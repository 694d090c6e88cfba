// The versions of a file whose merge a person has not accepted yet: git keeps them in its index until `git add`.
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryOf } from '../files/repository.ts';
import { type GitOptions, git } from './git.ts';
import { placeIn } from './place.ts';

export interface UnmergedVersions {
  /** Empty if both sides added the file. */
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

/** The contents; undefined if no merge of the file is open, or git cannot say. */
export async function unmergedVersions(
  file: string,
  options: GitOptions,
): Promise<UnmergedVersions | undefined> {
  const top = repositoryOf(dirname(file));
  if (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) === undefined) return undefined;
  const path = placeIn(top, file);
  if (path === undefined) return undefined;
  const listed = await git(
    top,
    ['ls-files', '--unmerged', '-z', '--', `:(literal)${path}`],
    options,
  );
  if (!listed.ok || listed.value === '') return undefined;
  const blobs = new Map<string, string>();
  for (const [, blob = '', stage = ''] of listed.value.matchAll(
    /\d+ ([0-9a-f]+) ([123])\t[^\0]*\0/g,
  ))
    blobs.set(stage, blob);
  const [base, ours, theirs] = await Promise.all(
    ['1', '2', '3'].map(async (stage) => {
      const blob = blobs.get(stage);
      const content =
        blob === undefined ? undefined : await git(top, ['cat-file', 'blob', blob], options);
      return content?.ok === true ? content.value : undefined;
    }),
  );
  // One side has removed the file: nobody has paid twice.
  return ours === undefined || theirs === undefined
    ? undefined
    : { base: base ?? '', ours, theirs };
}
