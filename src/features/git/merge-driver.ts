// The merge driver for state files: a line in .gitattributes, which is for everybody, and a command in the
// configuration of this clone, since git takes no commands from a repository.
import { lstatSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readOwnFile, readRegularFile } from '../../base/regular-file.ts';
import { repositoryOf } from '../../base/repository.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { createNew } from '../../files/new-file.ts';
import { type GitOptions, git } from './git.ts';

export const attributesLine = '*.state.jsonl merge=shotlist';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * What git runs with `sh` in the top folder; `command` is shotlist's own, with absolute paths. If it is gone or was killed,
 * the file gets conflict markers: git would take what is in it for the result.
 * A stranger may have named the file. Git quotes `%P` as one word of the shell, so it stands by itself and never inside
 * quotes; a message does without it, because git names the file.
 */
export function driverOf(command: readonly string[]): string {
  const shotlist = command.map((word) => quoted(word).replaceAll('%', '%%'));
  const there = shotlist.map((word) => `test -f ${word}`).join(' && ');
  return [
    `if ${there}; then ${shotlist.join(' ')} merge %O %A %B --path %P; s=$?;`,
    'test "$s" -le 2 && exit "$s"; fi;',
    "echo 'shotlist could not merge a state file, which git names below: run shotlist git-setup again, then repeat the merge, or use shotlist repair' >&2;",
    "{ echo '<<<<<<< ours'; cat %A; echo '||||||| base'; cat %O; echo '======='; cat %B; echo '>>>>>>> theirs'; }",
    '> %A.new && mv %A.new %A; exit 1',
  ].join(' ');
}

const setting = (name: 'name' | 'driver'): string => `merge.shotlist.${name}`;

/** A driver of an older shotlist, as it stands in the configuration: the shell would run what a file's name says. */
const olderDriver = /\becho \\?"shotlist could not merge %P/;

/**
 * True if git would run a driver that an older shotlist set. Reads the file, because a command should not wait for git. A
 * configuration that cannot be read is git's to complain about.
 */
export function hasOlderDriver(folder: string): boolean {
  const own = join(repositoryOf(folder), '.git');
  const link = /^gitdir: (.+)/.exec(textOf(own) ?? '')?.[1];
  const gitFolder = link === undefined ? own : resolve(dirname(own), link);
  // A worktree's folder names that of its repository.
  const common = textOf(join(gitFolder, 'commondir'))?.trimEnd() ?? '';
  return olderDriver.test(textOf(join(gitFolder, common, 'config')) ?? '');
}

function textOf(file: string): string | undefined {
  const read = readRegularFile(file, { max: largest });
  return read.ok ? read.value.toString('latin1') : undefined;
}

/** The driver of this clone; undefined if there is none. */
export async function driverIn(
  top: string,
  options: GitOptions,
): Promise<Result<string | undefined, string>> {
  const asked = ['config', '--local', '--get', setting('driver')];
  const found = await git(top, asked, { ...options, alsoFine: 1 });
  if (!found.ok) return found;
  return ok(found.value === '' ? undefined : found.value.replace(/\n$/, ''));
}

export async function setDriver(
  top: string,
  driver: string,
  options: GitOptions,
): Promise<Result<void, string>> {
  for (const [name, value] of [
    ['name', 'shotlist: the union of the payments of both sides'],
    ['driver', driver],
  ] as const) {
    const set = await git(top, ['config', '--local', setting(name), value], options);
    if (!set.ok) return set;
  }
  return ok(undefined);
}

export async function removeDriver(
  top: string,
  options: GitOptions,
): Promise<Result<void, string>> {
  const section = ['config', '--local', '--remove-section', 'merge.shotlist'];
  const removed = await git(top, section, options);
  return removed.ok ? ok(undefined) : removed;
}

/** In bytes: more than any .gitattributes or configuration has. */
const largest = 1_000_000;

/** Adds or removes the line; keeps all others as they are. True if the file changed. */
export async function writeAttributes(
  top: string,
  change: 'add' | 'remove',
): Promise<Result<boolean, string>> {
  const file = join(top, '.gitattributes');
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) return err(`${file} is a link, and git does not follow it`);
  const read = stats === undefined ? ok(Buffer.from('')) : readOwnFile(file, { max: largest });
  if (!read.ok) return err(`${file} ${read.error}`);
  // Bytes that are not UTF-8 stay as they are.
  const before = read.value.toString('latin1');
  const after = change === 'add' ? withLine(before) : withoutLine(before);
  if (after === before) return ok(false);
  try {
    if (after === '') await unlink(file);
    else await replace(file, after);
    return ok(true);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err(`${file} ${systemReason(error)}`);
  }
}

async function replace(file: string, text: string): Promise<void> {
  const part = `${file}.part`;
  await using handle = await createNew(part);
  await handle.writeFile(text, 'latin1');
  await handle.sync();
  await rename(part, file);
}

const isOurs = (line: string): boolean => line.trim().split(/\s+/).join(' ') === attributesLine;

function withLine(text: string): string {
  if (text.split('\n').some(isOurs)) return text;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return `${text}${gap}${attributesLine}${end}`;
}

function withoutLine(text: string): string {
  if (!text.split('\n').some(isOurs)) return text;
  return text
    .split('\n')
    .filter((line) => !isOurs(line))
    .join('\n');
}
