// Takes as text: which there are, which one counts, and the commands that go on from there.
import { grouped } from '../base/grouped.ts';
import { printable } from '../base/printable.ts';
import { count } from '../base/text.ts';
import type { Take, Takes } from './takes.ts';

/** `pipeline`: the pipeline file as a command line has it, with the flags that say which state is meant. */
export function rerolledText(all: readonly Takes[], pipeline: string): string {
  return all.flatMap((one) => [takesLine(one), ...commands(one, pipeline)]).join('\n');
}

/** More of a kind would push everything else off the screen. */
const most = 20;

export function takesLines(all: readonly Takes[], pipeline: string): readonly string[] {
  const lines = all.slice(0, most).flatMap((one) => {
    const next = one.takes.find(({ complete }) => !complete);
    return [
      `takes: ${takesLine(one)}`,
      ...(next === undefined
        ? []
        : [
            `    → ${commandText('reroll', pipeline, one.tasks[0] ?? '')} completes take ${next.number}`,
          ]),
    ];
  });
  const rest = all.length - most;
  return rest > 0 ? [...lines, `… and ${grouped(rest)} more with several takes`] : lines;
}

function takesLine({ tasks, takes }: Takes): string {
  return `${printable(tasks.join(', '))}: ${takes.map(takeText).join('; ')}`;
}

function takeText({ number, picked, complete, credits, files, state }: Take): string {
  const [file] = files;
  const notes = [
    ...(picked ? ['picked'] : []),
    ...(credits > 0 ? [count(credits, 'credit')] : []),
    ...(complete ? [] : [state === 'complete' ? 'not saved yet' : state]),
    ...(file === undefined || picked ? [] : [printable(file)]),
  ];
  return `take ${number}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

const commands = (one: Takes, pipeline: string): readonly string[] =>
  one.takes
    .filter(({ picked, complete }) => !picked && complete)
    .map(
      ({ number }) =>
        `    To use take ${number}: ${commandText('pick', pipeline, one.tasks[0] ?? '', String(number))}`,
    );

/** `pipeline`: as a command line has it, with the flags that say which state is meant. */
export const commandText = (
  command: 'pick' | 'reroll',
  pipeline: string,
  ...more: readonly string[]
): string => printable(['shotlist', command, pipeline, ...more.map(quoted)].join(' '));

/** A pipeline file as a command line has it. */
export const subjectText = (file: string, ...flags: readonly string[]): string =>
  [file, ...flags].map(quoted).join(' ');

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
