// Jobs in flight: who shares one, and which of them keep others from a project.
import { describe, expect, test } from 'vitest';
import type { DeleteOrder, DownloadOrder } from '../../../src/run/jobs/job.ts';
import { attachOrder, createdOf, createOrder, intentOf, Parts, settledOf } from './parts.ts';

const waiter = (parts: Parts, step = 'swap') => ({
  ...{ itemRun: parts.item('a'), step: parts.step(step) },
});

describe('two tasks with the same content', () => {
  test('share one job until it is over', () => {
    const parts = new Parts();
    const order = createOrder('j1');
    const job = parts.fly(waiter(parts), order.fingerprint, order);
    expect([parts.inFlight.has(order.fingerprint), parts.inFlight.size]).toEqual([true, 1]);
    expect(parts.inFlight.shared(order.fingerprint)).toBeInstanceOf(Promise);
    parts.inFlight.over(job);
    expect([parts.inFlight.has(order.fingerprint), parts.inFlight.size]).toEqual([false, 0]);
    expect(parts.inFlight.shared(order.fingerprint)).toBeUndefined();
  });

  test('do not share a job that has no fingerprint for others', () => {
    const parts = new Parts();
    const order = createOrder('j1');
    parts.fly(waiter(parts), undefined, order);
    expect(parts.inFlight.has(order.fingerprint)).toBe(false);
  });
});

test('no two jobs have one name', () => {
  const { inFlight } = new Parts();
  expect(new Set([inFlight.key(), inFlight.key(), inFlight.key()]).size).toBe(3);
});

describe('a delete', () => {
  const { fingerprint: job } = createOrder('j1');
  const about = {
    ...{ task: 'x', kind: 'x', attempts: 1, fingerprint: job },
    ...{ tool: 'photo-colorizer', project: 'p' },
  };
  const download: DownloadOrder = { ...about, key: 'd', operation: 'download', to: 'a.png' };
  const remove: DeleteOrder = { ...about, key: 'r', operation: 'delete' };

  test('waits for a download of the same project, and a download does not wait for another', () => {
    const parts = new Parts();
    const flying = parts.fly(waiter(parts, 'save'), undefined, download);
    expect(parts.inFlight.clashes(parts.step('tidy'), job)).toBe(true);
    expect(parts.inFlight.clashes(parts.step('save'), job)).toBe(false);
    parts.inFlight.over(flying);
    expect(parts.inFlight.clashes(parts.step('tidy'), job)).toBe(false);
  });

  test('is waited for by a download and by another delete of the same project', () => {
    const parts = new Parts();
    parts.fly(waiter(parts, 'tidy'), undefined, remove);
    expect(parts.inFlight.clashes(parts.step('save'), job)).toBe(true);
    expect(parts.inFlight.clashes(parts.step('tidy'), job)).toBe(true);
    const { fingerprint: other } = createOrder('j2');
    expect(parts.inFlight.clashes(parts.step('tidy'), other)).toBe(false);
  });
});

describe('content that was begun in this run', () => {
  test('is remembered until the end of a run that excludes steps, and otherwise only as long as needed', () => {
    for (const someExcluded of [true, false]) {
      const parts = new Parts({ someExcluded });
      const order = createOrder('j1');
      parts.inFlight.over(parts.fly(waiter(parts), order.fingerprint, order));
      expect(parts.inFlight.begun(order.fingerprint)).toBe(someExcluded);
    }
  });

  test('is not what was complete before: a job for it only reads its addresses again', () => {
    const order = createOrder('j1');
    const before = [intentOf(order), createdOf(order), settledOf(order)];
    const parts = new Parts({ someExcluded: true, before });
    const again = { ...attachOrder('j2', 10, true), fingerprint: order.fingerprint };
    parts.fly(waiter(parts), order.fingerprint, again);
    expect(parts.inFlight.begun(order.fingerprint)).toBe(false);
  });
});

describe('a project that renders', () => {
  test.each([
    [createOrder('j1'), true],
    [attachOrder('j1'), true],
    [attachOrder('j1', 10, true), false],
  ])('may be over soon', (order, renders) => {
    const parts = new Parts();
    parts.fly(waiter(parts), order.fingerprint, order);
    expect(parts.inFlight.followsAny).toBe(renders);
  });
});
