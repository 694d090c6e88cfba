// The .gitignore at the top of a repository. Git is not asked: it runs programs that a repository's configuration names.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../../../contract/base/result.ts';
import { readOwnFile } from '../../../contract/files/regular-file.ts';
import { isSystemProblem, systemReason } from '../../../contract/files/system-error.ts';
import { replaceFile } from '../files/replace-file.ts';

/** In bytes: more than any .gitignore has. */
const largest = 1_000_000;

const contentOf = (file: string): Result<Buffer, string> => {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return ok(Buffer.from(''));
  if (stats.isSymbolicLink()) return err(`${file} is a link, and git does not follow it`);
  const read = readOwnFile(file, { max: largest });
  return read.ok ? read : err(`${file} ${read.error}`);
};

/** The patterns of these that the file does not have yet: folders, such as `/out/` or `.shotlist/`. */
export function notIgnored(
  top: string,
  patterns: readonly string[],
): Result<readonly string[], string> {
  const content = contentOf(join(top, '.gitignore'));
  if (!content.ok) return content;
  const known = new Set(content.value.toString('utf8').split(/\r?\n/).map(bare));
  return ok(patterns.filter((pattern) => !aboveOf(bare(pattern)).some((path) => known.has(path))));
}

/** Appends patterns; all other lines stay as they are. The error is a sentence. */
export async function addIgnored(
  top: string,
  patterns: readonly string[],
): Promise<Result<void, string>> {
  const file = join(top, '.gitignore');
  const content = contentOf(file);
  if (!content.ok) return content;
  // Bytes that are not UTF-8 stay as they are.
  const before = content.value.toString('latin1');
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const gap = before === '' || before.endsWith('\n') ? '' : end;
  const added = Buffer.from(patterns.map((pattern) => `${pattern}${end}`).join(''));
  try {
    await replaceFile(file, Buffer.concat([content.value, Buffer.from(gap), added]));
    return ok(undefined);
  } catch (error) {
    if (!isSystemProblem(error)) throw error;
    return err(`${file} ${systemReason(error)}`);
  }
}

/** `/out/`, `out/` and `out` are the same folder at the top. */
const bare = (line: string): string => line.trim().replace(/^\/|\/$/g, '');

/** The folder and those above it: what is below an ignored folder is ignored. */
const aboveOf = (path: string): readonly string[] =>
  path.split('/').map((_name, index, names) => names.slice(0, index + 1).join('/'));
