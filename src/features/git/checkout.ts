// The checkout that a file is in, and whether a commit can be made there.
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../../base/result.ts';
import { type GitOptions, git } from './git.ts';

export interface Checkout {
  /** The top folder, links resolved. */
  readonly top: string;
  /** `.git`, or that of a worktree. */
  readonly gitFolder: string;
  /** The names of the filters in the configuration. */
  readonly filters: readonly string[];
}

/** The error is a sentence that says why there is none. */
export async function checkoutOf(
  folder: string,
  options: GitOptions,
): Promise<Result<Checkout, string>> {
  const asked = ['rev-parse', '--show-toplevel', '--absolute-git-dir'];
  const found = await git(folder, asked, options);
  if (!found.ok) return found;
  const [top = '', gitFolder = ''] = found.value.split('\n');
  if (top === '') return err(`${folder} is in no checkout of a git repository`);
  const filters = await filtersIn(top, options);
  return filters.ok ? ok({ top, gitFolder, filters: filters.value }) : filters;
}

async function filtersIn(
  top: string,
  options: GitOptions,
): Promise<Result<readonly string[], string>> {
  const asked = ['config', '--null', '--name-only', '--get-regexp', '^filter\\.'];
  const found = await git(top, asked, { ...options, alsoFine: 1 });
  if (!found.ok) return found;
  const keys = found.value.split('\0').filter((key) => key !== '');
  const names = keys.map((key) => key.slice('filter.'.length, key.lastIndexOf('.')));
  const odd = names.find((name) => /[=\n]/.test(name));
  return odd === undefined
    ? ok([...new Set(names)])
    : err(`the filter ${JSON.stringify(odd)} in its configuration cannot be switched off`);
}

/** What stands in `.git` while a person is in the middle of something. */
const unfinished: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'a merge'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase or git am'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['sequencer', 'a cherry-pick or revert'],
  ['BISECT_LOG', 'a bisect'],
];

/** Why no commit can be made now; undefined if one can. */
export async function busyWith(
  { top, gitFolder }: Checkout,
  options: GitOptions,
): Promise<string | undefined> {
  const open = unfinished.find(([name]) => existsSync(join(gitFolder, name)));
  if (open !== undefined) return `${open[1]} is in progress`;
  if (existsSync(join(gitFolder, 'index.lock')))
    return 'another git command is working on the index, or one was killed (.git/index.lock)';
  // Git follows these, and an archive can hold them: a commit would write where they lead.
  const link = ['HEAD', 'index', 'objects', 'refs', 'logs'].find(
    (name) =>
      lstatSync(join(gitFolder, name), { throwIfNoEntry: false })?.isSymbolicLink() === true,
  );
  if (link !== undefined) return `${join(gitFolder, link)} is a link`;
  const identity = await git(top, ['var', 'GIT_COMMITTER_IDENT'], options);
  const author = await git(top, ['var', 'GIT_AUTHOR_IDENT'], options);
  return identity.ok && author.ok
    ? undefined
    : 'git does not know who you are: set user.name and user.email with git config';
}
