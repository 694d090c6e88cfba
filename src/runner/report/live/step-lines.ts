// A line for each step: how many of its tasks are done, at work, queued, failed and in doubt. The numbers stand below each
// other.
import { grouped } from '../../../contract/base/grouped.ts';
import { type Line, span, type Tone, widthOf } from './spans.ts';
import type { StepProgress } from './step-progress.ts';

interface Column {
  readonly sign: string;
  readonly word: string;
  readonly tone: Tone;
  readonly of: (step: StepProgress) => number;
}

const columns: readonly Column[] = [
  {
    ...{ sign: '✓', word: 'done', tone: 'good' },
    of: (step) => step.of('done') + step.of('reused'),
  },
  { sign: '●', word: 'running', tone: 'busy', of: ({ running }) => running },
  { sign: '○', word: 'queued', tone: 'dim', of: ({ queued }) => queued },
  { sign: '✗', word: 'failed', tone: 'bad', of: (step) => step.of('failed') },
  { sign: '?', word: 'in doubt', tone: 'unsure', of: (step) => step.of('doubt') },
  {
    ...{ sign: '–', word: 'not run', tone: 'dim' },
    of: (step) =>
      (['skipped', 'excluded', 'blocked', 'pending', 'rendering', 'later'] as const).reduce(
        (sum, ending) => sum + step.of(ending),
        0,
      ),
  },
];

/** From this width on, each number has its word. */
const wide = 100;
const longestName = 24;
/** The width of `credits`. */
const shortestName = 7;

/** The width of the first column. */
export const nameWidth = (steps: readonly StepProgress[]): number =>
  Math.min(longestName, Math.max(shortestName, ...steps.map(({ step }) => widthOf(step))));

export function stepLines(steps: readonly StepProgress[], width: number): readonly Line[] {
  const names = nameWidth(steps);
  const shown = columns
    .filter(({ of, word }) => word === 'done' || steps.some((step) => of(step) > 0))
    .map((column) => ({
      ...column,
      digits: Math.max(...steps.map((step) => grouped(column.of(step)).length)),
    }));
  return steps.map((step) => [
    span(`  ${padded(step.step, names)}  `),
    ...shown.map(({ sign, word, tone, of, digits }) => {
      const n = of(step);
      const room = digits + 2 + (width >= wide ? word.length + 1 : 0);
      if (n === 0) return span(' '.repeat(room + 3));
      const text = `${sign} ${grouped(n).padStart(digits)}${width >= wide ? ` ${word}` : ''}`;
      return span(`${text.padEnd(room)}   `, tone);
    }),
  ]);
}

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)));
