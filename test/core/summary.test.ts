// The summary of a run: how tasks and items are counted, what is listed, and what the outcome is.
import { describe, expect, test } from 'vitest';
import type { StoppedBy, TaskDetail, TaskEnding } from '../../src/core/run-event.ts';
import { RunView } from '../../src/core/run-view.ts';
import { outcomeOf, summaryOf } from '../../src/core/summary.ts';
import { stepOf } from '../../src/model/task.ts';

const viewOf = () => new RunView({ pipeline: 'p', speed: 1, began: 0 });
const zero = {
  ...{ done: 0, reused: 0, skipped: 0, excluded: 0 },
  ...{ failed: 0, doubt: 0, pending: 0, blocked: 0, rendering: 0, later: 0 },
};
const rest = {
  ...{ items: 5, elapsedMs: 1 },
  credits: { charged: 0, refunded: 0, reserved: 0 },
};

function end(
  view: RunView,
  task: string,
  ending: TaskEnding,
  { why = 'so', ...detail }: TaskDetail & { readonly why?: string } = {},
): void {
  const event = { type: 'task', step: stepOf(task), task, ending, why, credits: 0 } as const;
  view.take(event, 0, detail);
}

function itemOver(view: RunView, ok: boolean): void {
  view.take({ type: 'item', item: 'x', ok, changed: true, of: view.itemsOver + 1 }, 0);
}

describe('the outcome', () => {
  test.each<readonly [string, StoppedBy | undefined, readonly TaskEnding[], string]>([
    ['done', undefined, ['done', 'reused', 'skipped', 'excluded'], 'done'],
    ['failed by a task', undefined, ['done', 'failed'], 'failed'],
    ['failed by a task that is left to the next run', undefined, ['pending'], 'failed'],
    ['failed by a task that is blocked', undefined, ['blocked'], 'failed'],
    ['in doubt', undefined, ['failed', 'doubt'], 'doubt'],
    ['out of money', 'budget', ['pending'], 'budget'],
    ['out of credits although nothing is left', 'credits', [], 'budget'],
    ['failed by this machine', 'machine', [], 'failed'],
    ['failed by an outage', 'outage', [], 'failed'],
    ['in doubt before the machine counts', 'machine', ['doubt'], 'doubt'],
    ['interrupted before all else', 'interrupt', ['doubt'], 'interrupted'],
    ['unauthorized before a doubt', 'unauthorized', ['doubt'], 'unauthorized'],
    ['waiting for what renders', undefined, ['rendering', 'later'], 'waiting'],
    ['waiting where it was left', 'left', ['done'], 'waiting'],
  ])('is %s', (_, by, endings, outcome) => {
    const view = viewOf();
    for (const [index, ending] of endings.entries()) end(view, `s:${index}`, ending);
    expect(outcomeOf(view, by)).toBe(outcome);
  });
});

describe('the summary', () => {
  test('counts tasks by how they ended, and items by whether all went well', () => {
    const view = viewOf();
    end(view, 'a:1', 'done');
    end(view, 'b:1', 'blocked');
    itemOver(view, true);
    itemOver(view, false);
    expect(view.itemsOver).toBe(2);
    const built = summaryOf(view, 'failed', { ...rest, stopped: 'too much' });
    expect(built).toEqual({
      ...{ outcome: 'failed', stopped: 'too much', problems: [], groups: [], held: 0 },
      items: { total: 5, done: 1, skipped: 0, unfinished: 4 },
      tasks: { ...zero, done: 1, blocked: 1 },
      ...{ files: { changed: 0, elsewhere: 0, stored: 0 }, elapsedMs: 1, credits: rest.credits },
    });
    expect(summaryOf(view, 'done', rest).stopped).toBeUndefined();
  });

  test('lists what a person may have to act on, with advice where there is any', () => {
    const view = viewOf();
    for (const ending of ['done', 'reused', 'skipped', 'excluded', 'blocked'] as const)
      end(view, 'x:1', ending);
    end(view, 'a:1', 'failed', { why: 'no face', advice: 'use another' });
    end(view, 'a:2', 'pending', { why: 'late' });
    end(view, 'a:3', 'doubt', { why: 'lost' });
    const { problems, groups } = summaryOf(view, 'doubt', rest);
    expect(problems).toEqual([
      { task: 'a:1', ending: 'failed', why: 'no face', advice: 'use another' },
      { task: 'a:2', ending: 'pending', why: 'late' },
      { task: 'a:3', ending: 'doubt', why: 'lost' },
    ]);
    expect(groups).toHaveLength(3);
  });

  test('lists a hundred at most, and counts them all', () => {
    const view = viewOf();
    for (let index = 0; index < 120; index++) end(view, `a:${index}`, 'failed');
    const { problems, groups, tasks } = summaryOf(view, 'failed', rest);
    expect(problems).toHaveLength(100);
    expect(tasks.failed).toBe(120);
    expect(groups).toEqual([
      { step: 'a', ending: 'failed', why: 'so', count: 120, examples: ['a:0', 'a:1', 'a:2'] },
    ]);
  });
});
