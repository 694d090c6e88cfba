// What `status --watch` shows: the view of an active run, or the text of the state file, and who is at work.
import { count, duration } from '../../base/text.ts';
import type { LiveFacts } from './live-facts.ts';
import { liveLines, type Terminal } from './live-lines.ts';
import { cut, type Line, span, textOf, trimmed } from './spans.ts';

export type Watched =
  | { readonly is: 'live'; readonly live: LiveFacts; readonly process: string }
  /** `rest`: the command that shows what has no room. */
  | { readonly is: 'still'; readonly text: string; readonly rest: string };

/** No line is wider than the terminal, and there are fewer lines than rows. */
export function watchLines(watched: Watched, { columns, rows }: Terminal): readonly Line[] {
  const room = Math.max(1, rows - 3);
  const lines =
    watched.is === 'live'
      ? liveLines(watched.live, { columns, rows: room + 1 })
      : stillLines(watched.text, watched.rest, room).map((line) => cut(trimmed(line), columns));
  return rows < 4 ? lines : [...lines, [], cut([span(footerOf(watched), 'dim')], columns)];
}

function stillLines(text: string, rest: string, room: number): readonly Line[] {
  const lines = text.split('\n').map((line) => [span(line)]);
  if (lines.length <= room) return lines;
  const more = count(lines.length - room + 1, 'more line');
  return [...lines.slice(0, room - 1), [span(`… and ${more}: ${rest}`, 'dim')]];
}

const footerOf = (watched: Watched): string =>
  watched.is === 'live'
    ? `Ctrl-C ends this view, not the run · ${watched.process}`
    : 'Ctrl-C ends this view · waiting for changes';

/** The view of an active run for `status`, and which tasks are at work. */
export function liveText(live: LiveFacts): string {
  const lines = liveLines(live, { columns: 120, rows: 40 }).map(textOf);
  return [...lines, ...atWorkLines(live)].join('\n');
}

function atWorkLines({ atWork, steps }: LiveFacts): readonly string[] {
  if (atWork.length === 0) return [];
  const running = steps.reduce((sum, step) => sum + step.running, 0);
  const named = atWork.map(({ task, forMs }) => textOf([span(`${task} (${duration(forMs)})`)]));
  const more = running - named.length;
  return ['', `Running: ${named.join(', ')}${more > 0 ? ` and ${count(more, 'more task')}` : ''}`];
}
