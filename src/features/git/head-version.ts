// The version of a file that git's HEAD has.
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryOf } from '../../base/repository.ts';
import { type GitOptions, git } from './git.ts';
import { placeIn } from './place.ts';

/** In bytes: a text of twice as many does not fit into a string. */
const mostBytes = 1 << 28;

/**
 * The content; undefined if it is that of the file, if HEAD has no such file, or if git cannot say. `bytes`: the length of
 * the file; undefined if there is no file.
 */
export async function headVersion(
  file: string,
  bytes: number | undefined,
  options: GitOptions,
): Promise<string | undefined> {
  const top = repositoryOf(dirname(file));
  if (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) === undefined) return undefined;
  const path = placeIn(top, file);
  if (path === undefined) return undefined;
  const named = ['rev-parse', '--verify', '--quiet', '--end-of-options', `HEAD:${path}`];
  const found = await git(top, named, options);
  if (!found.ok) return undefined;
  const blob = found.value.trim();
  if (bytes !== undefined && (await blobOf(file, bytes, blob.length)) === blob) return undefined;
  const size = await git(top, ['cat-file', '-s', blob], options);
  if (!size.ok || Number(size.value) > mostBytes) return undefined;
  const content = await git(top, ['cat-file', 'blob', blob], options);
  return content.ok ? content.value : undefined;
}

/** The name of a file's content as git makes it. */
async function blobOf(file: string, bytes: number, digits: number): Promise<string> {
  const hash = createHash(digits === 64 ? 'sha256' : 'sha1').update(`blob ${bytes}\0`);
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
