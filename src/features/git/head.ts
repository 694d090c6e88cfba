// What git knows of a state file: the version in HEAD, and every line that its history ever had. Both are joined with the
// file, whose own text says nothing of what a checkout or a revert took away.
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryOf } from '../../base/repository.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import { type Header, lineText } from '../../model/record/line.ts';
import type { OtherRecord } from '../../state/load-record.ts';
import { type GitOptions, gitAnswer, gitLines, placeIn } from './git.ts';

/** HEAD's version of a file; undefined if it is the file's, if HEAD has none, or if git cannot say. */
export async function headRecord(
  file: string,
  options: GitOptions,
): Promise<OtherRecord | undefined> {
  const place = placeOf(file);
  if (place === undefined) return undefined;
  const { top, path } = place;
  const named = ['rev-parse', '--verify', '--quiet', '--end-of-options', `HEAD:${path}`];
  const blob = (await gitAnswer(top, named, options))?.trim();
  // Compared by content: no younger time and no note of what was written last says that the file has all of it.
  if (blob === undefined || (await blobOf(file, blob.length)) === blob) return undefined;
  return { name: 'HEAD', lines: gitLines(top, ['cat-file', 'blob', blob], options) };
}

interface HistoryRecord extends OtherRecord {
  /** The commit to which the history was read: the next time, it is read from there. */
  readonly commit: string;
}

/**
 * All lines that commits have added to a file. For a clone whose receipts do not know the payments of the file: a revert, or a
 * checkout that was committed, takes payments away, and HEAD does not have them either. Undefined if there is no history, or if
 * git cannot say. `since`: the commit to which it was read before. `header`: that of the file, if it has one; the history ends
 * where the file was another record. Join it with `joinOther`, which throws if git cannot read it to its end: a warning would not
 * do, because payments may be missing.
 */
export async function historyRecord(
  file: string,
  header: Header | undefined,
  since: string | undefined,
  options: GitOptions,
): Promise<HistoryRecord | undefined> {
  const place = placeOf(file);
  if (place === undefined) return undefined;
  const { top, path } = place;
  const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options'];
  const commit = (await gitAnswer(top, [...verify, 'HEAD^{commit}'], options))?.trim();
  if (commit === undefined || commit === since) return undefined;
  const isKnown =
    since !== undefined &&
    /^[0-9a-f]{40,64}$/.test(since) &&
    (await gitAnswer(top, [...verify, `${since}^{commit}`], options)) !== undefined;
  const range = isKnown ? [commit, `^${since}`] : [commit];
  const lines = added(
    gitLines(top, [...log, ...range, '--', `:(top,literal)${path}`], options),
    header === undefined ? undefined : lineText(header),
    isKnown,
  );
  return { name: `the history of ${path}`, lines, commit };
}

/**
 * Merges against each of their parents. No settings of a repository may change the lines, and no program of its configuration
 * may see them.
 */
const log = [
  ...['log', '--full-history', '-m', '-p', '-U0', '--inter-hunk-context=0', '--text', '--format='],
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-show-signature'],
];

/** `withRemoved`: what a commit took away was there before the commits that are read. */
async function* added(
  diffs: AsyncIterable<readonly string[]>,
  header: string | undefined,
  withRemoved: boolean,
): AsyncGenerator<readonly string[]> {
  let isOldest = false;
  for await (const lines of diffs) {
    const found: string[] = [];
    for (const line of lines) {
      const isOther =
        line.startsWith('-{"shotlist"') && header !== undefined && line !== `-${header}`;
      // The newest commit comes first: before this one, it was the record of another pipeline or service, or of another format.
      if (isOther) isOldest = true;
      else if (line.startsWith('+{') || (withRemoved && line.startsWith('-{') && !isOldest))
        found.push(line.slice(1));
      else if (isOldest && line.startsWith('diff --git ')) {
        yield found;
        return;
      }
    }
    yield found;
  }
}

/** Undefined if git cannot have the file. */
function placeOf(file: string): { readonly top: string; readonly path: string } | undefined {
  const top = repositoryOf(dirname(file));
  if (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) === undefined) return undefined;
  const path = placeIn(top, file);
  return path === undefined ? undefined : { top, path };
}

/** The name of a file's content as git makes it; undefined if there is no file that can be read. */
async function blobOf(file: string, digits: number): Promise<string | undefined> {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true) return undefined;
    const hash = createHash(digits === 64 ? 'sha256' : 'sha1').update(`blob ${stats.size}\0`);
    for await (const chunk of createReadStream(file)) hash.update(chunk);
    return hash.digest('hex');
  } catch (error) {
    if (isSystemProblem(error)) return undefined;
    throw error;
  }
}
