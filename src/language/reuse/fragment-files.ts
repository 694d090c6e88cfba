// Fragment files: how they are read, and how paths in them are understood.
import type { Result } from '../../base/result.ts';
import type { Code } from '../../contract/codes/all.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';

export interface FragmentText {
  /** As in messages. */
  readonly file: string;
  /** The same for two names of one file. */
  readonly identity: string;
  readonly text: string;
}

/** The end of a sentence about the file, or a diagnostic inside the file. */
export type Unreadable =
  | { readonly code: Code; readonly why: string; readonly hint: string }
  | { readonly inside: Diagnostic };

export interface FragmentFiles {
  /** `path`: relative to the folder of the pipeline file, with `/`. */
  read(path: string): Result<FragmentText, Unreadable>;
}

/** An absolute path, a path of the home folder, or an address. */
const isRooted = (path: string): boolean => /^(?:[/~\\]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(path);

/** Why a path cannot name a fragment: the end of a sentence about it. */
export function refusedName(path: string): { why: string; hint: string } | undefined {
  const hint = 'write a path relative to this file, for example common/face-swap.yaml';
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(path))
    return { why: 'is an address, and shotlist includes only files of the repository', hint };
  if (isRooted(path)) return { why: 'is not relative to this file', hint };
  if (path.includes('${{'))
    return { why: 'contains an expression, and the steps must be known first', hint };
  return path.includes('\\') ? { why: 'contains a backslash', hint } : undefined;
}

/** A path that a file in `folder` names, relative to the folder of the pipeline file. */
export function pathFrom(folder: string, path: string): string {
  if (folder === '' || isRooted(path) || path.startsWith('${{')) return path;
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    const up = part === '..' && parts.length > 0 && parts.at(-1) !== '..';
    if (up) parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  const slash = path.endsWith('/') ? '/' : '';
  return `${parts.join('/')}${slash}`;
}

export const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
