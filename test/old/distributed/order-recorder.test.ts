// A worker asks before it sends a creation, and once more before it sends it again.
import { expect, test } from 'vitest';
import { BatchedRecorder } from '../../../src/distributed/batched-recorder.ts';
import type { Ask, ClaimAnswer, Fact } from '../../../src/distributed/database/batch.ts';
import { OrderRecorder } from '../../../src/distributed/order-recorder.ts';
import { Promptness } from '../../../src/distributed/promptness.ts';
import { FakeClock } from '../../files/places.ts';
import { createOrder } from '../run/parts.ts';

/** The database answers the questions of the worker in this order. */
async function asked(...answers: readonly ClaimAnswer[]) {
  const asks: Ask[] = [];
  const facts: Fact[] = [];
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const batchedRecorder = new BatchedRecorder({
    orderStore: {
      async commit(batch) {
        asks.push(...batch.asks);
        facts.push(...batch.facts);
        return {
          facts: batch.facts.map(() => 'done' as const),
          ends: batch.ends.map(() => true),
          claims: batch.asks.map(() => answers[asks.length - 1] ?? { is: 'stale' }),
        };
      },
    },
    ...{ clock, quit: signal },
  });
  const order = createOrder('a', 10);
  const recorder = new OrderRecorder({
    ...{ issued: { order, epoch: 1, seen: 0 }, lease: { id: 'l', retry: 0 }, worker: 'w' },
    ...{ batchedRecorder, promptness: new Promptness(clock), clock, stop: signal },
  });
  const { fingerprint: job, task, kind, name } = order;
  const intent = { event: 'intent', job, task, kind, attempt: 1, name, reserve: 10 } as const;
  expect(await recorder.claim(intent)).toEqual({ is: 'go' });
  return { again: await recorder.again(), asks, facts };
}

test('what may still be sent is sent again, and nothing is recorded', async () => {
  const { again, asks, facts } = await asked({ is: 'go' }, { is: 'go' });
  expect([again, facts]).toEqual([{ is: 'go' }, []]);
  expect(asks.map((ask) => ask.again)).toEqual([false, true]);
});

test('what may no longer be sent is recorded as not taken, so that it does not stay in doubt', async () => {
  const { again, facts } = await asked({ is: 'go' }, { is: 'repriced' });
  expect(again).toMatchObject({ is: 'over', outcome: { is: 'withheld' } });
  expect(facts).toMatchObject([
    { is: 'event', event: { event: 'settled', status: 'not_taken', error: { code: 'withheld' } } },
  ]);
});
