// The line in .gitattributes with which git merges state files by keeping the lines of both sides: the next command joins
// them.
import { lstatSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { realPathOr } from '../../base/real-path.ts';
import { repositoryOf } from '../../base/repository.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { isSystemProblem, systemReason } from '../../base/system-error.ts';
import { createNew } from '../../files/new-file.ts';
import { type GitOptions, gitAnswer, placeIn } from './git.ts';
import { readTopFile, withLines } from './top-file.ts';

export const unionLine = '*.state.jsonl merge=union';

/** Where the line of a state file belongs; undefined if it is in no repository, or has a name of its own. */
export function attributesOf(state: string): string | undefined {
  const top = repositoryOf(dirname(state));
  if (!state.endsWith('.state.jsonl')) return undefined;
  if (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) === undefined) return undefined;
  return join(top, '.gitattributes');
}

/** Does git merge this state file by union? True if a file of attributes says so in its folder, or in one above it. */
export function hasUnion(state: string): boolean {
  const attributes = attributesOf(state);
  if (attributes === undefined) return false;
  const top = dirname(attributes);
  const name = basename(state);
  const below = relative(top, realPathOr(dirname(state))).split(sep);
  // The nearest file counts, and in it the last line.
  for (let depth = below.length; depth >= 0; depth--) {
    const read = readTopFile(join(top, ...below.slice(0, depth), '.gitattributes'));
    const merge = read.ok ? mergeOf(read.value.toString('latin1'), name) : undefined;
    if (merge !== undefined) return merge === 'merge=union';
  }
  return false;
}

function mergeOf(attributes: string, name: string): string | undefined {
  let merge: string | undefined;
  for (const line of attributes.split('\n')) {
    const [pattern = '', ...set] = line.trim().split(/\s+/);
    if (!['*.state.jsonl', '*.jsonl', '*', name].includes(pattern)) continue;
    merge = set.find((word) => /^[-!]?merge(=|$)/.test(word)) ?? merge;
  }
  return merge;
}

/** Adds the line to a file of attributes; all others stay as they are. The error is a sentence. */
export async function addUnion(attributes: string): Promise<Result<void, string>> {
  const read = readTopFile(attributes);
  if (!read.ok) return read;
  try {
    const part = `${attributes}.part`;
    await using handle = await createNew(part);
    await handle.writeFile(withLines(read.value, [unionLine]));
    await handle.sync();
    await rename(part, attributes);
    return ok(undefined);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err(`${attributes} ${systemReason(error)}`);
  }
}

/**
 * Lets git merge a state file by union, if it is in a repository that does not say so and does not ignore it. Returns a sentence
 * for the user; undefined if nothing was to do.
 */
export async function ensureUnion(state: string, options: GitOptions): Promise<string | undefined> {
  const attributes = attributesOf(state);
  if (attributes === undefined || hasUnion(state)) return undefined;
  const path = placeIn(dirname(attributes), state);
  if (path === undefined) return undefined;
  const ignoring = ['check-ignore', '--quiet', '--', path];
  if ((await gitAnswer(dirname(attributes), ignoring, options)) !== undefined) return undefined;
  const added = await addUnion(attributes);
  return added.ok
    ? `added to .gitattributes, so that git keeps the lines of both sides of a merge: ${unionLine}; commit it with the state file`
    : `git needs a line in .gitattributes to keep the lines of both sides of a merge: ${unionLine} (${added.error})`;
}
