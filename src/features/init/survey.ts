// Looks at what is in a folder: photos, clips and sounds. Reads names only.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { isSystemProblem } from '../../base/system-error.ts';
import { extensionOf, type MediaType, mediaTypeOf } from '../../contract/api/asset.ts';

/** The files of one medium in one place. */
export interface MediaFound {
  readonly media: MediaType;
  readonly count: number;
  /** Extensions in lower case, the most frequent first. */
  readonly formats: readonly string[];
  /** Relative to the surveyed folder, with "/"; "" is that folder itself. */
  readonly folder: string;
  /** True if all files are directly in `folder`, and others may be below. */
  readonly flat: boolean;
  /** True if two files differ only in their extension. */
  readonly alike: boolean;
  /** Relative to the surveyed folder, sorted. */
  readonly files: readonly string[];
}

/** More names than this are not read: a survey is a proposal, not a count. */
const mostNames = 100_000;

/** All media files below a folder, relative to it, sorted. Follows no links, and leaves out what programs keep. */
export async function mediaBelow(
  folder: string,
  except: (path: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const open = [''];
  let names = 0;
  for (let at = open.pop(); at !== undefined && names < mostNames; at = open.pop())
    for (const entry of await entriesOf(join(folder, at))) {
      names += 1;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.name.startsWith('.') || except(join(folder, path))) continue;
      if (entry.isDirectory() && entry.name !== 'node_modules') open.push(path);
      else if (entry.isFile() && mediaTypeOf(extensionOf(path)) !== undefined) found.push(path);
    }
  return found.sort();
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemProblem(error)) return [];
    throw error;
  }
}

/**
 * For each medium, the place where most of its files are; the medium with the most files first. `whole`: the folder itself
 * is the place of everything below it.
 */
export function survey(paths: readonly string[], whole: boolean): readonly MediaFound[] {
  const all = (['image', 'video', 'audio'] as const).flatMap((media) => {
    const own = paths.filter((path) => mediaTypeOf(extensionOf(path)) === media);
    if (own.length === 0) return [];
    if (whole) return [placed(media, own, '', false)];
    const groups = Map.groupBy(own, (path) => path.split('/').slice(0, -1)[0] ?? '');
    const [top, files] = [...groups].sort((a, b) => b[1].length - a[1].length)[0] ?? ['', own];
    return [placed(media, files, top === '' ? '' : sharedFolder(files), top === '')];
  });
  return all.sort((one, other) => other.count - one.count);
}

function placed(
  media: MediaType,
  files: readonly string[],
  folder: string,
  flat: boolean,
): MediaFound {
  const byFormat = Map.groupBy(files, extensionOf);
  const formats = [...byFormat].sort((a, b) => b[1].length - a[1].length).map(([name]) => name);
  const stems = new Set(files.map((file) => file.slice(0, -extname(file).length).toLowerCase()));
  return {
    ...{ media, count: files.length, formats, folder, flat, files },
    alike: stems.size < files.length,
  };
}

function sharedFolder(files: readonly string[]): string {
  const folders = files.map((file) => file.split('/').slice(0, -1));
  const names = [...(folders[0] ?? [])];
  while (!folders.every((one) => names.every((name, index) => one[index] === name))) names.pop();
  return names.join('/');
}

/** A file that can be the default of an input: of this medium, and not among the items. */
export function candidateFor(
  media: MediaType,
  paths: readonly string[],
  items: ReadonlySet<string>,
): string | undefined {
  const fitting = paths.filter(
    (path) => mediaTypeOf(extensionOf(path)) === media && !items.has(path),
  );
  // A file beside the folders is more likely meant than one of many in a folder.
  return fitting.find((path) => basename(path) === path) ?? fitting[0];
}
