// The summary of a run: how tasks and items are counted, what is listed, and what the outcome is.
import { describe, expect, test } from 'vitest';
import type { TaskEnding } from '../../src/run/run-event.ts';
import type { Stopped } from '../../src/run/stop.ts';
import { SummaryBuilder } from '../../src/run/summary-builder.ts';

const none: Stopped = {
  ...{ interrupted: false, unauthorized: false, money: false, machine: false, outage: false },
  ...{ left: false, why: undefined, by: undefined, limit: undefined, until: undefined },
};
const zero = {
  ...{ done: 0, reused: 0, skipped: 0, excluded: 0 },
  ...{ failed: 0, doubt: 0, pending: 0, blocked: 0, rendering: 0, later: 0 },
};
const rest = {
  ...{ items: 5, elapsedMs: 1 },
  credits: { charged: 0, refunded: 0, reserved: 0 },
};

const told = (
  ending: TaskEnding,
  more: { why?: string; advice?: string; before?: TaskEnding } = {},
) => ({
  ...{ ending, why: more.why ?? 'so', advice: more.advice, before: more.before },
});

describe('the outcome', () => {
  test.each<readonly [string, Partial<Stopped>, readonly TaskEnding[], string]>([
    ['done', {}, ['done', 'reused', 'skipped', 'excluded'], 'done'],
    ['failed by a task', {}, ['done', 'failed'], 'failed'],
    ['failed by a task that is left to the next run', {}, ['pending'], 'failed'],
    ['failed by a task that is blocked', {}, ['blocked'], 'failed'],
    ['in doubt', {}, ['failed', 'doubt'], 'doubt'],
    ['out of money', { money: true }, ['pending'], 'budget'],
    ['out of money although nothing is left', { money: true }, [], 'budget'],
    [
      'failed by this machine before it is a question of money',
      { machine: true, money: true },
      [],
      'failed',
    ],
    [
      'failed by an outage before it is a question of money',
      { outage: true, money: true },
      [],
      'failed',
    ],
    ['in doubt before the machine counts', { machine: true }, ['doubt'], 'doubt'],
    [
      'interrupted before all else',
      { interrupted: true, unauthorized: true },
      ['doubt'],
      'interrupted',
    ],
    ['unauthorized before a doubt', { unauthorized: true }, ['doubt'], 'unauthorized'],
  ])('is %s', (_, stopped, endings, outcome) => {
    const summary = new SummaryBuilder();
    for (const [index, ending] of endings.entries()) summary.add(`s:${index}`, told(ending));
    expect(summary.outcome({ ...none, ...stopped })).toBe(outcome);
  });
});

describe('the summary', () => {
  test('counts tasks by how they ended last, and items by whether all went well', () => {
    const summary = new SummaryBuilder();
    summary.add('a:1', told('reused'));
    summary.add('a:1', told('done', { before: 'reused' }));
    summary.add('b:1', told('blocked'));
    summary.addItem(true);
    summary.addItem(false);
    expect(summary.items).toBe(2);
    expect(summary.progress).toBe(5);
    const built = summary.build('failed', { ...rest, stopped: 'too much' });
    expect(built).toEqual({
      ...{ outcome: 'failed', stopped: 'too much', problems: [], groups: [], held: 0 },
      items: { total: 5, done: 1, unfinished: 4 },
      tasks: { ...zero, done: 1, blocked: 1 },
      ...{ files: { changed: 0, elsewhere: 0, stored: 0 }, elapsedMs: 1, credits: rest.credits },
    });
    expect(summary.build('done', rest).stopped).toBeUndefined();
  });

  test('lists what a person may have to act on, with advice where there is any', () => {
    const summary = new SummaryBuilder();
    for (const ending of ['done', 'reused', 'skipped', 'excluded', 'blocked'] as const)
      summary.add('x:1', told(ending));
    summary.add('a:1', told('failed', { why: 'no face', advice: 'use another' }));
    summary.add('a:2', told('pending', { why: 'late' }));
    summary.add('a:3', told('doubt', { why: 'lost' }));
    const { problems, groups } = summary.build('doubt', rest);
    expect(problems).toEqual([
      { task: 'a:1', ending: 'failed', why: 'no face', advice: 'use another' },
      { task: 'a:2', ending: 'pending', why: 'late' },
      { task: 'a:3', ending: 'doubt', why: 'lost' },
    ]);
    expect(groups).toHaveLength(3);
  });

  test('lists a hundred at most, and counts them all', () => {
    const summary = new SummaryBuilder();
    for (let index = 0; index < 120; index++) summary.add(`a:${index}`, told('failed'));
    const { problems, groups, tasks } = summary.build('failed', rest);
    expect(problems).toHaveLength(100);
    expect(tasks.failed).toBe(120);
    expect(groups).toEqual([
      { step: 'a', ending: 'failed', why: 'so', count: 120, examples: ['a:0', 'a:1', 'a:2'] },
    ]);
  });
});
