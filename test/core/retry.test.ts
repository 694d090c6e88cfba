// How often a free call is made, and how long the pauses are: by a clock that the test owns.
import { describe, expect, test } from 'vitest';
import { err, ok, type Result } from '../../src/base/result.ts';
import type { ApiFailure } from '../../src/contract/api/failure.ts';
import { backoffAfter, isFreeAgain, patiently } from '../../src/core/retry.ts';
import { busy, throttled, unanswered, unfit } from '../fakes/failures.ts';
import { FakeClock } from '../files/places.ts';

async function trying(attempts: number, ...failures: readonly ApiFailure[]) {
  const clock = new FakeClock();
  const stopper = new AbortController();
  let calls = 0;
  const patience = { clock, stop: stopper.signal, backoffMs: 1000 };
  const answer = await patiently(
    attempts,
    patience,
    isFreeAgain,
    async (): Promise<Result<string, ApiFailure>> => {
      const failure = failures[calls];
      calls += 1;
      return failure === undefined ? ok('well') : err(failure);
    },
  );
  return { answer, calls, slept: clock.slept };
}

describe('a free call', () => {
  test('is made once where it succeeds', async () => {
    expect(await trying(5)).toEqual({ answer: ok('well'), calls: 1, slept: [] });
  });

  test('is made again after a pause, which doubles', async () => {
    const { answer, calls, slept } = await trying(5, busy, unanswered, busy);
    expect([answer, calls]).toEqual([ok('well'), 4]);
    // A chance of a half makes the jitter one.
    expect(slept).toEqual([1000, 2000, 4000]);
  });

  test('waits as long as the service asks, and the pause more', async () => {
    expect((await trying(5, throttled)).slept).toEqual([8000]);
  });

  test('is made so often in all and no more, and there is no pause after the last', async () => {
    const { answer, calls, slept } = await trying(3, busy, busy, busy, busy);
    expect([answer, calls]).toEqual([err(busy), 3]);
    expect(slept).toEqual([1000, 2000]);
  });

  test('with one attempt is made once', async () => {
    expect(await trying(1, busy)).toEqual({ answer: err(busy), calls: 1, slept: [] });
  });

  test('is not made again where that would not help', async () => {
    expect(await trying(5, unfit)).toEqual({ answer: err(unfit), calls: 1, slept: [] });
  });

  test('is not made again once the run stops, and says that it was stopped', async () => {
    const clock = new FakeClock();
    const stopper = new AbortController();
    let calls = 0;
    const patience = { clock, stop: stopper.signal, backoffMs: 1000 };
    const answer = await patiently(5, patience, isFreeAgain, async () => {
      calls += 1;
      stopper.abort();
      return err(busy);
    });
    expect([answer, calls]).toEqual([
      err({ reason: 'aborted', message: 'the run is stopping' }),
      1,
    ]);
    expect(clock.slept).toEqual([]);
  });

  test('that throws is a bug, and is not made again', async () => {
    const patience = { clock: new FakeClock(), stop: new AbortController().signal, backoffMs: 1 };
    let calls = 0;
    const call = async (): Promise<Result<string, ApiFailure>> => {
      calls += 1;
      throw new RangeError('x');
    };
    await expect(patiently(5, patience, isFreeAgain, call)).rejects.toThrow(RangeError);
    expect(calls).toBe(1);
  });
});

test('a pause is jittered by a half, and never longer than 45 seconds', () => {
  expect(backoffAfter(1, 1000, 0)).toBe(500);
  expect(backoffAfter(1, 1000, 0.999)).toBeCloseTo(1499);
  expect(backoffAfter(50, 1000, 0.999)).toBeLessThan(45_000);
});
