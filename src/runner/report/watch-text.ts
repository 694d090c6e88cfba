// A watch as text: what it waits for, what each run takes, and how it ended.
import { grouped } from '../../contract/base/grouped.ts';
import { printable } from '../../contract/base/printable.ts';
import { creditsText } from './credits-text.ts';
import type { Summary } from './run-event.ts';
import { runEventText, summaryText } from './run-text.ts';
import { count, duration } from './text.ts';
import type { WatchEvent } from './watch-event.ts';

export interface WatchText {
  /** `aside`: not a fact, but something that a person should know. */
  readonly to: 'facts' | 'aside';
  readonly text: string;
}

/** The text of a watch event; undefined if nothing is shown. Problems are rendered by the command. */
export function watchEventText(
  event: Exclude<WatchEvent, { type: 'refused' | 'invalid' }>,
): WatchText | undefined {
  switch (event.type) {
    case 'watching': {
      const { pipeline, glob, files } = event;
      return facts(
        `Watching ${printable(glob)} for ${printable(pipeline)}: ${count(files, 'file')} now. Ctrl-C stops it.`,
      );
    }
    case 'batch':
      return facts(batchText(event));
    case 'run':
      return eventText(event.event);
    case 'ran':
      return facts(ranText(event));
    case 'again':
      return facts(`The rest is tried again at ${event.at}, or when a file changes.`);
    case 'paused':
      return aside(
        `paused: ${printable(event.why)}; nothing runs until you change the pipeline file or start watch again`,
      );
    case 'notice':
      return aside(`warning: ${printable(event.message)}`);
  }
}

const facts = (text: string): WatchText => ({ to: 'facts', text });
const aside = (text: string): WatchText => ({ to: 'aside', text });

const reasons = {
  files: '',
  pipeline: ', because the pipeline has changed',
  again: ', to finish what is open',
} as const;

function batchText(event: Extract<WatchEvent, { type: 'batch' }>): string {
  const { why, added, changed, items, settling, failed } = event;
  const news = [
    ...(added > 0 ? [`${grouped(added)} new`] : []),
    ...(changed > 0 ? [`${grouped(changed)} changed`] : []),
    ...(settling > 0 ? [`${grouped(settling)} still being written`] : []),
    ...(failed > 0 ? [`${grouped(failed)} left out until they change`] : []),
  ];
  const parts = news.length === 0 ? '' : ` (${news.join(', ')})`;
  return `Running ${count(items, 'file')}${parts}${reasons[why]}.`;
}

/** The plan and the account of every run would fill the screen; the log has them. */
function eventText(event: Extract<WatchEvent, { type: 'run' }>['event']): WatchText | undefined {
  switch (event.type) {
    case 'planned':
    case 'started':
    case 'account':
      return undefined;
    case 'item':
      return event.changed
        ? facts(`  ${printable(event.item)}${event.ok ? '' : ' (not finished)'}`)
        : undefined;
    default: {
      const text = runEventText(event, 0);
      if (text === undefined) return undefined;
      const isAside = ['warning', 'waiting', 'back', 'stopping', 'bug'].includes(event.type);
      return isAside ? aside(text) : facts(text);
    }
  }
}

function ranText({ summary, removed, ...places }: Extract<WatchEvent, { type: 'ran' }>): string {
  if (summary.outcome === 'done') return doneText(summary);
  const gone =
    removed === 0
      ? []
      : [
          `  ${count(removed, 'file')} of them ${removed === 1 ? 'was' : 'were'} removed meanwhile.`,
        ];
  return [summaryText(summary, places), ...gone].join('\n');
}

function doneText({ items, credits, elapsedMs }: Summary): string {
  return `Done: ${items.done} of ${count(items.total, 'item')} finished, ${creditsText(credits)}, ${duration(elapsedMs)}.`;
}
