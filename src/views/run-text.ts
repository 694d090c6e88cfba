// The events of a run as text: a line per item and per problem.

import { bugText } from '../base/bug.ts';
import { printable } from '../base/printable.ts';
import { count } from '../base/text.ts';
import { backText, waitingText } from '../core/outage-text.ts';
import type { RunEvent } from '../core/run-event.ts';
import { balanceLine, planText } from './plan-text.ts';
import { rehearsalLine, serviceLine } from './service-text.ts';
import { endingWord } from './summary-text.ts';

/** The text of a run event on a terminal; undefined if nothing is shown. */
export function runEventText(event: RunEvent, items: number): string | undefined {
  switch (event.type) {
    case 'warning':
      return `warning: ${printable(event.message)}`;
    case 'note':
      return `note: ${printable(event.message)}`;
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
