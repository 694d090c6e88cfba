// A run as text: a line per item and per trouble while it lasts, and a summary.
import { printable } from '../base/printable.ts';
import { creditsText } from './credits-text.ts';
import type { Happening, Summary, TaskEnding } from './happening.ts';
import { balanceLine, planText } from './plan-text.ts';
import { count, duration, table } from './text.ts';

/** What a happening looks like on a terminal; undefined: nothing is shown. */
export function happeningText(happening: Happening, items: number): string | undefined {
  switch (happening.type) {
    case 'warning':
      return `warning: ${printable(happening.message)}`;
    case 'planned':
      return planText(happening.plan);
    case 'listening':
      return listeningText(happening);
    case 'account':
      return balanceLine(happening.balance);
    case 'task':
      return happening.ending === 'doubt'
        ? `  ${endingWord(happening.ending)}: ${printable(happening.task)}: ${printable(happening.why ?? '')}`
        : undefined;
    case 'item':
      if (!happening.news) return undefined;
      return `  ${String(happening.of).padStart(String(items).length)}/${items} ${printable(happening.item)}${happening.well ? '' : ' (not finished)'}`;
    case 'stopping':
      return `stopping: ${printable(happening.why)}; running requests are waited for`;
    case 'ended':
      return undefined;
  }
}

function listeningText({ address, doubts }: Extract<Happening, { type: 'listening' }>): string {
  const waiting =
    doubts === 0 ? '' : `; ${count(doubts, 'creation')} in doubt may be resolved by them`;
  return `Listening for the service's events at ${address}${waiting}`;
}

function endingWord(ending: TaskEnding): string {
  return ending === 'doubt' ? 'IN DOUBT' : ending;
}

const headline: Readonly<Record<Summary['outcome'], string>> = {
  done: 'Done.',
  failed: 'Some tasks are not done.',
  refused: 'Refused; nothing was sent.',
  budget: 'Stopped for want of credits.',
  doubt: 'Something is in doubt: it may have been paid, and is not repeated.',
  unauthorized: 'The service refused the API key.',
  interrupted: 'Interrupted. Run it again to go on; nothing is paid twice.',
};

export interface SummaryPlaces {
  readonly state: string;
  readonly output: string;
}

export function summaryText(summary: Summary, { state, output }: SummaryPlaces): string {
  const { items, tasks, credits } = summary;
  const kinds: readonly TaskEnding[] = [
    'done',
    'reused',
    'skipped',
    'excluded',
    'failed',
    'doubt',
    'pending',
    'blocked',
  ];
  const told = kinds
    .filter((kind) => tasks[kind] > 0)
    .map((kind) => `${tasks[kind]} ${kind === 'excluded' ? 'left out' : kind}`);
  const lines = [
    headline[summary.outcome],
    ...(summary.stopped === undefined ? [] : [`  ${printable(summary.stopped)}`]),
    table([
      ['items', `${items.done} of ${items.total} finished`],
      ['tasks', told.join(', ') || 'none'],
      ['credits', creditsText(credits)],
      ['time', duration(summary.elapsedMs)],
      ['results', output],
      ['state file', state],
    ]),
    ...(summary.trouble.length === 0 ? [] : troubleLines(summary)),
  ];
  return printable(lines.join('\n'), true);
}

function troubleLines({ trouble, tasks }: Summary): readonly string[] {
  const bad = tasks.failed + tasks.doubt + tasks.pending;
  const shown = trouble.slice(0, 20);
  return [
    `${count(bad, 'task')} with trouble${bad > shown.length ? `, the first ${shown.length}` : ''}:`,
    ...shown.map(
      ({ task, ending, why, advice }) =>
        `  ${endingWord(ending)}: ${printable(task)}: ${printable(why)}${advice === undefined ? '' : `\n    → ${advice}`}`,
    ),
    'Run it again to try what failed; what is done is reused.',
  ];
}
