// A worker whose run is no longer in the database, or whose records the database does not take.
import { expect, test } from 'vitest';
import { err } from '../../../src/base/result.ts';
import { BatchedRecorder } from '../../../src/distributed/batched-recorder.ts';
import type { Fact } from '../../../src/distributed/database/batch.ts';
import {
  type Delivery,
  RunGone,
  type WorkerStore,
} from '../../../src/distributed/database/worker-store.ts';
import { Promptness } from '../../../src/distributed/promptness.ts';
import { Worker, type WorkerOptions } from '../../../src/distributed/worker.ts';
import { realClock } from '../../../src/run/clock.ts';
import { job as jobOf } from '../../model/lines.ts';

const quit = new AbortController().signal;

/** One order after the other, none of which this version can read. */
function workerWhoseRecords(
  fail: () => never,
  read: WorkerOptions['read'] = () => err('it is of another version'),
): { worker: Worker; fetched: () => number } {
  let fetched = 0;
  const orderStore: WorkerStore = {
    fetch: async (): Promise<readonly Delivery[]> => {
      fetched += 1;
      const lease = { id: `order ${fetched}`, retry: 0 };
      return [{ lease, issued: { order: { key: 'a' } } }];
    },
    commit: async () => fail(),
    beat: async () => ({ lost: [], stopping: false, over: false }),
    turns: async () => [],
    slowDown: async () => undefined,
  };
  const worker = new Worker({
    ...{ orderStore, clock: realClock, worker: 'w', places: 1, quit, leave: quit },
    promptness: new Promptness(realClock),
    read,
    contextFor: () => {
      throw new Error('nothing is performed');
    },
  });
  return { worker, fetched: () => fetched };
}

test('a worker whose run is gone is done with it', async () => {
  const { worker } = workerWhoseRecords(() => {
    throw new RunGone('r1');
  });
  expect(await worker.run()).toBe('over');
});

test('a worker whose records the database refuses ends, and takes no more orders', async () => {
  const { worker, fetched } = workerWhoseRecords(() => {
    throw new Error('permission denied');
  });
  await expect(worker.run()).rejects.toThrow('permission denied');
  expect(fetched()).toBeLessThan(10);
});

test('a worker that cannot even look at an order ends with the reason, and takes no more', async () => {
  const { worker, fetched } = workerWhoseRecords(
    () => {
      throw new Error('nothing is recorded');
    },
    () => {
      throw new Error('the folder is gone');
    },
  );
  await expect(worker.run()).rejects.toThrow('the folder is gone');
  expect(fetched()).toBeLessThan(10);
});

test('what can no longer be recorded is told', async () => {
  const lost: Fact[] = [];
  const batchedRecorder = new BatchedRecorder({
    ...{ clock: realClock, quit, onLost: (fact) => void lost.push(fact) },
    orderStore: {
      commit: async () => {
        throw new RunGone('r1');
      },
    },
  });
  const fact = (id: string): Fact => ({
    ...{ id, key: 'a', is: 'event', name: 'demo a #1' },
    event: { event: 'created', job: jobOf('a'), project: id, credits: 1 },
  });
  await expect(batchedRecorder.fact(fact('p1'))).rejects.toThrow(RunGone);
  await expect(batchedRecorder.fact(fact('p2'))).rejects.toThrow(RunGone);
  expect(lost.map(({ id }) => id)).toEqual(['p1', 'p2']);
});
