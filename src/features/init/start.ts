// shotlist without a command: says what to do next. A script that lost its command must notice, so the exit code is 2.

import { shellWord } from '../../base/printable.ts';
import { printProse } from '../../terminal/terminal.ts';
import { pipelinesHere } from './survey.ts';

export function startCommand(): number {
  printProse(startText(pipelinesHere()));
  return 2;
}

/** More names would hide what to do next. */
const maxNames = 3;

function startText(pipelines: readonly string[]): string {
  const names = pipelines.map(shellWord);
  const [first] = names;
  const others = names.length - maxNames;
  const shown = names.slice(0, maxNames).join(', ');
  const next =
    first === undefined
      ? ['No pipeline is here yet. Write one for your photos, clips or sounds:', '  shotlist init']
      : [
          `Here: ${shown}${others > 0 ? ` and ${others} more` : ''}. See what a pipeline would do, and what it would cost:`,
          `  shotlist plan ${first}`,
        ];
  return [
    'shotlist runs pipelines of paid AI media tools over folders of media. Without an account, every run is a rehearsal and costs nothing.',
    '',
    ...next,
    '',
    'All commands: shotlist --help',
  ].join('\n');
}
