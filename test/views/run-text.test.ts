// A run as text: how far it is, what needs somebody, and how it came out.
import { describe, expect, test } from 'vitest';
import { commitMessage } from '../../src/features/git/commit.ts';
import type { ProblemGroup, RunEvent, Summary, TaskEnding } from '../../src/run/run-event.ts';
import { runEventText, troubleText } from '../../src/views/run-text.ts';
import { summaryText } from '../../src/views/summary-text.ts';
import { control, wild } from './wild.ts';

const summary: Summary = {
  outcome: 'done',
  items: { total: 3, done: 3, unfinished: 0 },
  tasks: {
    done: 5,
    reused: 7,
    skipped: 0,
    excluded: 0,
    failed: 0,
    doubt: 0,
    pending: 0,
    blocked: 0,
    rendering: 0,
    later: 0,
  },
  held: 0,
  files: { changed: 0, elsewhere: 0, stored: 0 },
  credits: { charged: 30, refunded: 0, reserved: 0 },
  elapsedMs: 1500,
  problems: [],
  groups: [],
};

const group = (task: string, ending: TaskEnding, why: string): ProblemGroup => ({
  ...{ step: task.split(':')[0] ?? '', ending, why },
  ...{ count: 1, examples: [task] },
});
const places = { pipeline: 'p.yaml', state: 'p.state.jsonl', output: 'out/p' };

describe('a summary', () => {
  test('says what was done, what it cost, and where things are', () => {
    expect(summaryText(summary, places)).toBe(
      [
        'Done.',
        '  items       3 of 3 finished',
        '  tasks       5 done, 7 reused',
        '  credits     30 charged',
        '  time        1.5 s',
        '  results     out/p',
        '  state file  p.state.jsonl',
      ].join('\n'),
    );
  });

  test('tells what was paid in money, and an item on average, where the price of a credit is known', () => {
    const credits = { charged: 40, refunded: 10, reserved: 0 };
    const text = summaryText({ ...summary, credits }, { ...places, creditDollars: 0.0012 });
    expect(text).toContain('\n  money       $0.04, $0.01 an item\n');
    const free = { ...summary, credits: { ...credits, refunded: 40 } };
    expect(summaryText(free, { ...places, creditDollars: 0.0012 })).not.toContain('money');
  });

  test('tells refunds and doubts beside what was charged', () => {
    const text = summaryText(
      { ...summary, credits: { charged: 40, refunded: 10, reserved: 25 } },
      places,
    );
    expect(text).toContain('40 charged, 10 refunded, 30 net, 25 in doubt');
  });

  test('names each task with trouble, why, and what to do', () => {
    const text = summaryText(
      {
        ...summary,
        outcome: 'doubt',
        stopped: 'the account has not enough credits (402)',
        tasks: { ...summary.tasks, failed: 1, doubt: 1 },
        groups: [
          group('swap:a', 'failed', 'the service refused the request (422)'),
          group('swap:b', 'doubt', 'the service did not answer'),
        ],
      },
      places,
    );
    for (const part of [
      'Some tasks are in doubt: they may have been paid for, so they are not repeated.',
      'the account has not enough credits (402)',
      '2 tasks with problems:',
      'failed: swap:a: the service refused the request (422)',
      'IN DOUBT: swap:b: the service did not answer',
      'shotlist status p.yaml',
    ])
      expect(text).toContain(part);
  });

  test('tells equal failures once, with how many there are, three examples and what to do', () => {
    const text = summaryText(
      {
        ...{ ...summary, outcome: 'failed', tasks: { ...summary.tasks, failed: 121 } },
        groups: [
          {
            ...group('swap:p1.png', 'failed', 'the service refused the request (422)'),
            ...{ count: 120, advice: 'use another picture' },
            examples: ['swap:p1.png', 'swap:p2.png', 'swap:p3.png'],
          },
          group('save:p4.png', 'pending', 'the address has expired'),
        ],
      },
      places,
    );
    expect(text).toContain(
      [
        '121 tasks with problems:',
        '  failed: 120 tasks of swap: the service refused the request (422)',
        '    swap:p1.png, swap:p2.png, swap:p3.png, and 117 others',
        '    → use another picture',
        '  pending: save:p4.png: the address has expired',
      ].join('\n'),
    );
  });

  test('fits a screen, with doubts first, then the problems of most tasks', () => {
    const groups = Array.from({ length: 100 }, (_, index) => ({
      ...group(`swap:p${index}`, index === 99 ? 'doubt' : 'failed', `reason ${index}`),
      ...(index === 70 ? { count: 5 } : {}),
    }));
    const text = summaryText(
      { ...summary, outcome: 'failed', tasks: { ...summary.tasks, failed: 149, doubt: 1 }, groups },
      places,
    );
    const lines = text.split('\n');
    expect(lines.length).toBeLessThan(24);
    const first = lines.indexOf('150 tasks with problems:');
    expect(lines[first + 1]).toContain('IN DOUBT: swap:p99: reason 99');
    expect(lines[first + 2]).toContain('5 tasks of swap: reason 70');
    expect(text).toMatch(/and \d+ more: shotlist status lists them\n/);
  });

  test('counts the same endings as the text of a commit', () => {
    const tasks = { ...summary.tasks, rendering: 2, later: 3 };
    const told = '5 done, 7 reused, 2 rendering, 3 later';
    expect(summaryText({ ...summary, tasks }, places)).toContain(told);
    const subject = { pipeline: 'p', run: 1, outputs: 0 };
    expect(commitMessage({ ...summary, tasks }, subject)).toContain(`Tasks: ${told}\n`);
  });

  test('says so where nothing was done at all', () => {
    expect(
      summaryText({ ...summary, tasks: { ...summary.tasks, done: 0, reused: 0 } }, places),
    ).toContain('tasks       none');
  });

  test.each([
    ...(['done', 'failed', 'budget', 'doubt', 'unauthorized', 'interrupted', 'waiting'] as const),
  ])('has a headline for %s', (outcome) => {
    const [headline] = summaryText({ ...summary, outcome }, places).split('\n');
    expect(headline).toMatch(/^[A-Z].*\.$/);
  });

  test('lets no control character reach the terminal', () => {
    const text = summaryText(
      {
        ...summary,
        stopped: wild,
        tasks: { ...summary.tasks, failed: 1 },
        groups: [
          { ...group(`swap:${wild}`, 'failed', wild), count: 4, advice: 'try' },
          group(`swap:${wild}`, 'failed', wild),
        ],
      },
      { pipeline: wild, state: wild, output: wild },
    );
    expect(text).not.toMatch(control);
  });
});

describe('while a run lasts', () => {
  const text = (event: RunEvent) => runEventText(event, 120);

  const waiting = {
    type: 'waiting',
    of: 'service',
    why: 'cannot be reached (ECONNREFUSED)',
    since: '2026-08-05T10:00:00.123Z',
    nextTryMs: 8_000,
    limitMs: 900_000,
  } as const;

  test('an outage says since when, and when the next try is', () => {
    expect(text({ ...waiting, tries: 4 })).toBe(
      'waiting: the service cannot be reached (ECONNREFUSED) since 2026-08-05T10:00:00Z; ' +
        'next attempt in 8.0 s, waiting for at most 15 min 0 s',
    );
    expect(text({ type: 'back', of: 'service', waitedMs: 34_000 })).toBe(
      'the service is back after 34 s; the run continues',
    );
  });

  test('an outage of storage names its host, and one of creations says so', () => {
    const storage = {
      ...waiting,
      of: 'storage',
      at: 'https://files.example.com',
      tries: 1,
    } as const;
    expect(text(storage)).toMatch(
      /^waiting: the storage at https:\/\/files\.example\.com cannot be reached/,
    );
    const creations = {
      ...waiting,
      of: 'creations',
      why: 'asks shotlist to slow down (429)',
      tries: 1,
    } as const;
    expect(text(creations)).toMatch(
      /^waiting: the service asks shotlist to slow down \(429\) with new projects since/,
    );
  });

  test('a long outage is told less and less often', () => {
    const told = Array.from({ length: 40 }, (_, n) => n + 1).filter(
      (tries) => text({ ...waiting, tries }) !== undefined,
    );
    expect(told).toEqual([1, 2, 4, 8, 16, 32]);
  });

  test('an item that is over is counted, and says when it is not finished', () => {
    expect(text({ type: 'item', item: 'a.png', ok: true, changed: true, of: 7 })).toBe(
      '    7/120 a.png',
    );
    expect(text({ type: 'item', item: 'a.png', ok: false, changed: true, of: 7 })).toContain(
      '(not finished)',
    );
  });

  test('nothing is said of an item for which nothing was done', () => {
    expect(text({ type: 'item', item: 'a.png', ok: true, changed: false, of: 7 })).toBeUndefined();
  });

  test('a failure or a doubt is one line, and any other end of a task none', () => {
    const about = { type: 'task', task: 'swap:a', step: 'swap', credits: 0 } as const;
    expect(troubleText({ ...about, ending: 'failed', why: 'no face' })).toBe(
      '  failed: swap:a: no face',
    );
    expect(troubleText({ ...about, ending: 'doubt' })).toBe('  IN DOUBT: swap:a: ');
    expect(troubleText({ ...about, ending: 'done' })).toBeUndefined();
  });

  test('a doubt is said at once, with the task and why', () => {
    expect(
      text({
        type: 'task',
        task: 'swap:a',
        step: 'swap',
        ending: 'doubt',
        why: 'the service did not answer',
        credits: 0,
      }),
    ).toContain('IN DOUBT: swap:a: the service did not answer');
    expect(
      text({ type: 'task', task: 'swap:a', step: 'swap', ending: 'done', credits: 10 }),
    ).toBeUndefined();
  });

  test('where events are received is said, and what may be resolved by them', () => {
    const listening = { type: 'listening', address: 'http://127.0.0.1:4000' } as const;
    const said = "Listening for the service's events at http://127.0.0.1:4000";
    expect(text({ ...listening, doubts: 0 })).toBe(said);
    expect(text({ ...listening, doubts: 2 })).toBe(
      `${said}; 2 creations in doubt may be resolved by them`,
    );
  });

  test('a warning and a stop are said', () => {
    expect(text({ type: 'warning', message: 'the last line was cut off' })).toBe(
      'warning: the last line was cut off',
    );
    expect(text({ type: 'stopping', why: 'interrupted' })).toContain('stopping: interrupted');
    expect(text({ type: 'ended', summary })).toBeUndefined();
  });

  test.each<RunEvent>([
    { type: 'warning', message: wild },
    { type: 'item', item: wild, ok: true, changed: true, of: 1 },
    { type: 'task', task: wild, step: 'swap', ending: 'doubt', why: wild, credits: 0 },
    { type: 'stopping', why: wild },
  ])('no control character of a $type reaches the terminal', (event) => {
    expect(text(event)).not.toMatch(control);
  });
});
