// A line for each step: how many of its tasks are done, at work, queued, failed and in doubt. The numbers stand below each
// other.
import { grouped } from '../../../contract/base/grouped.ts';
import type { StepFacts } from './live-facts.ts';
import { type Line, span, type Tone, widthOf } from './spans.ts';

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
const wide = 100;
const longestName = 24;
/** The width of `credits`. */
const shortestName = 7;

/** The width of the first column. */
export const nameWidth = (steps: readonly StepFacts[]): number =>
  Math.min(longestName, Math.max(shortestName, ...steps.map(({ step }) => widthOf(step))));

export function stepLines(steps: readonly StepFacts[], width: number): readonly Line[] {
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
      const room = digits + 2 + (width >= wide ? word.length + 1 : 0);
      if (n === 0) return span(' '.repeat(room + 3));
      const text = `${sign} ${grouped(n).padStart(digits)}${width >= wide ? ` ${word}` : ''}`;
      return span(`${text.padEnd(room)}   `, tone);
    }),
  ]);
}

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));
