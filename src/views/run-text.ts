// A run as text: a line per item and per problem during the run, and a summary.

import { bugText } from '../base/bug.ts';
import { grouped } from '../base/grouped.ts';
import { printable } from '../base/printable.ts';
import { count, duration, table } from '../base/text.ts';
import { backText, waitingText } from '../run/jobs/outage-text.ts';
import type { ProblemGroup, RunEvent, Summary, TaskEnding } from '../run/run-event.ts';
import { creditsText } from './credits-text.ts';
import { filesText } from './files-text.ts';
import { moneyText } from './money-text.ts';
import { nextText, outcomeText, reasonText } from './outcome-text.ts';
import { balanceLine, planText } from './plan-text.ts';
import { rehearsalLine, serviceLine } from './service-text.ts';
import { tasksText } from './task-endings-text.ts';

/** The text of a run event on a terminal; undefined if nothing is shown. */
export function runEventText(event: RunEvent, items: number): string | undefined {
  switch (event.type) {
    case 'warning':
      return `warning: ${printable(event.message)}`;
    case 'started':
      return event.service === undefined ? rehearsalLine : serviceLine(event.service);
    case 'planned':
      return planText(event.plan);
    case 'listening':
      return listeningText(event);
    case 'generations':
      return generationsText(event);
    case 'account':
      return balanceLine(event.balance);
    case 'task':
      return event.ending === 'doubt' ? troubleText(event) : undefined;
    case 'item':
      if (!event.changed) return undefined;
      return `  ${String(event.of).padStart(String(items).length)}/${items} ${printable(event.item)}${event.ok ? '' : ' (not finished)'}`;
    case 'waiting':
      // Shown at growing intervals, because a long outage has an attempt every half minute.
      return isPowerOfTwo(event.tries) ? printable(waitingText(event)) : undefined;
    case 'back':
      return printable(backText(event));
    case 'stopping':
      return `stopping: ${printable(event.why)}; waiting for running requests`;
    case 'bug':
      return `error: ${printable(event.task)}: ${printable(bugText(event))}`;
    case 'hook':
      return hookEventText(event);
    case 'committed':
      return committedText(event);
    case 'begun':
    case 'charged':
    case 'ended':
      return undefined;
  }
}

/** A failure or a doubt, as soon as it is known; undefined for any other ending. */
export function troubleText({
  ending,
  task,
  why = '',
}: Extract<RunEvent, { type: 'task' }>): string | undefined {
  if (ending !== 'failed' && ending !== 'doubt') return undefined;
  return `  ${endingWord(ending)}: ${printable(task)}: ${printable(why)}`;
}

/** A warning tells of a hook that failed. */
function hookEventText({
  hook,
  calls,
  result,
}: Extract<RunEvent, { type: 'hook' }>): string | undefined {
  if (result === 'failed') return undefined;
  return `${hook}: ${result === 'called' ? 'called' : 'a real run would call'} ${printable(calls)}`;
}

function committedText({
  commit,
  branch,
  outputs,
}: Extract<RunEvent, { type: 'committed' }>): string {
  const where = branch === undefined ? 'a detached HEAD' : branch.replace(/^refs\/heads\//, '');
  const files = outputs === 0 ? 'the state file' : `the state file and ${count(outputs, 'output')}`;
  return `Committed ${files} to ${printable(where)}: ${commit.slice(0, 10)}`;
}
const generationsText = ({ most, tier }: Extract<RunEvent, { type: 'generations' }>): string =>
  `The ${printable(tier)} plan has ${count(most, 'project')} in progress at once: shotlist creates no more than that.`;

const isPowerOfTwo = (n: number): boolean => (n & (n - 1)) === 0;

function listeningText({ address, doubts }: Extract<RunEvent, { type: 'listening' }>): string {
  const waiting =
    doubts === 0 ? '' : `; ${count(doubts, 'creation')} in doubt may be resolved by them`;
  return `Listening for the service's events at ${address}${waiting}`;
}

function endingWord(ending: TaskEnding): string {
  return ending === 'doubt' ? 'IN DOUBT' : ending;
}

export interface SummaryPlaces {
  /** The pipeline file, as the user named it. */
  readonly pipeline: string;
  readonly state: string;
  readonly output: string;
  /** The price of a credit in US dollars, if it is known. */
  readonly creditDollars?: number | undefined;
}

export function summaryText(
  summary: Summary,
  { pipeline, state, output, creditDollars }: SummaryPlaces,
): string {
  const { items, tasks, credits } = summary;
  const reason = reasonText(summary);
  const next = nextText(summary, pipeline);
  const lines = [
    printable(outcomeText(summary, pipeline)),
    ...(reason === undefined ? [] : [`  ${printable(reason)}`]),
    table([
      ['items', `${items.done} of ${items.total} finished`],
      ['tasks', tasksText(tasks)],
      ['credits', creditsText(credits)],
      ...moneyRow(summary, creditDollars),
      ['time', duration(summary.elapsedMs)],
      ...(summary.wakeAt === undefined ? [] : [['next look', summary.wakeAt]]),
      ['results', output],
      ['state file', state],
    ]),
    ...filesText(summary.files),
    ...otherDoubtLines(summary),
  ];
  const last = next === undefined ? [] : [printable(next)];
  const taken = rowsOf([...lines, ...last].join('\n'));
  const problems = summary.groups.length === 0 ? [] : problemLines(summary, taken);
  return printable([...lines, ...problems, ...last].join('\n'), true);
}

function otherDoubtLines({ otherDoubts }: Summary): readonly string[] {
  if (otherDoubts === undefined) return [];
  const { count: all, examples } = otherDoubts;
  const named = examples.map(
    ({ tasks, name, reserved }) =>
      `    ${tasks.join(', ')} (${JSON.stringify(name)}, ${count(reserved, 'credit')} set aside)`,
  );
  return [
    `  IN DOUBT: ${count(all, 'creation')} that this run was not about: of an earlier content, another take or another item`,
    ...named,
    ...(all > named.length ? [`    and ${count(all - named.length, 'other')}`] : []),
    '    → shotlist status says how to settle them',
  ];
}

/** What was paid in the end, and what an item cost on average. */
function moneyRow(
  { credits, items }: Summary,
  dollars: number | undefined,
): readonly (readonly [string, string])[] {
  const paid = credits.charged - credits.refunded;
  if (dollars === undefined || paid <= 0) return [];
  const each = items.done > 1 ? `, ${moneyText(paid / items.done, dollars)} an item` : '';
  return [['money', `${moneyText(paid, dollars)}${each}`]];
}

/** The summary fits a terminal of 24 rows, with a line for the next prompt. */
const mostLines = 23;

/** A long line takes several rows of 80 columns. */
const rowsOf = (text: string): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 80)), 0);

/** Doubts come first, because they hold credits; then the problems of most tasks. `taken`: the lines above. */
function problemLines({ groups, tasks, held }: Summary, taken: number): readonly string[] {
  const bad = tasks.failed + tasks.doubt + tasks.pending - held;
  // The first line, and the line about what is left out.
  let room = mostLines - taken - 2;
  const shown: ProblemGroup[] = [];
  for (const group of groups.toSorted(byUrgency)) {
    room -= rowsOf(groupText(group));
    if (room < 0 && shown.length > 0) break;
    shown.push(group);
  }
  const named = shown.reduce((sum, { count: tasks }) => sum + tasks, 0);
  return [
    `${count(bad, 'task')} with problems:`,
    ...shown.map(groupText),
    ...(bad > named ? [`  and ${grouped(bad - named)} more: shotlist status lists them`] : []),
  ];
}

const byUrgency = (one: ProblemGroup, other: ProblemGroup): number =>
  Number(other.ending === 'doubt') - Number(one.ending === 'doubt') || other.count - one.count;

function groupText(group: ProblemGroup): string {
  const { step, ending, why, code, advice, count: tasks, examples } = group;
  const kind = code === undefined ? endingWord(ending) : `${endingWord(ending)} (${code})`;
  const [first = step] = examples;
  const who = tasks === 1 ? first : `${count(tasks, 'task')} of ${step}`;
  const more = tasks > examples.length ? `, and ${count(tasks - examples.length, 'other')}` : '';
  const list = examples.map((task) => printable(task)).join(', ');
  return [
    `  ${kind}: ${printable(who)}: ${printable(why)}`,
    ...(tasks === 1 ? [] : [`    ${list}${more}`]),
    ...(advice === undefined ? [] : [`    → ${advice}`]),
  ].join('\n');
}
