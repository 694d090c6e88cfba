// shotlist git-setup: lets git merge state files by itself in the clone of the working folder.

import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GitSetupFlags } from '../../terminal/flags.ts';
import { answer } from '../command.ts';
import { type GitSetup, gitSetup } from './git-setup.ts';

const here = new URL(import.meta.url);

export async function gitSetupCommand({
  remove = false,
  json = false,
}: GitSetupFlags): Promise<number> {
  const main = fileURLToPath(new URL(`../../cli/main${extname(here.pathname)}`, here));
  const done = await gitSetup({ remove, command: [process.execPath, main] });
  return answer(done, json, { text: (setup) => textOf(setup, remove) });
}

const attributes: Readonly<Record<GitSetup['attributes'], string>> = {
  added: 'added "*.state.jsonl merge=shotlist"; commit this file, so that every clone has it',
  removed: 'removed "*.state.jsonl merge=shotlist"',
  unchanged: 'unchanged',
};

const driver: Readonly<Record<GitSetup['driver'], string>> = {
  added: 'added; every clone needs its own: run git-setup there',
  replaced: 'replaced by the one of this shotlist',
  removed: 'removed',
  unchanged: 'unchanged',
};

function textOf(setup: GitSetup, remove: boolean): string {
  return [
    remove
      ? `${setup.top}: git no longer merges state files by itself.`
      : `${setup.top}: git merges state files by itself.`,
    `  .gitattributes: ${attributes[setup.attributes]}`,
    `  merge driver in .git/config: ${driver[setup.driver]}`,
  ].join('\n');
}
