// How often a store is asked.
import { expect, test } from 'vitest';
import { err, ok } from '../../../../src/base/result.ts';
import type { StoreFailure } from '../../../../src/core/ports.ts';
import { withStoreRetries } from '../../../../src/run/jobs/store.ts';

function scene(...answers: readonly (StoreFailure['reason'] | 'yes')[]) {
  const waits: number[] = [];
  const stop = new AbortController();
  const left = [...answers];
  const clock = {
    ...{ now: () => 0, elapsed: () => 0, chance: () => 0.5 },
    sleep: async (ms: number): Promise<void> => void waits.push(ms),
  };
  const ask = (attempts: number) =>
    withStoreRetries(attempts, { clock, backoffMs: 100, stop: stop.signal }, async () => {
      const answer = left.shift() ?? 'yes';
      return answer === 'yes' ? ok('done') : err({ reason: answer, message: answer });
    });
  return { ask, waits, stop };
}

test('a store that is unavailable is asked again, with growing pauses', async () => {
  const { ask, waits } = scene('unavailable', 'unavailable', 'yes');
  expect(await ask(5)).toEqual({ ok: true, value: 'done' });
  expect(waits).toEqual([100, 200]);
});

test('in the end, its last answer counts', async () => {
  const { ask, waits } = scene('unavailable', 'unavailable', 'unavailable');
  expect(await ask(2)).toMatchObject({ error: { reason: 'unavailable' } });
  expect(waits).toEqual([100]);
});

test.each(['refused', 'missing', 'damaged', 'local'] as const)(
  'an answer that cannot change is final: %s',
  async (reason) => {
    const { ask, waits } = scene(reason, 'yes');
    expect(await ask(5)).toMatchObject({ error: { reason } });
    expect(waits).toEqual([]);
  },
);

test('nothing is asked of a store when the run stops', async () => {
  const { ask, stop } = scene('yes');
  stop.abort();
  expect(await ask(5)).toMatchObject({ error: { reason: 'aborted' } });
});
