// Every due time is decided once: the last one that came is run, and in a run none.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schedule } from '../../src/language/pipeline.ts';
import { dueTimes } from '../../src/language/schedule.ts';
import type { RunLine } from '../../src/model/record/line.ts';
import { type DueState, decideDue, dueStateOf, nextDue } from '../../src/triggers/schedule/due.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-03-27T12:00:00Z');

const allDue = (schedule: Schedule, after: number, until: number): readonly number[] => {
  const found: number[] = [];
  for (const due of dueTimes(schedule, after)) {
    if (due > until) break;
    found.push(due);
  }
  return found;
};

const schedules = fc.record({
  cron: fc.constantFrom(
    ['0 7 * * *'],
    ['30 2 * * *'],
    ['15 1,2 * * *'],
    ['0 * * * *', '0 7 * * *'],
  ),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
});
/** Looks after so many minutes; `running`: at the end of a run. */
const looks = fc.array(
  fc.record({ minutes: fc.integer({ min: 1, max: 4000 }), running: fc.boolean() }),
  { maxLength: 12 },
);

test('each look decides about the due times since the last one, and about no other', () => {
  fc.assert(
    fc.property(schedules, looks, (schedule, steps) => {
      let state: DueState = { decidedUntil: start, queue: [] };
      let now = start;
      for (const { minutes, running } of steps) {
        const before = now;
        now += minutes * minute;
        const due = allDue(schedule, before, now);
        const decision = decideDue(schedule, state, { now, running });
        const expected = running ? undefined : due.at(-1);
        expect(decision.queued).toBe(expected);
        expect(decision.leftOut?.due).toBe(due[0] === expected ? undefined : due[0]);
        expect(decision.state.queue).toEqual(
          expected === undefined ? state.queue : [...state.queue, expected],
        );
        state = decision.state;
      }
    }),
  );
});

test('the last of a year of minutes is found without listing them', () => {
  const schedule = { cron: ['* * * * *'], timeZone: 'UTC' };
  const now = start + 365 * day + 1;
  const before = { decidedUntil: start, queue: [] };
  expect(decideDue(schedule, before, { now, running: false }).queued).toBe(start + 365 * day);
});

test('a clock that was set back repeats what is due again, and the state file knows what ran', () => {
  const schedule = { cron: ['0 7 * * *'], timeZone: 'UTC' };
  const ahead = { decidedUntil: start + 10 * day, queue: [] };
  const back = decideDue(schedule, ahead, { now: start, running: false });
  expect(back.queued).toBeUndefined();
  const due = nextDue(schedule, start) ?? Number.NaN;
  const later = decideDue(schedule, back.state, { now: due, running: false });
  expect(later.queued).toBe(due);
});

describe('at a start', () => {
  const line = (run: number, due: number | undefined, ended = true): RunLine => ({
    ...{ run: `${run}`, at: new Date(start).toISOString() },
    ...(due === undefined ? {} : { due: new Date(due).toISOString() }),
    ...(ended ? { ended: new Date(start + hour).toISOString() } : {}),
  });

  test('without any run with a due time, schedule counts from its first start', () => {
    expect(dueStateOf([line(1, undefined)], undefined, start, start)).toEqual({
      ...{ decidedUntil: start, queue: [] },
    });
  });

  test('the last due time in the state file counts, wherever it ran', () => {
    const runs = [line(1, start + day), line(2, undefined)];
    expect(dueStateOf(runs, undefined, start + 5 * day, start + 5 * day).decidedUntil).toBe(
      start + day,
    );
    const remembered = { decidedUntil: start, queue: [] };
    expect(dueStateOf(runs, remembered, start + 5 * day, start + 5 * day).decidedUntil).toBe(
      start + day,
    );
  });

  test('what a clock that was ahead has decided does not count', () => {
    const runs = [line(1, start), line(2, start + 3 * day)];
    const remembered = { decidedUntil: start + 3 * day, queue: [start + 2 * day] };
    expect(dueStateOf(runs, remembered, start - hour, start + hour)).toEqual({
      ...{ decidedUntil: start, queue: [] },
    });
  });

  test('an interrupted run comes first, and what ended meanwhile no longer waits', () => {
    const remembered = {
      decidedUntil: start + 4 * day,
      queue: [start + 2 * day, start + 3 * day, start + 4 * day],
    };
    const runs = [line(1, start + 2 * day), line(2, start + 3 * day, false)];
    expect(dueStateOf(runs, remembered, start, start + 4 * day)).toEqual({
      decidedUntil: start + 4 * day,
      queue: [start + 3 * day, start + 4 * day],
    });
  });
});
