// `git-setup`: lets git merge state files by itself in one clone.
import { ok, type Result } from '../../base/result.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { checkoutOf } from './checkout.ts';
import type { GitOptions } from './git.ts';
import {
  driverIn,
  driverOf,
  hasOlderDriver,
  removeDriver,
  setDriver,
  writeAttributes,
} from './merge-driver.ts';

export interface GitSetupOptions {
  /** A folder in the clone; default: the working folder. */
  readonly folder?: string;
  /** The command that starts shotlist, with absolute paths: its program, then its arguments. */
  readonly command: readonly string[];
  /** `--remove`: undo it. */
  readonly remove?: boolean | undefined;
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface GitSetup {
  /** The top folder of the clone. */
  readonly top: string;
  /** What happened to the line in .gitattributes. */
  readonly attributes: 'added' | 'removed' | 'unchanged';
  /** What happened to the driver in the configuration of the clone. */
  readonly driver: 'added' | 'replaced' | 'removed' | 'unchanged';
}

export async function gitSetup(options: GitSetupOptions): Promise<GitSetup> {
  const { folder = process.cwd(), env = process.env, remove = false } = options;
  const git = { env };
  const found = await checkoutOf(folder, git);
  if (!found.ok)
    throw new Refusal(
      problem(`${folder}: ${found.error}`, 'shotlist', 'run git-setup inside the clone'),
    );
  const { top } = found.value;
  const driver = await changeDriver(top, remove ? undefined : driverOf(options.command), git);
  if (!driver.ok) throw new Refusal(problem(driver.error, 'git'));
  const changed = await writeAttributes(top, remove ? 'remove' : 'add');
  if (!changed.ok) throw new Refusal({ ...problem(changed.error), reason: 'system' });
  const attributes = changed.value ? (remove ? 'removed' : 'added') : 'unchanged';
  return { top, attributes, driver: driver.value };
}

async function changeDriver(
  top: string,
  wanted: string | undefined,
  git: GitOptions,
): Promise<Result<GitSetup['driver'], string>> {
  const known = await driverIn(top, git);
  if (!known.ok) return known;
  if (known.value === wanted) return ok('unchanged');
  const done =
    wanted === undefined ? await removeDriver(top, git) : await setDriver(top, wanted, git);
  if (!done.ok) return done;
  return ok(wanted === undefined ? 'removed' : known.value === undefined ? 'added' : 'replaced');
}

/** What to say about the merge driver of the clone that a folder is in; undefined: nothing. */
export const driverWarning = (folder: string): string | undefined =>
  hasOlderDriver(folder)
    ? 'the merge driver in .git/config is from an older shotlist, and a merge may run a command that the name of a state file holds: run shotlist git-setup here before you merge or pull'
    : undefined;
