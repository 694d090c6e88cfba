// What the user's receipts say, as text: what a plan need not pay for, and payments that a state file does not know.

import { printable } from '../base/printable.ts';
import { count, grouped } from '../base/text.ts';
import type { PaidAlready, PaidBy, PaidSource, PaidTask } from '../core/plan-table.ts';

/** The most sources to name. */
const sourcesShown = 3;

export function paidAlreadyText({ creations, sources, at }: PaidAlready): string {
  const year = at.slice(0, 4);
  const them = creations === 1 ? 'it' : 'them';
  const [first, ...others] = sources.slice(0, sourcesShown);
  const head = `${grouped(creations)} paid already`;
  const end = `; nothing to pay for ${them}.`;
  if (first === undefined) return `${head}${end}`;
  if (first.creations === creations) return `${head} ${sourceText(first, year)}${end}`;
  const named = [first, ...others];
  const more = creations - named.reduce((sum, one) => sum + one.creations, 0);
  const parts = [
    ...named.map((one) => `${grouped(one.creations)} ${sourceText(one, year)}`),
    ...(more > 0 ? [`and ${grouped(more)} more`] : []),
  ];
  return `${head}: ${parts.join(', ')}${end}`;
}

function sourceText(source: PaidSource, year: string): string {
  // Another pipeline is found by its path, and has its own record of the days.
  return source.by === 'pipeline'
    ? payerText(source)
    : `${payerText(source)} ${daysText(source, year)}`;
}

function payerText({ by, name }: PaidBy): string {
  switch (by) {
    case 'branch':
      return `in branch ${printable(name)}`;
    case 'state':
      return `in the state file ${printable(name)}`;
    case 'pipeline':
      return `by ${printable(name)}`;
  }
}

function daysText({ first, last }: Pick<PaidSource, 'first' | 'last'>, year: string): string {
  if (first === last) return `on ${dayText(first, year)}`;
  const [from, to] = [dayText(first, year), dayText(last, year)];
  const isSameMonth = first.slice(0, 7) === last.slice(0, 7);
  return `from ${isSameMonth ? Number(first.slice(8)) : from} to ${to}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `20 Nov`, with the year if it is another one. */
function dayText(day: string, year: string): string {
  const [own = '', month, date] = day.split('-');
  return `${Number(date)} ${months[Number(month) - 1]}${own === year ? '' : ` ${own}`}`;
}

/** For one task. */
export function paidTaskText(task: PaidTask): string {
  const { follows, at, project, credits, files = [] } = task;
  const day = `on ${at.slice(0, 10)} ${payerText(task)}`;
  const facts = [
    ...(project === undefined ? [] : [`project ${project}`]),
    ...(credits === undefined ? [] : [count(credits, 'credit')]),
  ];
  const what = facts.length === 0 ? '' : `: ${facts.join(', ')}`;
  const paid = `Your receipts say that it was paid for ${day}${what}.`;
  switch (follows) {
    case 'adopted':
      return `${paid}\nThe project counts as one of this state file, and nothing is charged for it again.`;
    case 'copied': {
      const from =
        files.length === 0 ? 'the store' : files.map((file) => printable(file)).join(', ');
      return `${paid}\nThe project is deleted. Its result is copied from ${from}, and nothing is charged for it again.`;
    }
    case 'lost':
      return `${paid}\nThe project is deleted, and no copy of its result is on this machine: only run --pay-again buys it again.`;
    case 'doubt':
      return `Your receipts say that its creation began ${day}, and that the answer was lost.\nNo run buys it until shotlist resolve has said what became of it.`;
  }
}

interface MissingPayments {
  readonly creations: number;
  /** Charged, or set aside for an unknown outcome. */
  readonly credits: number;
}

export const missingText = ({ creations, credits }: MissingPayments): string =>
  `${count(creations, 'paid creation')} (${count(credits, 'credit')})`;
