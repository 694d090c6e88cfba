// The message of the commit after a run.
import { printable } from '../../contract/base/printable.ts';
import { creditsText } from './credits-text.ts';
import type { Summary } from './run-event.ts';
import { tasksText } from './task-endings-text.ts';
import { count } from './text.ts';

export interface CommitSubject {
  readonly pipeline: string;
  /** The number of the run in the state file. */
  readonly run: number | undefined;
  /** The number of outputs in the commit. */
  readonly outputs: number;
}

/** What git shows in a list of commits. */
const longest = 100;

export function commitMessage(
  { outcome, items, tasks, credits, stopped }: Summary,
  { pipeline, run, outputs }: CommitSubject,
): string {
  const name = printable(pipeline).slice(0, longest);
  const done =
    items.unfinished === 0
      ? count(items.done, 'item')
      : `${items.done} of ${count(items.total, 'item')}`;
  const doubts = tasks.doubt === 0 ? '' : `, ${tasks.doubt} in doubt`;
  const net = credits.charged - credits.refunded;
  const body = [
    `Outcome: ${outcome}${stopped === undefined ? '' : ` (${printable(stopped)})`}`,
    `Tasks: ${tasksText(tasks)}`,
    `Credits: ${creditsText(credits)}`,
    ...(run === undefined ? [] : [`Run: ${run}`]),
    ...(outputs === 0 ? [] : [`Outputs in this commit: ${outputs}`]),
  ];
  return `shotlist: ${name}: ${done}, ${count(net, 'credit')}${doubts}\n\n${body.join('\n')}\n`;
}
