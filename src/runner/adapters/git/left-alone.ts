// The files that a commit leaves alone: those that git ignores, and those that only a program of the configuration could
// store as their repository expects.
import { ok, type Result } from '../../../contract/base/result.ts';
import { type GitOptions, git } from './git.ts';

export interface LeftAlone {
  readonly ignored: ReadonlySet<string>;
  /** The filter of each file that has one, for example `lfs`. */
  readonly filtered: ReadonlyMap<string, string>;
}

/** `paths` are relative to `top`. */
export async function leftAlone(
  top: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<Result<LeftAlone, string>> {
  const input = paths.map((path) => `${path}\0`).join('');
  const ignored = await git(top, ['check-ignore', '-z', '--stdin'], {
    ...options,
    input,
    alsoFine: 1,
  });
  if (!ignored.ok) return ignored;
  const asked = await git(top, ['check-attr', '-z', '--stdin', 'filter'], { ...options, input });
  if (!asked.ok) return asked;
  const filtered = new Map<string, string>();
  const fields = asked.value.split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', , value = ''] = fields.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.set(path, value);
  }
  return ok({ ignored: new Set(ignored.value.split('\0')), filtered });
}

/** The paths in the last commit; empty if there is none. */
export async function pathsInHead(
  top: string,
  options: GitOptions,
): Promise<Result<ReadonlySet<string>, string>> {
  const head = await git(top, ['rev-parse', '--verify', '--quiet', 'HEAD'], {
    ...options,
    alsoFine: 1,
  });
  if (!head.ok) return head;
  if (head.value.trim() === '') return ok(new Set());
  const listed = await git(
    top,
    ['ls-tree', '-r', '-z', '--name-only', '--full-tree', 'HEAD'],
    options,
  );
  return listed.ok ? ok(new Set(listed.value.split('\0'))) : listed;
}
