// Every due time is decided once, and as catch_up and overlap say.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schedule } from '../../src/language/pipeline.ts';
import { dueTimes } from '../../src/language/schedule.ts';
import type { RunLine } from '../../src/model/line.ts';
import {
  type DueState,
  decideDue,
  dueStateOf,
  nextDue,
  onTimeMs,
} from '../../src/triggers/schedule/due.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-03-27T12:00:00Z');

const scheduleOf = (changes: Partial<Schedule> = {}): Schedule => ({
  ...{ cron: ['0 7 * * *'], timeZone: 'Europe/Berlin', jitterMs: 0 },
  ...{ catchUp: 'last', overlap: 'skip', ...changes },
});

const allDue = (schedule: Schedule, after: number, until: number): readonly number[] => {
  const found: number[] = [];
  for (const due of dueTimes(schedule, after)) {
    if (due > until) break;
    found.push(due);
  }
  return found;
};

const noChance = (): number => {
  throw new Error('no jitter, no chance');
};

const schedules = fc.record({
  cron: fc.constantFrom(
    ['0 7 * * *'],
    ['30 2 * * *'],
    ['15 1,2 * * *'],
    ['0 * * * *', '0 7 * * *'],
  ),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
  jitterMs: fc.constant(0),
  catchUp: fc.constantFrom('none' as const, 'last' as const, 'all' as const),
  overlap: fc.constantFrom('skip' as const, 'queue' as const),
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
        const decision = decideDue(schedule, state, { now, running, chance: noChance });
        const queued = decision.queued.map((one) => one.due);
        const last = due.slice(-1);
        const expected = running
          ? { skip: [], queue: due }[schedule.overlap]
          : {
              none: last.filter((one) => now - one <= onTimeMs),
              last,
              all: due,
            }[schedule.catchUp];
        expect(queued).toEqual(expected);
        expect(decision.leftOut?.due).toBe(due[0] === expected[0] ? undefined : due[0]);
        expect(decision.state.queue.map((one) => one.due)).toEqual([
          ...state.queue.map((one) => one.due),
          ...expected,
        ]);
        state = decision.state;
      }
    }),
  );
});

test('a long time without schedule is made up for in parts, and nothing is left out', () => {
  const schedule = scheduleOf({ cron: ['* * * * *'], timeZone: 'UTC', catchUp: 'all' });
  let state: DueState = { decidedUntil: start, queue: [] };
  const now = start + 3 * day;
  const queued: number[] = [];
  for (;;) {
    const decision = decideDue(schedule, state, { now, running: false, chance: noChance });
    if (decision.queued.length === 0) break;
    expect(decision.queued.length).toBeLessThanOrEqual(1000);
    queued.push(...decision.queued.map(({ due }) => due));
    state = { ...decision.state, queue: [] };
  }
  expect(queued).toEqual(allDue(schedule, start, now));
});

test('the last of a year of minutes is found without listing them', () => {
  const schedule = scheduleOf({ cron: ['* * * * *'], timeZone: 'UTC' });
  const now = start + 365 * day + 1;
  const before = { decidedUntil: start, queue: [] };
  const { queued } = decideDue(schedule, before, { now, running: false, chance: noChance });
  expect(queued).toEqual([{ due: start + 365 * day, start: start + 365 * day }]);
});

describe('jitter', () => {
  const at = (jitterMs: number, chance: number, cron = '0 * * * *') => {
    const schedule = scheduleOf({ cron: [cron], jitterMs, timeZone: 'UTC' });
    const before = { decidedUntil: start, queue: [] };
    const now = start + hour;
    const { queued } = decideDue(schedule, before, { now, running: false, chance: () => chance });
    return queued.map((one) => one.start - one.due);
  };

  test('is a share of the time that the schedule allows', () => {
    expect(at(10 * minute, 0.5)).toEqual([5 * minute]);
    expect(at(10 * minute, 0)).toEqual([0]);
  });

  test('ends before the next due time', () => {
    expect(at(5 * hour, 0.999999)[0]).toBeLessThan(hour);
    expect(at(5 * hour, 0.5)).toEqual([30 * minute]);
  });
});

test('a clock that was set back repeats what is due again, and the state file knows what ran', () => {
  const schedule = scheduleOf({ timeZone: 'UTC' });
  const ahead = { decidedUntil: start + 10 * day, queue: [] };
  const back = decideDue(schedule, ahead, { now: start, running: false, chance: noChance });
  expect(back.queued).toEqual([]);
  const due = nextDue(schedule, start) ?? Number.NaN;
  const later = decideDue(schedule, back.state, { now: due, running: false, chance: noChance });
  expect(later.queued.map((one) => one.due)).toEqual([due]);
});

describe('at a start', () => {
  const line = (run: number, due: number | undefined, ended = true): RunLine => ({
    ...{ run, at: new Date(start).toISOString(), charged: 0, refunded: 0 },
    ...(due === undefined ? {} : { due: new Date(due).toISOString() }),
    ...(ended ? { ended: new Date(start + hour).toISOString() } : {}),
  });

  test('without any run with a due time, schedule counts from its first start', () => {
    expect(dueStateOf([line(1, undefined)], undefined, start)).toEqual({
      ...{ decidedUntil: start, queue: [] },
    });
  });

  test('the last due time in the state file counts, wherever it ran', () => {
    const runs = [line(1, start + day), line(2, undefined)];
    expect(dueStateOf(runs, undefined, start + 5 * day).decidedUntil).toBe(start + day);
    const remembered = { decidedUntil: start, queue: [] };
    expect(dueStateOf(runs, remembered, start + 5 * day).decidedUntil).toBe(start + day);
  });

  test('an interrupted run comes first, and what ended meanwhile no longer waits', () => {
    const queued = (due: number) => ({ due, start: due });
    const remembered = {
      decidedUntil: start + 4 * day,
      queue: [queued(start + 2 * day), queued(start + 3 * day), queued(start + 4 * day)],
    };
    const runs = [line(1, start + 2 * day), line(2, start + 3 * day, false)];
    expect(dueStateOf(runs, remembered, start)).toEqual({
      decidedUntil: start + 4 * day,
      queue: [queued(start + 3 * day), queued(start + 4 * day)],
    });
  });
});
