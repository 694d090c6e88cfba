// The view of a run as lines of a terminal: a bar, the items, the credits, a line for each step, and what happened last.
import { grouped } from '../../../contract/base/grouped.ts';
import { count, duration } from '../text.ts';
import type { Happening, LiveView, Stage } from './live-view.ts';
import { cut, type Line, lineWidth, type Span, span, type Tone, widthOf } from './spans.ts';
import { stepLines } from './step-lines.ts';
import { timeLeftText } from './time-left.ts';

export interface Terminal {
  readonly columns: number;
  readonly rows: number;
}

/** No line is wider than the terminal, and there are fewer lines than rows. */
export function liveLines(
  view: LiveView,
  { columns, rows }: Terminal,
  now: number,
): readonly Line[] {
  const room = Math.max(1, rows - 1);
  const head = [headLine(view, columns, now)];
  const planned = view.stage.is !== 'planning';
  const facts = planned
    ? [...stageLines(view.stage, now), itemsLine(view, now), creditsLine(view)]
    : [];
  const steps = planned ? stepLines(view.steps, columns) : [];
  const top = [...head, ...facts].slice(0, room);
  const shownSteps = fitting(steps, room - top.length);
  const left = room - top.length - shownSteps.length - 1;
  const last =
    left > 0 ? happenings(view, Math.min(left, columns >= 100 && rows >= 40 ? 10 : 4)) : [];
  const lines = [...top, ...shownSteps, ...(last.length > 0 ? [[], ...last] : [])];
  return lines.map((line) => cut(line, columns));
}

function headLine(view: LiveView, columns: number, now: number): Line {
  const name = span(view.pipeline, 'strong');
  const kind = view.rehearsal ? [span(' · rehearsal', 'dim')] : [];
  const { stage } = view;
  if (stage.is === 'planning') {
    const of =
      stage.of === 0 ? '' : `: looked at ${grouped(stage.seen)} of ${count(stage.of, 'item')}`;
    return [name, ...kind, span(`  planning${of}`), span(`  ${clock(now - view.began)}`, 'dim')];
  }
  const { done, failed, doubt, open, total } = view.items;
  const over = done + failed + doubt + open;
  const ms = view.timeLeft(now);
  const numbers = `  ${grouped(over).padStart(grouped(total).length)} of ${grouped(total)}`;
  const time = [
    span(`  ${clock(now - view.began)}`, 'dim'),
    ...(ms === undefined ? [] : [span(` · ${timeLeftText(ms)}`)]),
  ];
  const taken = lineWidth([name, ...kind, ...time]) + widthOf(numbers) + 2;
  const width = Math.min(60, columns - taken);
  const bar = width < 8 ? [] : [span('  '), ...barOf(view, width)];
  return [name, ...kind, ...bar, span(numbers), ...time];
}

/** Failures and doubts have a part of their own, at least one column wide. */
function barOf({ items, share }: LiveView, width: number): readonly Span[] {
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

function stageLines(stage: Stage, now: number): readonly Line[] {
  switch (stage.is) {
    case 'planning':
    case 'working':
      return [];
    case 'connecting':
      return [[span('  asking the service …', 'dim')]];
    case 'waiting':
      return [[span(`  waiting since ${clock(now - stage.since)}: ${stage.why}`, 'unsure')]];
    case 'stopping':
      return [[span(`  stopping: ${stage.why}`, 'unsure')]];
  }
}

const label = (text: string): Span => span(`  ${text.padEnd(labelWidth)}  `, 'dim');
const labelWidth = 7;

function itemsLine(view: LiveView, now: number): Line {
  const { done, failed, doubt, open } = view.items;
  const rate = view.rate(now);
  return [
    label('items'),
    span(`${grouped(done)} done`, done > 0 ? 'good' : 'plain'),
    ...(failed > 0 ? [span(` · ${grouped(failed)} failed`, 'bad')] : []),
    ...(doubt > 0 ? [span(` · ${grouped(doubt)} in doubt`, 'unsure')] : []),
    ...(open > 0 ? [span(` · ${grouped(open)} not finished`)] : []),
    ...(rate === undefined ? [] : [span(` · ${rateText(rate)}`, 'dim')]),
  ];
}

const rateText = (perMinute: number): string =>
  perMinute < 1
    ? `${Math.round(perMinute * 60)} an hour`
    : `${grouped(Math.round(perMinute))} a minute`;

function creditsLine({ charged, budget, planned }: LiveView): Line {
  const of = budget === undefined ? '' : ` of ${grouped(budget)}`;
  const most = planned === undefined ? '' : ` · at most ${grouped(planned)} by the plan`;
  return [label('credits'), span(`${grouped(charged)} charged${of}`), span(most, 'dim')];
}

function happenings(view: LiveView, room: number): readonly Line[] {
  const { troubles, done } = view;
  // What went well has at least a line, because it shows that the run goes on.
  const bad = troubles.slice(0, done.length > 0 ? Math.max(1, room - 1) : room);
  return [...bad, ...done.slice(0, room - bad.length)].map(happeningLine);
}

const signs = { done: ['✓', 'good'], failed: ['✗', 'bad'], doubt: ['?', 'unsure'] } as const;

function happeningLine({ what, name, why, credits = 0, tookMs }: Happening): Line {
  const [sign, tone] = signs[what];
  const told = [
    ...(why === undefined ? [] : [why]),
    ...(credits > 0 ? [count(credits, 'credit')] : []),
    ...(tookMs === undefined ? [] : [duration(tookMs)]),
  ];
  const words = what === 'done' ? '' : what === 'failed' ? 'failed: ' : 'in doubt: ';
  return [span(`  ${sign} `, tone), span(name), span(`  ${words}${told.join(', ')}`, 'dim')];
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
