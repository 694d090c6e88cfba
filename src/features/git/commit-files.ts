// Commits certain files and nothing else, whatever is staged or changed beside them: through an index of its own, with
// commands that run no hook, no filter and no signing program.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { err, ok, type Result } from '../../base/result.ts';
import type { Checkout } from './checkout.ts';
import { type GitOptions, git } from './git.ts';

export interface Committed {
  /** The id of the commit. */
  readonly commit: string;
  /** The branch; undefined on a detached HEAD. */
  readonly branch: string | undefined;
  /** What git's own index did not take up, as a sentence; the commit is complete without it. */
  readonly unstaged?: string;
}

/**
 * `paths` are relative to the top of the checkout, with `/`. Undefined: HEAD has these contents already. The error is a
 * sentence; then nothing was committed.
 */
export async function commitFiles(
  checkout: Checkout,
  paths: readonly string[],
  message: string,
  options: GitOptions,
): Promise<Result<Committed | undefined, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'shotlist-index-'));
  try {
    return await commitWith(checkout, paths, message, {
      ...options,
      filters: checkout.filters,
      index: join(folder, 'index'),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commitWith(
  { top }: Checkout,
  paths: readonly string[],
  message: string,
  own: GitOptions,
): Promise<Result<Committed | undefined, string>> {
  const { index: _index, ...options } = own;
  const run = (
    args: readonly string[],
    more: GitOptions = options,
  ): Promise<Result<string, string>> => git(top, args, more);
  const head = await headOf(top, options);
  if (!head.ok) return head;
  const entries = await entriesOf(top, paths, options);
  if (!entries.ok) return entries;
  const { parent, tree: before, branch } = head.value;
  if (parent !== undefined) {
    const read = await run([...wholeIndex, 'read-tree', parent], own);
    if (!read.ok) return read;
  }
  const update = ['update-index', '--add', '-z', '--index-info'];
  const added = await run([...wholeIndex, ...update], { ...own, input: entries.value });
  if (!added.ok) return added;
  // The objects of a partial clone may be elsewhere, and need not be fetched.
  const tree = await run([...wholeIndex, 'write-tree', '--missing-ok'], own);
  if (!tree.ok) return tree;
  if (tree.value.trim() === before) return ok(undefined);
  const parents = parent === undefined ? [] : ['-p', parent];
  const commit = await run(['commit-tree', tree.value.trim(), ...parents, '-F', '-'], {
    ...options,
    input: message,
  });
  if (!commit.ok) return commit;
  const id = commit.value.trim();
  const subject = message.split('\n')[0] ?? '';
  // The old value: if somebody committed meanwhile, that commit stays.
  const moved = await run([
    ...['update-ref', '-m', `commit: ${subject}`, 'HEAD', id],
    parent ?? '0'.repeat(id.length),
  ]);
  if (!moved.ok) return moved;
  const staged = await run(update, { ...options, input: entries.value });
  return ok({ commit: id, branch, ...(staged.ok ? {} : { unstaged: staged.error }) });
}

/** The index of this commit is one file, whatever the repository's own index is. */
const wholeIndex = ['-c', 'core.splitIndex=false'];

interface Head {
  readonly parent: string | undefined;
  readonly tree: string | undefined;
  readonly branch: string | undefined;
}

async function headOf(top: string, options: GitOptions): Promise<Result<Head, string>> {
  const named = await git(top, ['symbolic-ref', '--quiet', 'HEAD'], options);
  const branch = named.ok ? named.value.trim() : undefined;
  const parent = await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], options);
  if (!parent.ok) {
    // A branch without a commit yet; anything else is damage.
    if (branch === undefined) return parent;
    const known = await git(top, ['rev-parse', '--verify', '--quiet', branch], options);
    if (known.ok) return err(`${branch} names no commit`);
    return ok({ parent: undefined, tree: undefined, branch });
  }
  const id = parent.value.trim();
  const tree = await git(top, ['rev-parse', '--verify', `${id}^{tree}`], options);
  return tree.ok ? ok({ parent: id, tree: tree.value.trim(), branch }) : tree;
}

/** How many paths one command line takes. */
const chunk = 200;

/** Stores the contents; returns the lines for `update-index --index-info`. */
async function entriesOf(
  top: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<Result<string, string>> {
  let lines = '';
  for (let from = 0; from < paths.length; from += chunk) {
    const some = paths.slice(from, from + chunk);
    const files = some.map((path) => join(top, path));
    const hashed = await git(top, ['hash-object', '-w', '--no-filters', '--', ...files], options);
    if (!hashed.ok) return hashed;
    const ids = hashed.value.trim().split('\n');
    for (const [index, path] of some.entries()) lines += `100644 ${ids[index] ?? ''}\t${path}\0`;
  }
  return ok(lines);
}
