// From a step whose turn has come to what is done about it.
import { describe, expect, test } from 'vitest';
import type { Act } from '../../../src/plan/decide.ts';
import { digestOfText } from '../../fakes/memory-disk.ts';
import { history, Scene, upload } from './dispatching.ts';
import { createOrder } from './parts.ts';

describe('a step that needs doing', () => {
  test('is uploaded', () => {
    const scene = new Scene();
    expect(scene.next(scene.item('a'), 'photo')).toMatchObject({
      ...{ action: 'start', fingerprint: upload },
      order: { operation: 'upload', task: 'photo:a', content: digestOfText('a photo') },
    });
  });

  test('is asked again once its file is hashed', () => {
    const scene = new Scene();
    scene.disk.unread.add('a.png');
    expect(scene.next(scene.item('a'), 'photo')).toMatchObject({
      ...{ action: 'start', fingerprint: undefined },
      order: { operation: 'digest', places: [{ in: 'input', path: 'a.png' }] },
    });
  });

  test('is paid within the budget, under a name of its own', () => {
    const scene = new Scene({ total: 100 });
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
      action: 'start',
      order: {
        ...{ operation: 'create', task: 'swap:a', attempt: 1, reserve: 10 },
        body: { assets: { image_file_path: 'f' } },
        name: expect.stringMatching(/^p swap:a #/),
      },
    });
  });

  test('shares the job that is in flight for the same content', () => {
    const scene = new Scene();
    const item = scene.supplied();
    const job = scene.paidFor(item);
    const order = { ...createOrder('j1'), fingerprint: job };
    scene.fly({ itemRun: item, step: scene.step('swap') }, order.fingerprint, order);
    expect(scene.next(scene.supplied('b'), 'swap')).toEqual({ action: 'join', fingerprint: job });
  });

  test('waits for the first charge of its kind under a budget', () => {
    const scene = new Scene({ total: 100 });
    scene.budget.reserve(scene.item('x'), createOrder('j1'));
    expect(scene.next(scene.supplied(), 'swap')).toEqual({ action: 'wait' });
  });

  test('is left to the next run when nothing more is bought', () => {
    const scene = new Scene();
    scene.budget.close({ because: 'failures', why: 'too much' });
    expect(scene.next(scene.supplied(), 'swap')).toEqual({
      ...{ action: 'end', ending: 'pending', why: 'too much', held: { by: 'run' } },
    });
  });

  test('is not tried where its content failed in this run', () => {
    const item = new Scene().supplied();
    const failed = new Map([[new Scene().paidFor(item), 'no face']]);
    const scene = new Scene({}, { failed });
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
      ending: 'failed',
      why: 'no face',
    });
  });

  test('is failed where the service refuses the step, and pending where only what uses it is refused', () => {
    const scene = new Scene();
    scene.stepBreaker.refuse(scene.step('swap'), 'not on this plan');
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
      ...{ ending: 'failed', why: 'not on this plan' },
    });
    const other = new Scene();
    other.stepBreaker.refuse(other.step('save'), 'x');
    expect(other.next(other.supplied(), 'swap')).toMatchObject({ ending: 'pending' });
  });

  test('is begun again under the same number when the last attempt never reached the service', () => {
    const item = new Scene().supplied();
    const job = new Scene().paidFor(item);
    const scene = new Scene({ before: history(job, 'refused') });
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({ order: { attempt: 1 } });
  });

  test('has its inputs made fresh first', () => {
    const scene = new Scene();
    const item = scene.supplied('a', { live: false });
    scene.clock.pass(30 * 86_400_000);
    expect(scene.next(item, 'swap')).toMatchObject({
      ...{ action: 'refresh', list: [{ how: 'redo', step: { name: 'photo' } }] },
    });
  });

  test('takes inputs from the journal while they are good', () => {
    const scene = new Scene();
    const item = scene.supplied('a', { live: false });
    expect(scene.next(item, 'swap')).toMatchObject({
      order: { body: { assets: { image_file_path: 'f' } } },
    });
  });
});

describe('a step that is done, paid, or in doubt', () => {
  const past = (...events: Parameters<typeof history> extends [string, ...infer R] ? R : never) => {
    const job = new Scene().paidFor(new Scene().supplied());
    return { job, before: history(job, ...events) };
  };

  test('is reused', () => {
    const { before, job } = past('created', 'complete');
    const scene = new Scene({ before });
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
      action: 'reuse',
      fingerprint: job,
    });
  });

  test('is only waited for where it is paid', () => {
    const scene = new Scene({ before: past('created').before });
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
      ...{
        action: 'start',
        order: { operation: 'attach', project: 'p', settled: false, credits: 10 },
      },
    });
  });

  test.each([[[]], [['doubt']]] as const)(
    'is never begun again in doubt (%j), and its reserve counts',
    (events) => {
      const scene = new Scene({ before: past(...events).before });
      expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
        ...{ action: 'end', ending: 'doubt', reserve: 12 },
      });
    },
  );

  test('waits for an event in doubt where the run listens', () => {
    const scene = new Scene({ before: past('doubt').before }, { listening: true });
    expect(scene.next(scene.supplied(), 'swap')).toMatchObject({
      ...{ action: 'start', order: { operation: 'await', name: 'n', reserve: 12 } },
    });
  });

  test('is done again when its values are no longer in storage', () => {
    const scene = new Scene();
    const item = scene.supplied();
    item.redo('photo');
    expect(scene.next(item, 'photo')).toMatchObject({ order: { operation: 'upload' } });
  });
});

describe('a step that this run excludes', () => {
  const excluded = { action: 'end', ending: 'excluded', why: 'this run excludes the step' };
  const allows = (_: unknown, act: Act) => act === 'attach';

  test('is not begun, and not even told of its trouble', () => {
    const scene = new Scene({}, { allows });
    expect(scene.next(scene.item('a'), 'photo')).toEqual(excluded);
    expect(scene.next(scene.item('missing'), 'photo')).toEqual(excluded);
    expect(new Scene().next(scene.item('missing'), 'photo')).toMatchObject({ ending: 'failed' });
  });

  test('is reused where it was done before this run, and not where this run did it for another', () => {
    const supplied = { event: 'supplied', job: upload, task: 'photo:b', kind: 'upload' } as const;
    const before = [{ ...supplied, result: { file_path: 'f' } }];
    expect(new Scene({ before }, { allows }).next(new Scene().item('a'), 'photo')).toMatchObject({
      action: 'reuse',
    });
    const scene = new Scene({ someExcluded: true }, { allows });
    const order = { ...createOrder('j1'), fingerprint: upload };
    const job = scene.fly({ itemRun: scene.item('b'), step: scene.step('photo') }, upload, order);
    scene.inFlight.over(job);
    scene.journal.append(before);
    expect(scene.next(scene.item('a'), 'photo')).toEqual(excluded);
  });
});

test('an item that cannot be done as it is ends as its plan says', () => {
  const verdict = { ending: 'blocked', why: 'not bought: photo:a cannot run' } as const;
  const scene = new Scene({}, { unrunnable: new Map([['a', new Map([['swap:a', verdict]])]]) });
  expect(scene.next(scene.supplied(), 'swap')).toEqual({ action: 'end', ...verdict });
  expect(scene.next(scene.supplied('b'), 'swap').action).toBe('start');
});

describe('a delete', () => {
  /** An item whose paid file is on disk, and whose delete is next. */
  const saved = () => {
    const job = new Scene().paidFor(new Scene().supplied());
    const sha256 = digestOfText('result');
    const output = { task: 'save:a', index: 0, path: 'out/a.png', bytes: 6, sha256 };
    const before = [
      ...history(job, 'created', 'complete'),
      { event: 'output', job, ...output } as const,
    ];
    const scene = new Scene({ before });
    scene.disk.files.set('out/a.png', 'result');
    const item = scene.supplied();
    for (const name of ['swap', 'save']) {
      item.setOutputs(scene.step(name), job, scene.ledger.job(job), undefined);
      item.end(name, 'done');
    }
    return { scene, item, job };
  };

  test('is begun once every file is safe', () => {
    const { scene, item } = saved();
    expect(scene.next(item, 'tidy')).toMatchObject({
      ...{ action: 'start', fingerprint: undefined, order: { operation: 'delete', project: 'p' } },
    });
  });

  test('waits while the same project is in use', () => {
    const { scene, item, job } = saved();
    const order = { key: 'j1', task: 'save:b', kind: 'download', attempts: 1, fingerprint: job };
    scene.fly({ itemRun: scene.item('b'), step: scene.step('photo') }, undefined, {
      ...{ ...order, operation: 'download', tool: 'photo-colorizer', project: 'p', to: 'b.png' },
    });
    expect(scene.next(item, 'tidy')).toEqual({ action: 'wait' });
  });

  test('is not done where a file is not safe', () => {
    const { scene, item } = saved();
    scene.disk.loseOutput('out/a.png');
    expect(scene.next(item, 'tidy')).toMatchObject({
      ...{ ending: 'failed', why: 'kept: out/a.png is lost' },
    });
  });
});
