// Which tools fit what is in a folder.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repositoryOf } from '../../base/repository.ts';
import type { MediaType } from '../../contract/api/asset.ts';
import { toolNamed } from '../../contract/tools/all.ts';
import { priceOfStarter } from './starter-price.ts';
import { starters } from './starters.ts';
import { type MediaFound, mediaBelow, survey } from './survey.ts';

export interface Proposals {
  /** The medium with the most files first. */
  readonly found: readonly Omit<MediaFound, 'files' | 'alike' | 'flat'>[];
  /** True if the folder is in a git repository. */
  readonly inRepository: boolean;
  /** All tools; those that fit what was found come first. */
  readonly tools: readonly ProposedTool[];
}

export interface ProposedTool {
  readonly name: string;
  readonly title: string;
  /** What one item is. */
  readonly of: MediaType | 'prompt';
  /** True if the folder has such files, or the tool needs none. */
  readonly fits: boolean;
  /** For one item, in credits. */
  readonly credits: number;
  /** False: no price is published, and `credits` is an upper bound. */
  readonly published: boolean;
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
      title: toolNamed(starter.tool)?.title ?? starter.tool,
      of: starter.of,
      fits: starter.of === 'prompt' || media.includes(starter.of),
      ...priceOfStarter(starter),
    }))
    .toSorted((one, other) => ranked.indexOf(one.of) - ranked.indexOf(other.of));
  return {
    found: found.map(({ media: medium, count, formats, folder: place }) => ({
      ...{ media: medium, count, formats, folder: place },
    })),
    inRepository: existsSync(join(repositoryOf(root), '.git')),
    tools,
  };
}
