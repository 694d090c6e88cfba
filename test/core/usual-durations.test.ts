// How long projects usually take, by a state file.
import { expect, test } from 'vitest';
import { usualDurations } from '../../src/core/durations.ts';
import type { Job } from '../../src/model/record/line.ts';
import { job } from '../model/lines.ts';

const day = 86_400_000;
const start = Date.parse('2026-11-20T10:00:00Z');
const time = (ms: number): string => new Date(ms).toISOString();

/** A project that was created some minutes after the start, and took some seconds. */
const project = (minute: number, seconds: number, kind = 'face-swap-photo'): Job => {
  const created = start + minute * 60_000;
  const complete = created + seconds * 1000;
  return {
    ...{ job: job(`${kind} ${minute}`), kind, tasks: ['swap:a'], outputs: [] },
    attempts: [
      {
        ...{ name: 'a #1', run: 'r', at: time(created), state: 'complete', reserve: 10 },
        charge: { credits: 10, read: time(complete + 5000) },
        result: { created_at: time(created), expires: time(complete + day) },
      },
    ],
  };
};

test('the median of the projects counts, for each tool with at least three', () => {
  const jobs = [project(0, 4), project(1, 90), project(2, 6), project(3, 5, 'ai-gif-generator')];
  expect(usualDurations(jobs)).toEqual({ 'face-swap-photo': 6000 });
});

test('only the newest hundred count, in whatever order they are', () => {
  const old = Array.from({ length: 300 }, (_, i) => project(i, 60));
  const recent = Array.from({ length: 100 }, (_, i) => project(1000 + i, 7));
  for (const jobs of [
    [...old, ...recent],
    [...recent, ...old],
  ])
    expect(usualDurations(jobs)).toEqual({ 'face-swap-photo': 7000 });
});

test('a job whose line does not tell when it was complete does not count', () => {
  const whole = project(0, 4);
  const attempts = whole.attempts.map((one) => ({ ...one, result: { downloads: 1 } }));
  const gone = { ...whole, attempts };
  expect(usualDurations([gone, gone, gone])).toEqual({});
});
