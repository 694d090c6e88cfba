// `git-setup`: lets git merge state files by itself in one clone.

import { rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readRegularFile } from '../../base/regular-file.ts';
import { repositoryOf } from '../../base/repository.ts';
import { shellWord } from '../../base/shell.ts';
import { createNew } from '../../files/new-file.ts';
import { problem, Refusal } from '../../language/load/refusal.ts';
import { refuse, refuseSystemError } from '../refuse.ts';
import { checkoutOf, GitFailure, type GitOptions, git } from './git.ts';
import { readTopFile, withLines } from './top-file.ts';

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
  const top = await topOf(folder, { env });
  const wanted = remove ? undefined : driverOf(options.command);
  const driver = await changeDriver(top, wanted, { env });
  const changed = await writeAttributes(join(top, '.gitattributes'), remove);
  return { top, attributes: !changed ? 'unchanged' : remove ? 'removed' : 'added', driver };
}

async function topOf(folder: string, options: GitOptions): Promise<string> {
  try {
    return (await checkoutOf(folder, options)).top;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return refuse(`${folder}: ${error.message}`, 'run git-setup inside the clone');
  }
}

async function changeDriver(
  top: string,
  wanted: string | undefined,
  options: GitOptions,
): Promise<GitSetup['driver']> {
  const config = (...args: string[]) =>
    git(top, ['config', '--local', ...args], { ...options, alsoFine: args[0] === '--get' ? 1 : 0 });
  try {
    const found = await config('--get', 'merge.shotlist.driver');
    const known = found === '' ? undefined : found.replace(/\n$/, '');
    if (known === wanted) return 'unchanged';
    if (wanted === undefined) {
      await config('--remove-section', 'merge.shotlist');
      return 'removed';
    }
    await config('merge.shotlist.name', 'shotlist: the union of the payments of both sides');
    await config('merge.shotlist.driver', wanted);
    return known === undefined ? 'added' : 'replaced';
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return refuse(error.message, undefined, 'git');
  }
}

/** What to say about the merge driver of the clone that a folder is in; undefined: nothing. */
export const driverWarning = (folder: string): string | undefined =>
  hasOlderDriver(folder)
    ? 'the merge driver in .git/config is from an older shotlist, and a merge may run a command that the name of a state file holds: run shotlist git-setup here before you merge or pull'
    : undefined;

// The merge driver for state files: a line in .gitattributes, which is for everybody, and a command in the
// configuration of this clone, since git takes no commands from a repository.

const attributesLine = '*.state.jsonl merge=shotlist';

/**
 * What git runs with `sh` in the top folder; `command` is shotlist's own, with absolute paths. If it is gone or was killed,
 * the file gets conflict markers: git would take what is in it for the result.
 * A stranger may have named the file. Git quotes `%P` as one word of the shell, so it stands by itself and never inside
 * quotes; a message does without it, because git names the file.
 */
function driverOf(command: readonly string[]): string {
  const shotlist = command.map((word) => shellWord(word).replaceAll('%', '%%'));
  const there = shotlist.map((word) => `test -f ${word}`).join(' && ');
  return [
    `if ${there}; then ${shotlist.join(' ')} merge %O %A %B --path %P; s=$?;`,
    'test "$s" -le 2 && exit "$s"; fi;',
    "echo 'shotlist could not merge a state file, which git names below: run shotlist git-setup again, then repeat the merge, or use shotlist repair' >&2;",
    "{ echo '<<<<<<< ours'; cat %A; echo '||||||| base'; cat %O; echo '======='; cat %B; echo '>>>>>>> theirs'; }",
    '> %A.new && mv %A.new %A; exit 1',
  ].join(' ');
}

/** A driver of an older shotlist, as it stands in the configuration: the shell would run what a file's name says. */
const olderDriver = /\becho \\?"shotlist could not merge %P/;

/**
 * True if git would run a driver that an older shotlist set. Reads the file, because a command should not wait for git. A
 * configuration that cannot be read is git's to complain about.
 */
function hasOlderDriver(folder: string): boolean {
  const own = join(repositoryOf(folder), '.git');
  const link = /^gitdir: (.+)/.exec(textOf(own) ?? '')?.[1];
  const gitFolder = link === undefined ? own : resolve(dirname(own), link);
  // A worktree's folder names that of its repository.
  const common = textOf(join(gitFolder, 'commondir'))?.trimEnd() ?? '';
  return olderDriver.test(textOf(join(gitFolder, common, 'config')) ?? '');
}

function textOf(file: string): string | undefined {
  const read = readRegularFile(file, { max: maxConfigBytes });
  return read.ok ? read.value.toString('latin1') : undefined;
}

/** More than any configuration has. */
const maxConfigBytes = 1_000_000;

/** Adds or removes the line; keeps all others as they are. True if the file changed. */
async function writeAttributes(file: string, remove: boolean): Promise<boolean> {
  const read = readTopFile(file);
  if (!read.ok) throw new Refusal({ ...problem(read.error), reason: 'system' });
  const lines = read.value.toString('latin1').split('\n');
  if (lines.some(isOurs) !== remove) return false;
  const others = lines.filter((line) => !isOurs(line)).join('\n');
  const after = remove ? Buffer.from(others, 'latin1') : withLines(read.value, [attributesLine]);
  try {
    if (after.length === 0) await unlink(file);
    else await replace(file, after);
    return true;
  } catch (error) {
    return refuseSystemError(error, file);
  }
}

async function replace(file: string, content: Buffer): Promise<void> {
  const part = `${file}.part`;
  await using handle = await createNew(part);
  await handle.writeFile(content);
  await handle.sync();
  await rename(part, file);
}

const isOurs = (line: string): boolean => line.trim().split(/\s+/).join(' ') === attributesLine;
