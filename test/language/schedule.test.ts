import { describe, expect, test } from 'vitest';
import type { Schedule } from '../../src/language/pipeline.ts';
import { dayIn, dueTimes, isoIn, runValues } from '../../src/language/schedule.ts';
import { validate } from '../../src/language/validate.ts';

/** The first due times after a moment, as ISO texts. */
function firstDue(
  cron: string | readonly string[],
  timeZone: string,
  after: string,
  count: number,
) {
  const list = typeof cron === 'string' ? [cron] : cron;
  const found: string[] = [];
  for (const time of dueTimes({ cron: list, timeZone }, Date.parse(after))) {
    found.push(new Date(time).toISOString().slice(0, 16));
    if (found.length === count) break;
  }
  return found;
}

describe('the due times of a schedule', () => {
  test('follow the time zone', () => {
    expect(firstDue('0 7 * * *', 'Europe/Berlin', '2026-01-01T12:00:00Z', 2)).toEqual([
      '2026-01-02T06:00',
      '2026-01-03T06:00',
    ]);
    expect(firstDue('0 7 * * *', 'Europe/Berlin', '2026-07-01T12:00:00Z', 1)).toEqual([
      '2026-07-02T05:00',
    ]);
  });

  test('come after the moment, never at it', () => {
    expect(firstDue('0 7 * * *', 'UTC', '2026-01-01T07:00:00Z', 1)).toEqual(['2026-01-02T07:00']);
  });

  test('in a missing hour are due when the clocks have moved', () => {
    expect(firstDue('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  test('in a doubled hour are due once', () => {
    expect(firstDue('30 1 * * *', 'America/New_York', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ]);
  });

  test('of several expressions are one ascending list without doubles', () => {
    expect(
      firstDue(['0 7 * * *', '0 */12 * * *', '0 7 1 * *'], 'UTC', '2026-01-01T00:00:00Z', 4),
    ).toEqual(['2026-01-01T07:00', '2026-01-01T12:00', '2026-01-02T00:00', '2026-01-02T07:00']);
  });
});

test('a day begins at midnight of its time zone', () => {
  const moment = Date.parse('2026-06-01T23:30:00Z');
  expect(dayIn('UTC', moment)).toBe('2026-06-01');
  expect(dayIn('Europe/Berlin', moment)).toBe('2026-06-02');
});

describe('schedule:', () => {
  const errorsOf = (schedule: string): readonly string[] => {
    const text = `pipeline: p\nschedule: ${schedule}\nsteps: { a: { uses: text-to-video, keep: remote, with: { model: ltx-2.3, resolution: 480p, end_seconds: 3, style: { prompt: x } } } }\n`;
    const checked = validate('p.yaml', text);
    return checked.ok
      ? []
      : checked.error.map(({ message, span }) => `${span?.line}:${span?.column} ${message}`);
  };

  test.each([
    ['{ cron: "0 7 * * *" }', []],
    ['{ cron: ["0 7 * * 1-5", "@weekly"], time_zone: Asia/Kolkata }', []],
    ['{ cron: "0 7 * *" }', ['2:19 a cron expression has five fields, and "0 7 * *" has 4']],
    ['{ cron: "0 0 31 2 *" }', ['2:19 "0 0 31 2 *" is never due']],
    [
      String.raw`{ cron: "0 7 *\n* *" }`,
      [String.raw`2:19 a cron expression is one line, and "0 7 *\n* *" has more`],
    ],
    [
      '{ cron: ["0 7 * * *", "99 * * * *"] }',
      ['2:33 "99 * * * *" is not a cron expression: Invalid value for minute: 99'],
    ],
    ['{ cron: "0 7 * * *", time_zone: Mars/X }', ['2:43 "Mars/X" is not a time zone']],
  ])('%s has the errors %j', (schedule, errors) => {
    expect(errorsOf(schedule)).toEqual(errors);
  });
});

test('a moment is written as the clocks of its time zone show it', () => {
  const moment = Date.parse('2026-11-22T23:30:00Z');
  expect(isoIn('UTC', moment)).toBe('2026-11-22T23:30:00+00:00');
  expect(isoIn('Europe/Berlin', moment)).toBe('2026-11-23T00:30:00+01:00');
  expect(isoIn('Asia/Kolkata', moment)).toBe('2026-11-23T05:00:00+05:30');
  expect(Date.parse(isoIn('America/New_York', moment))).toBe(moment);
});

describe('run in expressions', () => {
  const schedule: Schedule = { cron: ['30 0 * * *'], timeZone: 'Europe/Berlin' };
  const now = Date.parse('2026-11-24T10:00:00Z');

  test('follows the due time, however late the run starts', () => {
    const due = Date.parse('2026-11-22T23:30:00Z');
    expect(runValues(schedule, { due, now })).toEqual({
      date: '2026-11-23',
      due: '2026-11-23T00:30:00+01:00',
    });
  });

  test('follows the clock without a due time, in UTC without a schedule', () => {
    const late = Date.parse('2026-11-22T23:30:00Z');
    const run = { due: undefined, now: late };
    expect(runValues(schedule, run)).toEqual({ date: '2026-11-23', due: '' });
    expect(runValues(undefined, run)).toEqual({ date: '2026-11-22', due: '' });
  });
});
