// The summary of a run: how tasks and items are counted, what is listed, and what the outcome is.
import { describe, expect, test } from 'vitest';
import type { TaskDetail, TaskEnding } from '../../src/core/run-event.ts';
import type { Stopped } from '../../src/core/summary.ts';
import { outcomeOf, summaryOf } from '../../src/core/summary.ts';
import { Tally } from '../../src/core/tally.ts';
import { stepOf } from '../../src/model/task.ts';

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

function end(
  tally: Tally,
  task: string,
  ending: TaskEnding,
  { why = 'so', ...detail }: TaskDetail & { readonly why?: string } = {},
): void {
  const event = { type: 'task', step: stepOf(task), task, ending, why, credits: 0 } as const;
  tally.take(event, 0, detail);
}

function itemOver(tally: Tally, ok: boolean): void {
  tally.take({ type: 'item', item: 'x', ok, changed: true, of: tally.itemsOver + 1 }, 0);
}

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
    const tally = new Tally();
    for (const [index, ending] of endings.entries()) end(tally, `s:${index}`, ending);
    expect(outcomeOf(tally, { ...none, ...stopped })).toBe(outcome);
  });
});

describe('the summary', () => {
  test('counts tasks by how they ended last, and items by whether all went well', () => {
    const tally = new Tally();
    end(tally, 'a:1', 'reused');
    end(tally, 'a:1', 'done', { before: 'reused' });
    end(tally, 'b:1', 'blocked');
    itemOver(tally, true);
    itemOver(tally, false);
    expect(tally.itemsOver).toBe(2);
    const built = summaryOf(tally, 'failed', { ...rest, stopped: 'too much' });
    expect(built).toEqual({
      ...{ outcome: 'failed', stopped: 'too much', problems: [], groups: [], held: 0 },
      items: { total: 5, done: 1, skipped: 0, unfinished: 4 },
      tasks: { ...zero, done: 1, blocked: 1 },
      ...{ files: { changed: 0, elsewhere: 0, stored: 0 }, elapsedMs: 1, credits: rest.credits },
    });
    expect(summaryOf(tally, 'done', rest).stopped).toBeUndefined();
  });

  test('lists what a person may have to act on, with advice where there is any', () => {
    const tally = new Tally();
    for (const ending of ['done', 'reused', 'skipped', 'excluded', 'blocked'] as const)
      end(tally, 'x:1', ending);
    end(tally, 'a:1', 'failed', { why: 'no face', advice: 'use another' });
    end(tally, 'a:2', 'pending', { why: 'late' });
    end(tally, 'a:3', 'doubt', { why: 'lost' });
    const { problems, groups } = summaryOf(tally, 'doubt', rest);
    expect(problems).toEqual([
      { task: 'a:1', ending: 'failed', why: 'no face', advice: 'use another' },
      { task: 'a:2', ending: 'pending', why: 'late' },
      { task: 'a:3', ending: 'doubt', why: 'lost' },
    ]);
    expect(groups).toHaveLength(3);
  });

  test('lists a hundred at most, and counts them all', () => {
    const tally = new Tally();
    for (let index = 0; index < 120; index++) end(tally, `a:${index}`, 'failed');
    const { problems, groups, tasks } = summaryOf(tally, 'failed', rest);
    expect(problems).toHaveLength(100);
    expect(tasks.failed).toBe(120);
    expect(groups).toEqual([
      { step: 'a', ending: 'failed', why: 'so', count: 120, examples: ['a:0', 'a:1', 'a:2'] },
    ]);
  });
});
