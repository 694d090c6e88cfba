// shotlist init: writes a first pipeline file. On a terminal it asks for what the flags do not say.
import { printable } from '../../base/printable.ts';
import { type ShellWord, shotlistLine } from '../../base/shell.ts';
import { count } from '../../base/text.ts';
import type { InitFlags } from '../../terminal/flags.ts';
import { print } from '../../terminal/terminal.ts';
import { answer } from '../command.ts';
import { refuse } from '../refuse.ts';
import { type Initialized, init } from './init.ts';
import { foundText, type Proposals, proposeTools } from './survey.ts';

export async function initCommand(flags: InitFlags): Promise<number> {
  const { json = false, yes = false } = flags;
  const { tool, media } = flags;
  // A terminal without a size, such as a serial console, would show no question.
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && process.stdout.columns > 0;
  if (isTerminal && !yes && !json) return await askedInit(flags);
  if (tool !== undefined) return written(await init({ ...flags, tool }), json);
  const proposals = await proposeTools(media);
  const [first] = proposals.tools;
  if (!yes || first === undefined) return refuseWithoutTool(proposals);
  if (!json) print(`${foundText(proposals.found)} The pipeline uses ${first.name}.`);
  return written(await init({ ...flags, tool: first.name }), json);
}

async function askedInit(flags: InitFlags): Promise<number> {
  // Loaded only here, because prompts take longer to load than the rest of the command.
  const { askInit } = await import('./init-questions.ts');
  const options = await askInit(flags);
  if (options === undefined) {
    print('Nothing was written.');
    return 130;
  }
  return written(await init(options), false);
}

function refuseWithoutTool({ tools, found }: Proposals): never {
  const fitting = tools.filter(({ fits }) => fits).slice(0, 6);
  return refuse(
    'without a terminal, init cannot ask: name a tool with --tool, or use --yes for the first that fits',
    `${foundText(found)} Tools that fit: ${fitting.map(({ name }) => name).join(', ')}; ${shotlistLine('tools')} lists all`,
  );
}

const written = (done: Initialized, json: boolean): number =>
  answer(done, json, {
    text: initText,
    facts: ({ text: _text, ...facts }) => ({ ...facts, file: printable(facts.file) }),
  });

/** So many show what comes of it. */
const itemsForALook = 3;

function initText({ file, items, ignored, missing, outside }: Initialized): string {
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
    '',
    'Next, without an account and without cost:',
    `  ${line('plan')}`,
    `  ${line('run', '--rehearse', ...(items > itemsForALook ? ['--limit', `${itemsForALook}`] : []))}`,
  ].join('\n');
}
