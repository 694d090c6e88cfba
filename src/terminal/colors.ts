// Colors of a terminal. They repeat what a word or a sign says already.

import type { Summary } from '../core/run-event.ts';
import type { Tone } from '../views/live/spans.ts';
import { terminal } from './output.ts';

const sgr: Readonly<Record<Tone, string>> = {
  plain: '',
  strong: '\u001b[1m',
  dim: '\u001b[2m',
  good: '\u001b[32m',
  bad: '\u001b[31m',
  unsure: '\u001b[33m',
  busy: '\u001b[36m',
};
const reset = '\u001b[0m';

/** `text` has been made safe for a terminal. */
export const painted = (text: string, tone: Tone): string =>
  tone === 'plain' ? text : `${sgr[tone]}${text}${reset}`;

export const hasColor = (): boolean =>
  terminal.size() !== undefined &&
  (process.env['NO_COLOR'] ?? '') === '' &&
  process.env['TERM'] !== 'dumb';

/** Colors one line that has been made safe; the number counts lines from 0. */
export type Paint = (line: string, number: number) => string;

const signs: Readonly<Record<string, Tone>> = {
  '+': 'good',
  '↑': 'busy',
  '↓': 'busy',
  '-': 'bad',
  '=': 'dim',
  '·': 'dim',
  '~': 'unsure',
  '!': 'unsure',
  '✗': 'bad',
};

/** The signs of the table of a plan. */
export const planPaint: Paint = (line) =>
  line.replace(
    /^ {2}([+↑↓=·~!✗-])(?= {2})/,
    (_, sign: string) => `  ${painted(sign, signs[sign] ?? 'plain')}`,
  );

const outcomes: Readonly<Record<Summary['outcome'], Tone>> = {
  done: 'good',
  failed: 'bad',
  unauthorized: 'bad',
  doubt: 'unsure',
  budget: 'unsure',
  waiting: 'unsure',
  interrupted: 'unsure',
};

/** The first line of a summary, and the first words of its problems. */
export const summaryPaint =
  ({ outcome }: Summary): Paint =>
  (line, number) =>
    number === 0
      ? painted(line, outcomes[outcome])
      : line.replace(
          /^ {2}(failed|IN DOUBT|blocked)\b/,
          (_, word: string) => `  ${painted(word, word === 'failed' ? 'bad' : 'unsure')}`,
        );
