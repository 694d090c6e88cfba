// The counts of a run, folded from its events, against a count that keeps every task.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEvent, TaskEnding } from '../../src/core/run-event.ts';
import { RunView } from '../../src/core/run-view.ts';
import { summaryOf } from '../../src/core/summary.ts';
import { liveFacts } from '../../src/views/live/live-facts.ts';
import { planOf, row, Watching } from '../views/live/live-events.ts';

const endings: readonly TaskEnding[] = [
  ...(['done', 'reused', 'skipped', 'excluded', 'failed'] as const),
  ...(['doubt', 'pending', 'blocked', 'rendering', 'later'] as const),
];
const steps = ['photo', 'color', 'save'];
const credits = { charged: 0, refunded: 0, reserved: 0 };

/** How each task of an item ends, one after the other; an item, and a task of it, may be unfinished when the run ends. */
const wildItem = fc.record({
  isOver: fc.boolean(),
  tasks: fc.array(
    fc.record({
      step: fc.constantFrom(...steps),
      begins: fc.boolean(),
      ending: fc.option(fc.constantFrom(...endings), { nil: undefined }),
    }),
    { maxLength: 3 },
  ),
});
type WildItem = typeof wildItem extends fc.Arbitrary<infer T> ? T : never;

/** The events of an item in their order. */
function* eventsOf({ isOver, tasks }: WildItem, key: string): Generator<RunEvent> {
  const open = new Set<string>();
  let isOk = true;
  for (const { step, begins, ending: given } of tasks) {
    const task = `${step}:${key}`;
    const about = { step, task, item: key };
    if (open.has(task)) continue;
    open.add(task);
    if (begins) yield { type: 'begun', ...about };
    const ending = given ?? (isOver ? 'done' : undefined);
    if (ending !== undefined) yield { type: 'task', ...about, ending, why: 'so', credits: 0 };
    isOk &&= ending === undefined || ending === 'done' || ending === 'reused';
  }
  if (isOver) yield { type: 'item', item: key, ok: isOk, changed: true, of: 0 };
}

/** The events of several items at once: each in its order, and between those of the others. */
function mixed(items: readonly WildItem[], turns: readonly number[]): readonly RunEvent[] {
  const left = items.map((item, index) => [...eventsOf(item, `i${index}`)]);
  const told: RunEvent[] = [];
  for (let turn = 0; left.some((events) => events.length > 0); turn += 1) {
    const open = left.filter((events) => events.length > 0);
    const next = open[(turns[turn % turns.length] ?? 0) % open.length]?.shift();
    if (next !== undefined) told.push(next);
  }
  return told;
}

const counted = <Key extends string>(keys: Iterable<Key>): Partial<Record<Key, number>> => {
  const counts: Partial<Record<Key, number>> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
};

const withoutZeros = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

test('of any events, the summary and the live facts count each task once, by how it ended', () => {
  const turns = fc.array(fc.nat(9), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(wildItem, { maxLength: 8 }), turns, (items, order) => {
      const view = new RunView({ pipeline: 'p', speed: 1, began: 0 });
      const rows = steps.map((step) => row(step, 'upload', items.length));
      view.take({ type: 'planned', plan: planOf(items.length, rows) }, 0);
      const last = new Map<string, TaskEnding>();
      const running = new Set<string>();
      const over = { done: 0, unfinished: 0 };
      mixed(items, order).forEach((event, now) => {
        view.take(event, now);
        if (event.type === 'begun') running.add(event.task);
        if (event.type === 'item') over[event.ok ? 'done' : 'unfinished'] += 1;
        if (event.type !== 'task') return;
        running.delete(event.task);
        last.set(event.task, event.ending);
      });
      const { length: total } = items;
      const summary = summaryOf(view, 'done', { items: total, elapsedMs: 1, credits });
      expect(withoutZeros(summary.tasks)).toEqual(counted(last.values()));
      expect(summary.items).toEqual({
        total,
        done: over.done,
        skipped: 0,
        unfinished: total - over.done,
      });
      expect(view.itemsOver).toBe(over.done + over.unfinished);
      expect([...view.doubted].sort()).toEqual(
        [...last].flatMap(([task, ending]) => (ending === 'doubt' ? [task] : [])).sort(),
      );
      const live = liveFacts(view, 1000);
      expect(live.items.done).toBe(summary.items.done);
      expect([...view.atWork.keys()].sort()).toEqual([...running].sort());
      const { failed, doubt, done, reused } = summary.tasks;
      const of = (is: 'done' | 'failed' | 'doubt' | 'running' | 'queued' | 'notRun'): number =>
        sumOf(live.steps.map((step) => step[is]));
      expect([of('failed'), of('doubt'), of('done')]).toEqual([failed, doubt, done + reused]);
      expect(of('running')).toBe(running.size);
      expect(of('failed') + of('doubt') + of('done') + of('notRun')).toBe(last.size);
      expect(of('queued')).toBe(steps.length * total - last.size - running.size);
    }),
  );
});

test('what earlier runs have made is queued, and waits for nothing', () => {
  const view = new RunView({ pipeline: 'p', speed: 1, began: 0 });
  const photos = { ...row('photo', 'upload', 0), tasks: { begin: 2, reuse: 3, store: 1 } };
  view.take({ type: 'planned', plan: planOf(6, [photos]) }, 0);
  expect(view.steps.get('photo')).toMatchObject({ queued: 6, waiting: 3 });
});

test('a run waits until all that is away is back', () => {
  const watching = new Watching(1);
  const about = { type: 'waiting', of: 'storage', why: 'so', since: '', tries: 1 } as const;
  const stages = (['a', 'b'] as const).map((at) => {
    watching.take({ ...about, at, nextTryMs: 1, limitMs: 9 });
    return watching.view.stage.is;
  });
  for (const at of ['a', 'b']) {
    watching.take({ type: 'back', of: 'storage', at, waitedMs: 1 });
    stages.push(watching.view.stage.is);
  }
  expect(stages).toEqual(['waiting', 'waiting', 'waiting', 'working']);
});

test('of an item that is done, the time since its first task began is told', () => {
  const watching = new Watching(1);
  const about = { step: 'color', task: 'color:a', item: 'a' };
  watching.now = 5;
  watching.take({ type: 'begun', ...about });
  watching.now = 15;
  watching.take({ type: 'task', ...about, ending: 'done', why: '', credits: 3 });
  watching.now = 25;
  watching.take({ type: 'item', item: 'a', ok: true, changed: true, of: 1 });
  expect(watching.view.done).toEqual([{ what: 'done', name: 'a', credits: 3, tookMs: 20 }]);
  expect(watching.view.busyMs(99)).toBe(10);
});

test('an item of which something was made is done, whatever else is skipped', () => {
  const watching = new Watching(1);
  const about = { step: 'color', item: 'a', why: '', credits: 0 } as const;
  watching.take({ type: 'task', ...about, task: 'color:a[0]', ending: 'done' });
  watching.take({ type: 'task', ...about, task: 'color:a[1]', ending: 'skipped' });
  watching.take({ type: 'item', item: 'a', ok: true, changed: true, of: 1 });
  expect(watching.view.items).toMatchObject({ done: 1, skipped: 0 });
});
