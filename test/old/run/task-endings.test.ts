// How the end of a task is recorded, counted and told.
import { describe, expect, test } from 'vitest';
import { Barrier } from '../../../src/plan/turn.ts';
import type { ItemRun } from '../../../src/run/item-run.ts';
import type { Tell } from '../../../src/run/run-event.ts';
import { summaryOf } from '../../../src/run/summary.ts';
import { Tally } from '../../../src/run/tally.ts';
import { FailurePolicy, TaskEndings } from '../../../src/run/task-endings.ts';
import { createdOf, createOrder, intentOf, Parts } from './parts.ts';

const shared = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
`;

class Scene extends Parts {
  readonly opened: readonly ItemRun[];
  readonly barrier = new Barrier(false);
  readonly tally = new Tally();
  readonly tell: Tell = (event, detail) => {
    this.tally.take(event, 0, detail);
    this.onEvent(event);
  };
  readonly failurePolicy = new FailurePolicy({ items: 1, credits: 5 }, 9, this.budget);
  readonly endings = new TaskEndings(this);

  constructor() {
    super({ pipeline: shared });
    this.opened = ['a', 'b'].map((key) => this.item(key));
  }

  get a(): ItemRun {
    const [first] = this.opened;
    if (first === undefined) throw new Error('no item');
    return first;
  }

  /** The tasks that were told of. */
  get tasks() {
    return this.told.filter(({ type }) => type === 'task');
  }

  summed() {
    const rest = { items: 2, elapsedMs: 0, credits: { charged: 0, refunded: 0, reserved: 0 } };
    return summaryOf(this.tally, 'done', rest);
  }
}

describe('the end of a task', () => {
  test.each(['done', 'excluded', 'doubt', 'blocked', 'pending'] as const)(
    'that is %s leaves nothing in the journal',
    (ending) => {
      const scene = new Scene();
      scene.endings.end(
        { itemRun: scene.a, step: scene.step('photo') },
        { ending, why: 'so', code: 'x' },
      );
      expect(scene.events).toEqual([]);
    },
  );

  test('that failed is recorded once, with its code', () => {
    const scene = new Scene();
    const end = { ending: 'failed', why: 'no face', code: 'no_source_face' } as const;
    scene.endings.end({ itemRun: scene.a, step: scene.step('photo') }, end);
    expect(scene.file.events.at(-1)).toMatchObject({
      ...{ event: 'failed', task: 'photo:a', why: 'no face', code: 'no_source_face' },
    });
    const before = scene.events.length;
    scene.endings.end({ itemRun: scene.item('a'), step: scene.step('photo') }, end);
    expect(scene.events).toHaveLength(before);
    scene.endings.end(
      { itemRun: scene.item('a'), step: scene.step('photo') },
      { ...end, why: 'x' },
    );
    expect(scene.events).toHaveLength(before + 1);
  });

  test('that is skipped is recorded only where it follows a failure', () => {
    const scene = new Scene();
    const skipped = { ending: 'skipped', why: 'its if: is false', code: 'x' } as const;
    const photo = scene.step('photo');
    scene.endings.end({ itemRun: scene.a, step: photo }, skipped);
    expect(scene.events).toEqual([]);
    scene.endings.end({ itemRun: scene.item('a'), step: photo }, { ending: 'failed', why: 'x' });
    scene.endings.end({ itemRun: scene.item('a'), step: photo }, skipped);
    expect(scene.events).toEqual(['run', 'failed', 'skipped']);
    expect(scene.file.events.at(-1)).not.toHaveProperty('code');
    expect(scene.file.events.at(-2)).not.toHaveProperty('code');
  });

  test('is told with its charge and its reason, if it has one', () => {
    const scene = new Scene();
    scene.endings.end({ itemRun: scene.a, step: scene.step('photo') }, { ending: 'done', why: '' });
    scene.endings.end(
      { itemRun: scene.a, step: scene.step('swap') },
      { ending: 'done', why: '', credits: 8 },
    );
    scene.endings.end(
      { itemRun: scene.a, step: scene.step('save') },
      { ending: 'pending', why: 'late' },
    );
    expect(scene.tasks).toEqual([
      { type: 'task', task: 'photo:a', item: 'a', step: 'photo', ending: 'done', credits: 0 },
      { type: 'task', task: 'swap:a', item: 'a', step: 'swap', ending: 'done', credits: 8 },
      {
        ...{ type: 'task', task: 'save:a', item: 'a', step: 'save', ending: 'pending' },
        ...{ credits: 0, why: 'late' },
      },
    ]);
  });

  test('by an earlier run is told as reused, and only what is done can be', () => {
    const scene = new Scene();
    const end = (step: string, ending: 'done' | 'failed') =>
      scene.endings.end(
        { itemRun: scene.a, step: scene.step(step) },
        { ending, why: '', reused: true },
      );
    end('photo', 'done');
    end('swap', 'failed');
    expect(scene.tasks).toMatchObject([{ ending: 'reused' }, { ending: 'failed' }]);
    expect(scene.a.hasChanged).toBe(true);
  });

  test('is told once, unless it ends otherwise or is charged again', () => {
    const scene = new Scene();
    const step = scene.step('photo');
    const end = (more: { reused?: boolean; credits?: number }) => {
      scene.endings.end({ itemRun: scene.a, step }, { ending: 'done', why: '', ...more });
    };
    end({ reused: true });
    end({ reused: true });
    end({});
    end({});
    end({ credits: 3 });
    expect(scene.tasks).toMatchObject([
      { ending: 'reused' },
      { ending: 'done', credits: 0 },
      { ending: 'done', credits: 3 },
    ]);
    expect(scene.summed().tasks).toMatchObject({ done: 1, reused: 0 });
  });

  test.each([
    ['failed', 'no_source_face', 'use a picture that shows a face'],
    ['failed', 'strange', undefined],
    ['doubt', 'no_source_face', expect.stringContaining('resolve')],
    ['pending', 'no_source_face', undefined],
  ] as const)('that is %s with %s comes with advice', (ending, code, advice) => {
    const scene = new Scene();
    scene.endings.end({ itemRun: scene.a, step: scene.step('swap') }, { ending, why: 'x', code });
    const [problems] = scene.summed().problems;
    expect(problems?.advice).toEqual(advice);
  });

  test('that is pending has no advice for how it failed before', () => {
    const scene = new Scene();
    const waiter = { itemRun: scene.item('a'), step: scene.step('swap') };
    const failed = { ending: 'failed', why: 'x', code: 'no_source_face' } as const;
    scene.endings.end(waiter, failed);
    scene.endings.end(
      { itemRun: scene.a, step: scene.step('swap') },
      { ending: 'pending', why: 'late' },
    );
    expect(scene.summed().problems.map(({ advice }) => advice)).toEqual([
      ...['use a picture that shows a face', undefined],
    ]);
  });
});

describe('who learns of it', () => {
  test('an item’s end moves its item run and the barrier', () => {
    const scene = new Scene();
    scene.endings.end(
      { itemRun: scene.a, step: scene.step('photo') },
      { ending: 'blocked', why: 'x' },
    );
    expect(scene.a.phase('photo')).toBe('blocked');
    expect(scene.barrier.phase('photo', { over: true, rest: undefined })).toBe('blocked');
  });

  test('the end of a shared step is no item’s', () => {
    const scene = new Scene();
    scene.endings.end(
      { itemRun: scene.shared, step: scene.step('actor') },
      { ending: 'blocked', why: 'x' },
    );
    expect(scene.shared.phase('actor')).toBe('blocked');
    expect(scene.barrier.phase('actor', { over: true, rest: undefined })).toBe('done');
  });

  test('only failures count as failed items', () => {
    const scene = new Scene();
    for (const [step, ending] of [
      ['photo', 'done'],
      ['swap', 'pending'],
    ] as const)
      scene.endings.end({ itemRun: scene.a, step: scene.step(step) }, { ending, why: 'x' });
    const other = scene.opened[1] ?? scene.a;
    scene.endings.end(
      { itemRun: other, step: scene.step('photo') },
      { ending: 'failed', why: 'x' },
    );
    expect(scene.budget.closed).toBeUndefined();
    scene.endings.end(
      { itemRun: scene.a, step: scene.step('save') },
      { ending: 'failed', why: 'x' },
    );
    expect(scene.budget.closed).toMatchObject({ because: 'failures' });
  });

  test('values that are fresh again are not told of', () => {
    const scene = new Scene();
    scene.endings.refreshed({ itemRun: scene.a, step: scene.step('photo') });
    expect(scene.a.phase('photo')).toBe('done');
    expect(scene.told).toEqual([]);
  });
});

describe('the end of an item', () => {
  test('is told with whether all went well, and how many are over', () => {
    const scene = new Scene();
    const [a, b] = [scene.a, scene.opened[1] ?? scene.a];
    scene.endings.end({ itemRun: a, step: scene.step('photo') }, { ending: 'failed', why: 'x' });
    scene.endings.itemOver(a);
    scene.endings.itemOver(b);
    scene.endings.itemOver(scene.shared);
    expect(scene.told.filter(({ type }) => type === 'item')).toEqual([
      { type: 'item', item: 'a', ok: false, changed: true, of: 1 },
      { type: 'item', item: 'b', ok: true, changed: false, of: 2 },
      { type: 'item', item: '', ok: true, changed: false, of: 3 },
    ]);
  });

  test('writes off what was paid for an item that failed', () => {
    const scene = new Scene();
    const order = createOrder('j1', 10);
    scene.budget.reserve(scene.a, order);
    for (const event of [intentOf(order), createdOf(order, 10)]) {
      scene.journal.append([event]);
      scene.budget.record('j1', event);
    }
    scene.budget.release('j1');
    scene.endings.end(
      { itemRun: scene.a, step: scene.step('save') },
      { ending: 'failed', why: 'x' },
    );
    expect(scene.budget.closed).toBeUndefined();
    scene.endings.itemOver(scene.a);
    expect(scene.budget.closed).toMatchObject({
      ...{ because: 'failures', why: expect.stringContaining('10 credits went to items') },
    });
  });
});
