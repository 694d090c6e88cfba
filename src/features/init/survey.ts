// Looks at what is in a folder: photos, clips and sounds, by their names, with the tools that fit them; and pipeline files.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { printable } from '../../base/printable.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { isSystemProblem } from '../../base/system-error.ts';
import { count } from '../../base/text.ts';
import { extensionOf, type MediaType, mediaTypeOf } from '../../contract/api/asset.ts';
import { listing } from '../../contract/yaml/diagnostic.ts';
import { yamlIn } from '../../files/pipeline-files.ts';
import { isSystemName } from '../../files/system-names.ts';
import { mediaNoun, starters } from './starter.ts';

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

/** A survey is a proposal, not a count. */
const maxNames = 100_000;

/** All media files below a folder, relative to it, sorted. Follows no links, and leaves out what programs keep. */
export async function mediaBelow(
  folder: string,
  except: (path: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const open = [''];
  let names = 0;
  for (let at = open.pop(); at !== undefined && names < maxNames; at = open.pop())
    for (const entry of await entriesOf(join(folder, at))) {
      names += 1;
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.name.startsWith('.') || isSystemName(entry.name)) continue;
      if (except(join(folder, path))) continue;
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
    media,
    count: files.length,
    formats,
    folder,
    flat,
    files,
    alike: stems.size < files.length,
  };
}

function sharedFolder(files: readonly string[]): string {
  const folders = files.map((file) => file.split('/').slice(0, -1));
  const names = [...(folders[0] ?? [])];
  while (!folders.every((one) => names.every((name, index) => one[index] === name))) names.pop();
  return names.join('/');
}

/** A file that can be the default of an input. */
export function candidateFor(media: MediaType, paths: readonly string[]): string | undefined {
  const fitting = paths.filter((path) => mediaTypeOf(extensionOf(path)) === media);
  // A file beside the folders is more likely meant than one of many in a folder.
  return fitting.find((path) => basename(path) === path) ?? fitting[0];
}

// Which tools fit what is in a folder.

type MediaSeen = Omit<MediaFound, 'files' | 'alike' | 'flat'>;

export interface Proposals {
  /** The medium with the most files first. */
  readonly found: readonly MediaSeen[];
  /** All tools; those that fit what was found come first. */
  readonly tools: readonly ProposedTool[];
}

export interface ProposedTool {
  readonly name: string;
  /** What one item is. */
  readonly of: MediaType | 'prompt';
  /** True if the folder has such files, or the tool needs none. */
  readonly fits: boolean;
}

/**
 * Looks for photos, clips and sounds in a folder, and proposes tools for them. Reads only names.
 *
 * @example
 * ```ts
 * import { proposeTools } from 'shotlist';
 *
 * const { found, tools } = await proposeTools('.');
 * console.log(found.length, tools.find(({ fits }) => fits)?.name);
 * ```
 */
export async function proposeTools(folder = '.'): Promise<Proposals> {
  const root = resolve(folder);
  const found = survey(await mediaBelow(root, (path) => path === join(root, 'out')), false);
  const media = found.map((one): MediaType | 'prompt' => one.media);
  const ranked = [...media, 'prompt', 'image', 'video', 'audio'];
  const tools = starters
    .map((starter) => ({
      name: starter.tool,
      of: starter.of,
      fits: starter.of === 'prompt' || media.includes(starter.of),
    }))
    .toSorted((one, other) => ranked.indexOf(one.of) - ranked.indexOf(other.of));
  return {
    found: found.map(({ media: medium, count, formats, folder: place }) => ({
      media: medium,
      count,
      formats,
      folder: place,
    })),
    tools,
  };
}

const foundLine = ({ media, count: number, formats, folder }: MediaSeen): string =>
  `${count(number, mediaNoun[media])} (${formats.join(', ')}) in ${folder === '' ? 'this folder' : printable(folder)}`;

export const foundText = (found: readonly MediaSeen[]): string =>
  found.length === 0
    ? 'Found no photos, clips or sounds.'
    : `Found ${listing(found.map(foundLine))}.`;

// The pipeline files of a folder, for somebody who has named none.

/** A larger file is no pipeline file. */
const maxPipelineBytes = 1_000_000;

/** In the working folder and in its folder `pipelines`. What cannot be read is left out: nobody has asked for it. */
export const pipelinesHere = (): readonly string[] =>
  ['.', 'pipelines'].flatMap((folder) => {
    const names = yamlIn(folder);
    return names.ok ? names.value.filter(isPipeline) : [];
  });

function isPipeline(path: string): boolean {
  const bytes = readRegularFile(path, { max: maxPipelineBytes });
  return bytes.ok && /^pipeline:/m.test(bytes.value.toString('utf8'));
}
