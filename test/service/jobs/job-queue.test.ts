// The order in which jobs get their slots.
import { describe, expect, test } from 'vitest';
import { JobQueue } from '../../../src/service/jobs/scheduler.ts';

const jobOf = (name: string, account: string, most?: number) => ({
  name,
  owner: { account, most },
});

describe('the queue', () => {
  test('is first come, first served over all accounts', () => {
    const queue = new JobQueue<ReturnType<typeof jobOf>>();
    for (const [name, account] of ['1a', '2b', '3a', '4b'].map((n) => [n, n.slice(1)] as const))
      queue.add(jobOf(name, account));
    const order = Array.from({ length: 5 }, () => queue.take()?.name);
    expect(order).toEqual(['1a', '2b', '3a', '4b', undefined]);
  });

  test('lets others pass an account that has as many jobs as its plan allows', () => {
    const queue = new JobQueue<ReturnType<typeof jobOf>>();
    const first = jobOf('1', 'a', 1);
    for (const job of [first, jobOf('2', 'a', 1), jobOf('3', 'b', 1)]) queue.add(job);
    expect([queue.take()?.name, queue.take()?.name, queue.take()]).toEqual(['1', '3', undefined]);
    queue.end(first);
    expect(queue.take()?.name).toBe('2');
  });

  test('keeps its order over thousands of jobs', () => {
    const queue = new JobQueue<ReturnType<typeof jobOf>>();
    const taken: string[] = [];
    for (let n = 0; n < 5000; n++) queue.add(jobOf(`${n}`, 'a'));
    for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.name);
    expect(taken).toEqual(Array.from({ length: 5000 }, (_, n) => `${n}`));
  });
});
