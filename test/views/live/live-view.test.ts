// Run events folded into what a person watches: counts, credits, the pace, and the time that is left.
import { describe, expect, test } from 'vitest';
import { timeLeftText } from '../../../src/views/live/time-left.ts';
import { planOf, row, Watching } from './live-events.ts';

const stepOf = (watching: Watching, name: string) => {
  const step = watching.view.steps.get(name);
  if (step === undefined) throw new Error(`no step ${name}`);
  const { queued, running, ended } = step;
  return { queued, running, ended };
};

describe('a step', () => {
  test('has each of its tasks queued, then running, then ended', () => {
    const watching = new Watching(3);
    expect(stepOf(watching, 'photo')).toEqual({ queued: 3, running: 0, ended: 0 });
    watching.begin('photo', 'a');
    expect(stepOf(watching, 'photo')).toEqual({ queued: 2, running: 1, ended: 0 });
    watching.end('photo', 'a');
    expect(stepOf(watching, 'photo')).toEqual({ queued: 2, running: 0, ended: 1 });
    watching.end('photo', 'b', 'reused');
    expect(stepOf(watching, 'photo')).toEqual({ queued: 1, running: 0, ended: 2 });
  });

  test('of a fan-out that only the run can count grows with it', () => {
    const open = { ...row('up', 'ai-image-upscaler', 1), times: { least: 0, open: true } };
    const watching = new Watching(1, { rows: [open] });
    for (const index of [0, 1, 2]) watching.begin('up', `a[${index}]`);
    expect(stepOf(watching, 'up')).toEqual({ queued: 0, running: 3, ended: 0 });
    expect(watching.view.steps.get('up')?.total).toBe(3);
  });
});

describe('items', () => {
  test('are done, failed, in doubt or open, and a doubt counts more than a failure', () => {
    const watching = new Watching(5);
    watching.whole('a', 10);
    watching.whole('b', 10, 'failed', 'no face');
    watching.end('photo', 'c', 'failed');
    watching.whole('c', 10, 'doubt');
    watching.end('photo', 'd', 'pending');
    watching.itemOver('d', false);
    expect(watching.facts().items).toEqual({
      total: 5,
      done: 1,
      skipped: 0,
      failed: 1,
      doubt: 1,
      open: 1,
    });
    expect(watching.facts().charged).toBe(10);
  });

  test('that failed are told with their reason, the last first, and those done with credits and time', () => {
    const watching = new Watching(3);
    watching.whole('a', 4100);
    watching.whole('b', 10, 'failed', 'no face');
    watching.whole('c', 10, 'doubt', 'no answer');
    expect(watching.facts().troubles).toEqual([
      { what: 'doubt', name: 'color:c', why: 'no answer' },
      { what: 'failed', name: 'color:b', why: 'no face' },
    ]);
    expect(watching.facts().done).toEqual([{ what: 'done', name: 'a', credits: 10, tookMs: 4100 }]);
  });

  test('of an earlier run are done, and make no rate', () => {
    const watching = new Watching(4);
    for (const item of ['a', 'b', 'c', 'd']) {
      watching.end('color', item, 'reused');
      watching.itemOver(item, true, false);
    }
    watching.now = 60_000;
    expect(watching.facts().items.done).toBe(4);
    expect(watching.facts().itemsPerMinute).toBeUndefined();
    expect(watching.facts().done).toEqual([]);
  });
});

describe('the time left', () => {
  test('is not told before anything is known', () => {
    const watching = new Watching(100, { rehearsal: true });
    expect(watching.facts(10_000).timeLeftMs).toBeUndefined();
    watching.begin('color', 'a');
    expect(watching.facts(10_000).timeLeftMs).toBeUndefined();
  });

  test('follows the medians of a hosted service from the beginning', () => {
    const watching = new Watching(100);
    watching.begin('color', 'a');
    expect(watching.facts(10_000).timeLeftMs).toBeGreaterThan(30_000);
  });

  test('follows the medians at a known speed, as soon as tasks are at work', () => {
    // The median of the tool is 6 s: 100 tasks at two at once.
    const watching = new Watching(100, { rows: [row('color', 'photo-colorizer', 100)], speed: 1 });
    watching.begin('color', 'a');
    watching.begin('color', 'b');
    const left = watching.facts(4000).timeLeftMs;
    expect(left).toBeGreaterThan(30_000);
    expect(watching.facts(2000).timeLeftMs).toBeUndefined();
  });

  test('follows what earlier runs have seen, until this run knows better', () => {
    const rows = [row('color', 'photo-colorizer', 100)];
    const watching = new Watching(100, { rows, usualMs: { 'photo-colorizer': 60_000 } });
    watching.begin('color', 'a');
    expect(watching.facts(4000).timeLeftMs).toBeCloseTo(99.5 * 60_000);
    watching.end('color', 'a');
    for (const item of ['b', 'c', 'd']) watching.whole(item, 2000);
    expect(watching.facts().timeLeftMs).toBeLessThan(97 * 2000);
  });

  test('follows what this run has seen: 97 more of 2 s each, one at a time', () => {
    const watching = new Watching(100, { speed: 1 });
    for (const item of ['a', 'b', 'c']) watching.whole(item, 2000);
    expect(watching.facts().timeLeftMs).toBeCloseTo(97 * 2000, -3);
    expect(watching.facts().itemsPerMinute).toBeCloseTo(30);
  });

  test('does not count what an earlier run has done', () => {
    const rows = [{ ...row('color', 'photo-colorizer', 0), tasks: { begin: 4, reuse: 96 } }];
    const watching = new Watching(100, { rows });
    for (const item of ['a', 'b', 'c']) watching.whole(item, 2000);
    expect(watching.facts().timeLeftMs).toBeCloseTo(2000);
  });

  test('is not told if the budget ends the run earlier, in an outage, or if a fan-out cannot be counted', () => {
    const poor = new Watching(100, { budget: 50 });
    const cut = new Watching(100);
    const open = { ...row('color', 'photo-colorizer', 50), times: { least: 0, open: true } };
    const unknown = new Watching(100, { rows: [open] });
    for (const one of [poor, cut, unknown])
      for (const item of ['a', 'b', 'c']) one.whole(item, 2000);
    expect(cut.facts().timeLeftMs).toBeDefined();
    const since = '2026-08-05T10:00:00Z';
    const outage = { why: 'no answer', since, tries: 1, nextTryMs: 1000, limitMs: 60_000 };
    cut.take({ type: 'waiting', of: 'service', ...outage });
    for (const one of [poor, cut, unknown]) expect(one.facts().timeLeftMs).toBeUndefined();
    cut.take({ type: 'back', of: 'service', waitedMs: 1000 });
    expect(cut.facts().timeLeftMs).toBeDefined();
  });

  test('is not told while nothing is at work but tasks that take much longer than usual', () => {
    const watching = new Watching(5);
    for (const item of ['a', 'b', 'c', 'd']) watching.whole(item, 2000);
    watching.begin('photo', 'e');
    watching.end('photo', 'e');
    watching.begin('color', 'e');
    expect(watching.facts(watching.now + 1000).timeLeftMs).toBeDefined();
    expect(watching.facts(watching.now + 20_000).timeLeftMs).toBeUndefined();
  });

  test.each([
    [4000, 'a few seconds left'],
    [31_000, 'about 40 s left'],
    [58_000, 'about 1 min left'],
    [200_000, 'about 3 min left'],
    [3 * 3600_000, 'about 3 h left'],
    [72 * 3600_000, 'about 3 days left'],
  ])('of %d ms reads "%s"', (ms, text) => expect(timeLeftText(ms)).toBe(text));
});

test('what a view keeps does not grow with the items that are over', () => {
  const watching = new Watching(2000);
  for (let i = 0; i < 2000; i += 1)
    watching.whole(`i${i}`, 1, i % 2 === 0 ? 'done' : 'failed', 'x');
  expect(watching.facts().troubles).toHaveLength(10);
  expect(watching.facts().done).toHaveLength(10);
  expect(watching.facts().share).toBe(1);
});

test('a plan without a known price has no highest sum', () => {
  const watching = new Watching(1);
  expect(watching.facts().planned).toBe(10);
  watching.take({ type: 'planned', plan: { ...planOf(1, []), unpriced: 1 } });
  expect(watching.facts().planned).toBeUndefined();
});

test('of several outages, the one that lasts is told, with its own time', () => {
  const watching = new Watching(2);
  watching.begin('photo', 'a');
  const outage = { since: '2026-08-05T10:00:00Z', tries: 1, nextTryMs: 1000, limitMs: 60_000 };
  watching.take({ type: 'waiting', of: 'service', why: 'no answer', ...outage });
  watching.now = 2000;
  watching.take({ type: 'waiting', of: 'storage', at: 'https://a', why: 'slow', ...outage });
  watching.now = 5000;
  expect(watching.facts().stage).toEqual({ is: 'waiting', why: 'slow', forMs: 3000 });
  watching.take({ type: 'back', of: 'storage', at: 'https://a', waitedMs: 3000 });
  expect(watching.facts().stage).toEqual({ is: 'waiting', why: 'no answer', forMs: 5000 });
  watching.take({ type: 'back', of: 'service', waitedMs: 5000 });
  expect(watching.facts().stage).toEqual({ is: 'working' });
});
