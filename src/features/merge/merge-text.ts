// A merge of state files as text: the credits, and the jobs that both sides paid for.

import { printable } from '../../base/printable.ts';
import { shellPath } from '../../base/shell.ts';
import { count } from '../../base/text.ts';
import type { DoublePayment, Payment } from '../../state/repair/merge.ts';
import { creditsText } from '../../views/credits-text.ts';
import type { MergedState } from './merge.ts';

/** --json has all. */
const maxListed = 20;

/** `inGit`: git called the command, and takes a double payment for a conflict. */
export function mergeText(merged: MergedState, inGit: boolean): string {
  const { state, jobs, runs, credits, paidTwice } = merged;
  const name = printable(state);
  const lines = [
    `${name}: merged: ${count(jobs, 'job')}, ${count(runs, 'run')}, ${creditsText(credits.merged)}`,
  ];
  if (paidTwice.length > 0) lines.push(...paidTwiceLines(paidTwice));
  if (paidTwice.length > 0 && inGit) lines.push(acceptLine(state));
  return printable(lines.join('\n'), true);
}

/** What git waits for. `state`: the state file. */
export const acceptLine = (state: string): string =>
  `To accept the file: git add ${shellPath(state)}`;

export function paidTwiceLines(paidTwice: readonly DoublePayment[]): readonly string[] {
  const twice = paidTwice.reduce((sum, { other }) => sum + other.credits, 0);
  const shown = paidTwice.slice(0, maxListed);
  const rest = paidTwice.length - shown.length;
  return [
    `PAID TWICE: both sides paid for ${count(paidTwice.length, 'job')}; the second payments are ${count(twice, 'credit')}:`,
    ...shown.flatMap(paymentLines),
    ...(rest === 0 ? [] : [`  … and ${rest} more`]),
    'The merged state file has all payments and is complete. Look at the other projects in the hub: their results are',
    'yours too.',
  ];
}

function paymentLines({ job, tasks, kept, other }: DoublePayment): readonly string[] {
  const who = tasks.length === 0 ? `job ${job.slice(0, 12)}…` : tasks.join(', ');
  return [
    `  ${printable(who)}`,
    `    kept: ${printable(paymentText(kept))}`,
    `    also: ${printable(paymentText(other))}`,
  ];
}

function paymentText({ side, name, project, credits, inDoubt }: Payment): string {
  const named = name === undefined ? '' : ` named ${JSON.stringify(name)}`;
  const what = project === undefined ? `an attempt${named}` : `project ${project}`;
  const paid = inDoubt
    ? `in doubt, ${count(credits, 'credit')} set aside`
    : count(credits, 'credit');
  return `${what} of ${side}, ${paid}`;
}
