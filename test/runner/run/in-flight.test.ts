// Which tasks wait for which job.
import { describe, expect, test } from 'vitest';
import type { DownloadOrder } from '../../../src/runner/run/jobs/job.ts';
import {
  attachOrder,
  createdOf,
  createOrder,
  fingerprint,
  intentOf,
  Parts,
  settledOf,
  uploadOrder,
} from './parts.ts';

const downloadOrder = (key: string, of = 'x'): DownloadOrder => ({
  ...{ key, task: `save:${key}`, kind: 'download', attempts: 5, operation: 'download' },
  ...{ fingerprint: fingerprint(of), tool: 'photo-colorizer', project: 'p', to: 'a.png' },
});

describe('two tasks with the same content', () => {
  test('share one job, and one payment', () => {
    const parts = new Parts();
    const [a, b] = [parts.item('a'), parts.item('b')];
    const [photo, order] = [parts.step('photo'), uploadOrder('j1')];
    parts.inFlight.start({ itemRun: a, step: photo }, order.fingerprint, order);
    expect(parts.inFlight.has(order.fingerprint)).toBe(true);
    expect(parts.inFlight.join({ itemRun: b, step: photo }, order.fingerprint)).toBe(true);
    expect(parts.runner.started).toEqual([order]);
    expect([a, b].map((one) => one.schedule.phase('photo'))).toEqual(['started', 'started']);
    const job = parts.inFlight.complete('j1');
    expect(job).toMatchObject({ itemRun: a, followers: [{ itemRun: b, step: photo }] });
    expect(parts.inFlight.has(order.fingerprint)).toBe(false);
    expect(parts.inFlight.size).toBe(0);
  });

  test('do not join a job that is over', () => {
    const parts = new Parts();
    const [photo, order] = [parts.step('photo'), uploadOrder('j1')];
    parts.inFlight.start({ itemRun: parts.item('a'), step: photo }, order.fingerprint, order);
    parts.inFlight.complete('j1');
    const late = parts.item('b');
    expect(parts.inFlight.join({ itemRun: late, step: photo }, order.fingerprint)).toBe(false);
    expect(late.schedule.phase('photo')).toBe('waiting');
  });

  test('do not share a job that has no fingerprint for others', () => {
    const parts = new Parts();
    const order = uploadOrder('j1');
    parts.inFlight.start({ itemRun: parts.item('a'), step: parts.step('photo') }, undefined, order);
    expect(parts.inFlight.has(order.fingerprint)).toBe(false);
  });
});

test('a job that nobody began is a bug', () => {
  expect(() => new Parts().inFlight.complete('j7')).toThrow('bug: there is no job j7');
});

test('no two jobs have one name', () => {
  const { inFlight } = new Parts();
  expect(new Set([inFlight.key(), inFlight.key(), inFlight.key()]).size).toBe(3);
});

describe('a delete', () => {
  const started = (
    order: DownloadOrder | (Omit<DownloadOrder, 'operation' | 'to'> & { operation: 'delete' }),
  ) => {
    const parts = new Parts();
    const step = parts.step(order.operation === 'delete' ? 'tidy' : 'save');
    parts.inFlight.start({ itemRun: parts.item('a'), step }, undefined, order);
    return parts;
  };
  const deletes = (of = 'x') => {
    const { to: _, ...order } = downloadOrder('j1', of);
    return started({ ...order, operation: 'delete' });
  };

  test('waits for a download of the same project, and a download does not wait for another', () => {
    const parts = started(downloadOrder('j1'));
    expect(parts.inFlight.clashes(parts.step('tidy'), fingerprint('x'))).toBe(true);
    expect(parts.inFlight.clashes(parts.step('save'), fingerprint('x'))).toBe(false);
    expect(parts.inFlight.clashes(parts.step('tidy'), fingerprint('y'))).toBe(false);
  });

  test('is waited for by a download and by another delete of the same project', () => {
    const parts = deletes();
    expect(parts.inFlight.clashes(parts.step('save'), fingerprint('x'))).toBe(true);
    expect(parts.inFlight.clashes(parts.step('tidy'), fingerprint('x'))).toBe(true);
    expect(parts.inFlight.clashes(parts.step('save'), fingerprint('y'))).toBe(false);
  });
});

describe('content that was begun in this run', () => {
  test('is remembered until the end of a run that excludes steps, and otherwise only as long as needed', () => {
    for (const someExcluded of [true, false]) {
      const parts = new Parts({ someExcluded });
      const [step, order] = [parts.step('photo'), uploadOrder('j1')];
      parts.inFlight.start({ itemRun: parts.item('a'), step }, order.fingerprint, order);
      parts.inFlight.complete('j1');
      expect(parts.inFlight.begun(order.fingerprint)).toBe(someExcluded);
    }
  });

  test('is not what was complete before: a job for it only reads its addresses again', () => {
    const order = createOrder('j1');
    const before = [intentOf(order), createdOf(order), settledOf(order)];
    const parts = new Parts({ someExcluded: true, before });
    const attach = { ...attachOrder('j1', 10, true), fingerprint: order.fingerprint };
    const waiter = { itemRun: parts.item('a'), step: parts.step('swap') };
    parts.inFlight.start(waiter, order.fingerprint, attach);
    expect(parts.inFlight.begun(order.fingerprint)).toBe(false);
  });
});

describe('what happened next', () => {
  test('is waited for, unless there is something else to do', async () => {
    const { inFlight, runner } = new Parts();
    expect(await inFlight.happened(true)).toEqual([]);
    const waiting = inFlight.happened(false);
    runner.tell({ is: 'ask', key: 'j1' });
    expect(await waiting).toEqual([{ is: 'ask', key: 'j1' }]);
  });

  test('is not lost when it comes after a look that did not wait', async () => {
    const { inFlight, runner } = new Parts();
    await inFlight.happened(true);
    runner.tell({ is: 'ask', key: 'j1' });
    runner.tell({ is: 'ask', key: 'j2' });
    expect(await inFlight.happened(true)).toEqual([
      { is: 'ask', key: 'j1' },
      { is: 'ask', key: 'j2' },
    ]);
  });
});
