// Explains why a glob finds nothing: what is there instead, and which glob would find it.

import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { mediaTypeOf } from '../../../contract/api/asset.ts';
import { grouped } from '../../../contract/base/grouped.ts';
import { systemReason } from '../../../contract/files/system-error.ts';
import { suggestion } from '../../../contract/yaml/diagnostic.ts';
import { globBase } from '../../task/item.ts';
import { type Glance, glance } from './glance.ts';
import { matchOf, partsOf } from './glob.ts';

/** A sentence that says what to do. `folder` is absolute. */
export async function whyEmpty(glob: string, folder: string): Promise<string> {
  return misspelt(glob) ?? (await missing(glob, folder)) ?? (await present(glob, folder));
}

/** Mistakes in the glob itself, whatever is on the disk. */
function misspelt(glob: string): string | undefined {
  if (/^~([^/]*\/|$)/.test(glob))
    return 'only a shell expands "~": write the whole path, or one relative to the pipeline file';
  if (/^[A-Za-z]:[\\/]/.test(glob) && process.platform !== 'win32')
    return `${JSON.stringify(glob.slice(0, 2))} is a Windows drive: write a path that exists on this machine`;
  if (glob.includes('\\'))
    return `a backslash does not separate folders: write ${JSON.stringify(glob.replaceAll('\\', '/'))}?`;
  if (glob.startsWith('!') && !glob.startsWith('!('))
    return '"!" excludes nothing here: use --exclude to exclude items';
  return undefined;
}

/** Reports that the folder before the first wildcard is missing or is not a folder, or that the glob names a folder. */
async function missing(glob: string, folder: string): Promise<string | undefined> {
  const base = globBase(glob);
  const at = resolve(folder, base);
  const found = await statOf(at);
  if (typeof found !== 'string')
    if (!found.isDirectory()) return `${shown(at, folder)} is a file, not a folder`;
    else {
      const whole = await statOf(resolve(folder, glob));
      return typeof whole !== 'string' && whole.isDirectory()
        ? `${JSON.stringify(glob)} is a folder: ${JSON.stringify(`${glob.replace(/\/+$/, '')}/**`)}?`
        : undefined;
    }
  for (let above = dirname(at), last = at; ; last = above, above = dirname(above)) {
    const standing = await statOf(above);
    if (typeof standing === 'string' && above !== dirname(above)) continue;
    const near = suggestion(basename(last), await foldersIn(above));
    const what = `${JSON.stringify(basename(last))} in ${shown(above, folder)}`;
    if (typeof standing !== 'string' && !standing.isDirectory())
      return `${shown(above, folder)} is a file, not a folder`;
    return `there is no folder ${what}${near === undefined ? '' : `; ${near}`}`;
  }
}

async function statOf(path: string): Promise<Stats | string> {
  try {
    return await stat(path);
  } catch (error) {
    return systemReason(error);
  }
}

async function foldersIn(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.filter((entry) => !entry.isFile()).map(({ name }) => name);
  } catch {
    // An unreadable folder has no names to suggest.
    return [];
  }
}

/** Describes the content of the folder before the first wildcard. */
async function present(glob: string, folder: string): Promise<string> {
  const base = globBase(glob);
  const at = resolve(folder, base);
  const last = partsOf(glob.slice(base.length)).at(-1) ?? '';
  const fits = matchOf(last);
  const seen = await glance(at, fits.ok && last !== '**' ? fits.value : () => false);
  const has = contentsOf(seen, shown(at, folder), base);
  const better = betterGlob(seen, glob, base, last);
  return better === undefined ? has : `${has}: ${JSON.stringify(better)}?`;
}

function contentsOf(
  { extensions, folders, hidden, cut }: Glance,
  here: string,
  base: string,
): string {
  const files = extensions.map(
    ([extension, n]) => `${grouped(n)} ${kindOf(extension)} file${n === 1 ? '' : 's'}`,
  );
  const parts = [
    ...files.slice(0, 3),
    ...(files.length > 3 ? ['other files'] : []),
    ...(folders.length > 0 ? [foldersOf(folders)] : []),
  ];
  if (parts.length > 0) return `${here} has ${cut ? 'at least ' : ''}${listed(parts)}`;
  return hidden > 0
    ? `${here} has only hidden files, which a glob finds if it names the dot: ${JSON.stringify(`${base}.*`)}`
    : `${here} is empty`;
}

/** A glob that finds some of the files that are there. */
function betterGlob(
  { extensions, folders, fitting }: Glance,
  glob: string,
  base: string,
  last: string,
): string | undefined {
  const deeper = `${base}**/${last}`;
  if (fitting > 0) return deeper;
  if (folders.length > 0) return glob.includes('**') ? undefined : deeper;
  const media = extensions
    .map(([extension]) => extension)
    .filter((extension) => mediaTypeOf(extension) !== undefined)
    .slice(0, 4);
  if (media.length === 0) return undefined;
  return `${base}*.${media.length > 1 ? `{${media.join(',')}}` : media.join()}`;
}

const kindOf = (extension: string): string =>
  extension === '' ? 'extensionless' : `.${extension}`;

function foldersOf(names: readonly string[]): string {
  const some = [...names].sort().slice(0, 3).join(', ');
  return names.length === 1
    ? `1 folder (${some})`
    : `${grouped(names.length)} folders (${some}${names.length > 3 ? ', …' : ''})`;
}

const listed = (parts: readonly string[]): string =>
  parts.length === 1 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;

/** A folder as the pipeline would name it. */
function shown(path: string, folder: string): string {
  const short = relative(folder, path);
  if (short === '') return 'the folder of the pipeline file';
  return JSON.stringify(sep === '/' ? short : short.split(sep).join('/'));
}
