// The questions of `shotlist init` on a terminal. Ctrl-C and Escape end them, and nothing is written.

import { autocomplete, confirm, intro, isCancel, log, text } from '@clack/prompts';
import { printable } from '../../base/printable.ts';
import type { InitFlags } from '../../terminal/flags.ts';
import type { InitOptions } from './init.ts';
import { mediaNoun } from './starter.ts';
import { foundLine, type ProposedTool, proposeTools } from './survey.ts';

/** Undefined: the user left. */
export async function askInit(flags: InitFlags): Promise<InitOptions | undefined> {
  const { found, tools, inRepository } = await proposeTools(flags.media);
  intro('A first pipeline');
  log.info(
    found.length === 0 ? 'No photos, clips or sounds here.' : found.map(foundLine).join('\n'),
  );
  const tool = flags.tool ?? (await askTool(tools));
  if (tool === undefined) return undefined;
  const of = tools.find(({ name }) => name === tool)?.of;
  const place = found.find(({ media }) => media === of)?.folder;
  const missing = flags.media === undefined && of !== 'prompt' && place === undefined;
  const media = missing ? await ask(`Which folder has the files?`, '.') : flags.media;
  if (missing && media === undefined) return undefined;
  const name = flags.name ?? (await ask('What is the pipeline called?', tool));
  if (name === undefined) return undefined;
  const output = flags.output ?? (await ask('Where does it go?', `${name}.yaml`));
  if (output === undefined) return undefined;
  const ignore = inRepository
    ? await confirm({ message: 'Keep the results out of git? (adds lines to .gitignore)' })
    : false;
  if (isCancel(ignore)) return undefined;
  return { tool, media, name, output, ignore };
}

async function askTool(tools: readonly ProposedTool[]): Promise<string | undefined> {
  const chosen = await autocomplete<string>({
    message: 'What should it do? Type to search.',
    maxItems: 8,
    options: tools.map(({ name, title, credits, published, of }) => ({
      value: name,
      label: title,
      hint: `${name}, ${published ? '' : 'at most '}${credits} credits a ${mediaNoun[of]}`,
    })),
  });
  return isCancel(chosen) ? undefined : chosen;
}

async function ask(message: string, usual: string): Promise<string | undefined> {
  const given = await text({ message, placeholder: printable(usual), defaultValue: usual });
  return isCancel(given) ? undefined : given;
}
