// Numbers, times and states in words.
import type { ItemState, TaskState } from '../page/report-data.ts';

export const stateWords: Readonly<
  Record<TaskState, { readonly word: string; readonly glyph: string }>
> = {
  done: { word: 'done', glyph: '✓' },
  failed: { word: 'failed', glyph: '✗' },
  doubt: { word: 'in doubt', glyph: '?' },
  running: { word: 'running', glyph: '●' },
  waiting: { word: 'waiting', glyph: '○' },
  blocked: { word: 'blocked', glyph: '⊘' },
  skipped: { word: 'skipped', glyph: '–' },
  excluded: { word: 'left out', glyph: '–' },
};

export const taskStates: readonly TaskState[] = [
  'done',
  'failed',
  'doubt',
  'running',
  'blocked',
  'waiting',
  'skipped',
  'excluded',
];

/** In the order in which they need a person. */
export const itemStates: readonly ItemState[] = [
  'done',
  'failed',
  'doubt',
  'running',
  'blocked',
  'waiting',
  'skipped',
];

export const whole = (n: number): string => n.toLocaleString('en-US');

export const count = (n: number, noun: string): string =>
  `${whole(n)} ${noun}${n === 1 ? '' : 's'}`;

export const decimals = (n: number): string =>
  n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 2 : n < 100 ? 1 : 0 });

export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let [amount, unit] = [bytes, 0];
  while (amount >= 999.5 && unit < units.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  return `${unit === 0 || amount >= 9.95 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

const dayAndTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const exactTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

export const shortTime = (at: string | number): string => formatted(dayAndTime, at);
export const longTime = (at: string | number): string => formatted(exactTime, at);

function formatted(format: Intl.DateTimeFormat, at: string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : format.format(date);
}
