// shotlist without a command, or a command without its pipeline: says what to do next. A script that lost a word must
// notice, so the exit code is 2.

import { shellWord, shotlistLine } from '../../base/shell.ts';
import { complain, printProse } from '../../terminal/terminal.ts';
import { pipelinesHere } from './survey.ts';

export function startCommand(): number {
  printProse(startText(pipelinesHere()));
  return 2;
}

/** More names would hide what to do next. */
const maxNames = 3;

function startText(pipelines: readonly string[]): string {
  const [first] = pipelines;
  const next =
    first === undefined
      ? [
          'No pipeline is here yet. Write one for your photos, clips or sounds:',
          `  ${shotlistLine('init')}`,
        ]
      : [
          `Here: ${listed(pipelines)}. See what a pipeline would do, and what it would cost:`,
          `  ${shotlistLine('plan', [first])}`,
        ];
  return [
    'shotlist runs pipelines of paid AI media tools over folders of media. Without an account, every run is a rehearsal and costs nothing.',
    '',
    ...next,
    '',
    `All commands: ${shotlistLine('--help')}`,
  ].join('\n');
}

/** For a command whose pipeline file is missing: below the error, which says so. */
export function suggestPipelines(command: string): void {
  const [first, ...others] = pipelinesHere();
  if (first === undefined)
    complain(`(No pipeline is here yet: ${shotlistLine('init')} writes one.)`);
  else if (others.length === 0) complain(`(Did you mean ${shotlistLine(command, [first])}?)`);
  else complain(`(Here: ${listed([first, ...others])}.)`);
}

function listed(pipelines: readonly string[]): string {
  const others = pipelines.length - maxNames;
  const shown = pipelines.slice(0, maxNames).map(shellWord).join(', ');
  return `${shown}${others > 0 ? ` and ${others} more` : ''}`;
}
