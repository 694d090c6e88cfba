// shotlist init: writes a first pipeline file, for the first tool that fits if the flags name none.
import { printable } from '../../base/printable.ts';
import { type ShellWord, shotlistLine } from '../../base/shell.ts';
import { count } from '../../base/text.ts';
import type { InitFlags } from '../../terminal/flags.ts';
import { print } from '../../terminal/terminal.ts';
import { answer } from '../command.ts';
import { type Initialized, init } from './init.ts';
import { foundText, type Proposals, proposeTools } from './survey.ts';

export async function initCommand(flags: InitFlags): Promise<number> {
  const { json = false } = flags;
  const { tool, media } = flags;
  if (tool !== undefined) return written(await init({ ...flags, tool }), json);
  const proposals = await proposeTools(media);
  const names = proposals.tools.filter(({ fits }) => fits).map(({ name }) => name);
  const [first, ...others] = names;
  if (first === undefined) throw new Error('bug: a tool that needs no files always fits');
  if (!json) print(proposalText(proposals, first, others));
  return written(await init({ ...flags, tool: first }), json);
}

const maxOthers = 5;

const proposalText = ({ found }: Proposals, first: string, others: readonly string[]): string =>
  `${foundText(found)} The pipeline uses ${first}.\n` +
  `Others that fit, for --tool: ${others.slice(0, maxOthers).join(', ')}; ${shotlistLine('tools')} lists all.`;

const written = (done: Initialized, json: boolean): number =>
  answer(done, json, {
    text: initText,
    facts: ({ text: _text, ...facts }) => ({ ...facts, file: printable(facts.file) }),
  });

/** So many show what comes of it. */
const itemsForALook = 3;

function initText({ file, items, ignored, attributes, missing, outside }: Initialized): string {
  const flags: readonly ShellWord[] = [
    ...missing.flatMap((name) => ['--input', { placeholder: `${name}=<file>` }]),
    ...(outside ? ['--allow-outside'] : []),
  ];
  const line = (command: string, ...more: readonly string[]): string =>
    shotlistLine(command, [file], [...flags, ...more]);
  return [
    `Wrote ${printable(file)}: ${count(items, 'item')}.`,
    ...(ignored.length === 0
      ? []
      : [`Added to .gitignore: ${ignored.map((line) => printable(line)).join(', ')}`]),
    ...(attributes === undefined ? [] : [`Added to .gitattributes: ${attributes}`]),
    '',
    'Next, without an account and without cost:',
    `  ${line('plan')}`,
    `  ${line('run', '--rehearse', ...(items > itemsForALook ? ['--limit', `${itemsForALook}`] : []))}`,
  ].join('\n');
}
