// The view of a run as lines of a terminal: a bar, the items, the credits, a line for each step, and what happened last.
import { count, duration, grouped } from '../../base/text.ts';
import { moneyText } from '../credits-text.ts';
import type { LiveFacts, StepFacts } from './live-facts.ts';
import {
  cut,
  type Line,
  lineWidth,
  type Span,
  span,
  type Tone,
  textOf,
  trimmed,
  widthOf,
} from './spans.ts';
import { timeLeftText } from './time-left.ts';

export interface Terminal {
  readonly columns: number;
  readonly rows: number;
}

/** No line is wider than the terminal, and there are fewer lines than rows. */
export function liveLines(view: LiveFacts, { columns, rows }: Terminal): readonly Line[] {
  const room = Math.max(1, rows - 1);
  const names = nameWidth(view.steps);
  const facts = [timeLine(view, names), itemsLine(view, names), creditsLine(view, names)];
  const isPlanned = view.stage.is !== 'planning';
  const all = [headLine(view, columns), ...troubleLines(view.stage)];
  const top = isPlanned ? [...all, ...facts].slice(0, room) : [planningLine(view)];
  const steps = fitting(isPlanned ? stepLines(view.steps, columns) : [], room - top.length);
  const left = room - top.length - steps.length - 1;
  const last = left > 0 ? happenings(view, Math.min(left, rows >= 40 ? 10 : 4)) : [];
  const lines = [...top, ...steps, ...(last.length > 0 ? [[], ...last] : [])];
  return lines.map((line) => cut(trimmed(line), columns));
}

const titleOf = ({ pipeline, rehearsal }: LiveFacts): Line => [
  span(pipeline, 'strong'),
  ...(rehearsal ? [span(' · rehearsal', 'dim')] : []),
];

function planningLine(view: LiveFacts): Line {
  const { stage, elapsedMs } = view;
  const seen =
    stage.is === 'planning' && stage.of > 0
      ? `: looked at ${grouped(stage.seen)} of ${count(stage.of, 'item')}`
      : '';
  return [...titleOf(view), span(`  planning${seen}  `), span(clock(elapsedMs), 'dim')];
}

function headLine(view: LiveFacts, columns: number): Line {
  const title = titleOf(view);
  const { total } = view.items;
  const over = grouped(overOf(view.items)).padStart(grouped(total).length);
  const numbers = span(`  ${over} of ${grouped(total)}`);
  const width = Math.min(60, columns - lineWidth([...title, numbers]) - 2);
  return [...title, ...(width < 8 ? [] : [span('  '), ...barOf(view, width)]), numbers];
}

const overOf = ({ done, skipped, failed, doubt, open }: LiveFacts['items']): number =>
  done + skipped + failed + doubt + open;

/** Failures and doubts have a part of their own, at least one column wide. */
function barOf({ items, share }: LiveFacts, width: number): readonly Span[] {
  const { failed, doubt, total } = items;
  const full = Math.min(width, Math.floor(share * width));
  const part = (n: number): number => (n === 0 ? 0 : Math.max(1, Math.floor((n / total) * width)));
  const bad = Math.min(part(failed), full);
  const unsure = Math.min(part(doubt), full - bad);
  const pieces: readonly (readonly [string, number, Tone])[] = [
    ['━', full - bad - unsure, 'good'],
    ['━', bad, 'bad'],
    ['━', unsure, 'unsure'],
    ['─', width - full, 'dim'],
  ];
  return pieces.filter(([, n]) => n > 0).map(([sign, n, tone]) => span(sign.repeat(n), tone));
}

/** What keeps the whole run from going on. */
function troubleLines(stage: LiveFacts['stage']): readonly Line[] {
  if (stage.is === 'waiting')
    return [[span(`  waiting for ${clock(stage.forMs)}: ${stage.why}`, 'unsure')]];
  return stage.is === 'stopping' ? [[span(`  stopping: ${stage.why}`, 'unsure')]] : [];
}

const label = (text: string, width: number): Span => span(`  ${text.padEnd(width)}  `, 'dim');

function timeLine(view: LiveFacts, names: number): Line {
  const { stage, rehearsal, elapsedMs, timeLeftMs: ms, itemsPerMinute: rate } = view;
  const connecting = rehearsal ? 'starting the local service' : 'asking the service';
  return [
    label('time', names),
    span(clock(elapsedMs)),
    ...(stage.is === 'connecting' ? [span(` · ${connecting} …`)] : []),
    ...(ms === undefined ? [] : [span(` · ${timeLeftText(ms)}`)]),
    ...(rate === undefined ? [] : [span(` · ${rateText(rate)}`, 'dim')]),
  ];
}

function itemsLine({ items }: LiveFacts, names: number): Line {
  const { done, skipped, failed, doubt, open } = items;
  return [
    label('items', names),
    span(`${grouped(done)} done`, done > 0 ? 'good' : 'plain'),
    ...(skipped > 0 ? [span(` · ${grouped(skipped)} skipped`)] : []),
    ...(failed > 0 ? [span(` · ${grouped(failed)} failed`, 'bad')] : []),
    ...(doubt > 0 ? [span(` · ${grouped(doubt)} in doubt`, 'unsure')] : []),
    ...(open > 0 ? [span(` · ${grouped(open)} not finished`)] : []),
  ];
}

const rateText = (perMinute: number): string =>
  perMinute < 1
    ? `${count(Math.round(perMinute * 60), 'item')} an hour`
    : `${count(Math.round(perMinute), 'item')} a minute`;

function creditsLine({ charged, budget, planned, creditDollars }: LiveFacts, names: number): Line {
  const of = budget === undefined ? '' : ` of ${grouped(budget)}`;
  const money =
    creditDollars === undefined || charged === 0 ? '' : ` · ${moneyText(charged, creditDollars)}`;
  const most = planned === undefined ? '' : ` · at most ${grouped(planned)} by the plan`;
  return [
    label('credits', names),
    span(`${grouped(charged)} charged${of}${money}`),
    span(most, 'dim'),
  ];
}

function happenings(view: LiveFacts, room: number): readonly Line[] {
  const { troubles, done } = view;
  const late = view.atWork.filter((task) => task.late === true).slice(0, room > 2 ? 1 : 0);
  const rest = room - late.length;
  // What went well has at least a line, because it shows that the run goes on.
  const bad = troubles.slice(0, done.length > 0 ? Math.max(1, rest - 1) : rest);
  const last = [...bad, ...done.slice(0, rest - bad.length)].map(happeningLine);
  return [...late.map(lateLine), ...last];
}

const lateLine = ({ task, forMs }: LiveFacts['atWork'][number]): Line => [
  span('  ● ', 'unsure'),
  span(task),
  span(`  at work for ${clock(forMs)}, several times as long as usual`, 'dim'),
];

const signs = { done: ['✓', 'good'], failed: ['✗', 'bad'], doubt: ['?', 'unsure'] } as const;

function happeningLine({ what, name, why, credits = 0, tookMs }: LiveFacts['done'][number]): Line {
  const [sign, tone] = signs[what];
  const facts = [
    ...(why === undefined ? [] : [why]),
    ...(credits > 0 ? [count(credits, 'credit')] : []),
    ...(tookMs === undefined ? [] : [duration(tookMs)]),
  ];
  const words = what === 'done' ? '' : what === 'failed' ? 'failed: ' : 'in doubt: ';
  return [span(`  ${sign} `, tone), span(name), span(`  ${words}${facts.join(', ')}`, 'dim')];
}

/** The first lines, and how many more there are. */
function fitting(lines: readonly Line[], room: number): readonly Line[] {
  if (lines.length <= room) return lines;
  if (room <= 0) return [];
  const more = lines.length - room + 1;
  return [...lines.slice(0, room - 1), [span(`  … and ${count(more, 'more step')}`, 'dim')]];
}

/** `0:07`, `12:40`, `1:02:03`. */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, '0');
  const [h, m] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return h > 0 ? `${h}:${two(m)}:${two(seconds % 60)}` : `${m}:${two(seconds % 60)}`;
}

// A line for each step: how many of its tasks are done, at work, queued, failed and in doubt. The numbers stand below each
// other.

interface Column {
  readonly sign: string;
  readonly word: string;
  readonly tone: Tone;
  readonly is: Exclude<keyof StepFacts, 'step'>;
}

const columns: readonly Column[] = [
  { sign: '✓', word: 'done', tone: 'good', is: 'done' },
  { sign: '●', word: 'running', tone: 'busy', is: 'running' },
  { sign: '○', word: 'queued', tone: 'dim', is: 'queued' },
  { sign: '✗', word: 'failed', tone: 'bad', is: 'failed' },
  { sign: '?', word: 'in doubt', tone: 'unsure', is: 'doubt' },
  { sign: '–', word: 'not run', tone: 'dim', is: 'notRun' },
];

/** From this width on, each number has its word. */
const minColumnsWithWords = 100;
const maxNameColumns = 24;
/** The width of `credits`. */
const minNameColumns = 7;

/** The width of the first column. */
const nameWidth = (steps: readonly StepFacts[]): number =>
  Math.min(maxNameColumns, Math.max(minNameColumns, ...steps.map(({ step }) => widthOf(step))));

function stepLines(steps: readonly StepFacts[], width: number): readonly Line[] {
  const names = nameWidth(steps);
  const shown = columns
    .filter(({ is }) => is === 'done' || steps.some((step) => step[is] > 0))
    .map((column) => ({
      ...column,
      digits: Math.max(...steps.map((step) => grouped(step[column.is]).length)),
    }));
  return steps.map((step) => [
    span(`  ${padded(step.step, names)}  `),
    ...shown.map(({ sign, word, tone, is, digits }) => {
      const n = step[is];
      const room = digits + 2 + (width >= minColumnsWithWords ? word.length + 1 : 0);
      if (n === 0) return span(' '.repeat(room + 3));
      const text = `${sign} ${grouped(n).padStart(digits)}${width >= minColumnsWithWords ? ` ${word}` : ''}`;
      return span(`${text.padEnd(room)}   `, tone);
    }),
  ]);
}

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));

// The progress of a run as one line, for logs and pipes.

/** Undefined before the plan. */
export function progressText(view: LiveFacts): string | undefined {
  const { stage, items, charged, budget } = view;
  if (stage.is === 'planning')
    return stage.of === 0
      ? undefined
      : `  planning: looked at ${grouped(stage.seen)} of ${count(stage.of, 'item')}`;
  const { failed, doubt, total } = items;
  const running = view.steps.reduce((sum, step) => sum + step.running, 0);
  const left = view.timeLeftMs;
  const parts = [
    `${grouped(overOf(items))} of ${count(total, 'item')}`,
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(doubt > 0 ? [`${grouped(doubt)} in doubt`] : []),
    ...(running > 0 ? [`${count(running, 'task')} running`] : []),
    `${grouped(charged)}${budget === undefined ? '' : ` of ${grouped(budget)}`} credits charged`,
    ...(left === undefined ? [] : [timeLeftText(left)]),
  ];
  return `  ${parts.join(' · ')}`;
}

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
