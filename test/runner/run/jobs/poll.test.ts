// How often a job is looked at: by the median of its tool.
import { expect, test } from 'vitest';
import { pauses } from '../../../../src/runner/run/jobs/poll.ts';

const first = (count: number, medianSeconds: number): readonly number[] => {
  const waits = pauses(medianSeconds);
  return Array.from({ length: count }, () => Math.round(waits.next().value));
};

test.each<readonly [number, readonly number[]]>([
  // From an eightieth of the median to a quarter of it, by half each time.
  [80, [1000, 1500, 2250, 3375, 5063, 7594, 11391, 17086, 20000, 20000]],
  // Never more often than every 20 ms; every second is often enough.
  [0.5, [20, 30, 45, 68, 101, 152, 228, 342, 513, 769, 1000, 1000]],
  // At least twice a minute.
  [4000, [30_000, 30_000]],
  [400, [5000, 7500, 11_250, 16_875, 25_313, 30_000]],
])('a job of %d s is looked at after these pauses', (medianSeconds, expected) => {
  expect(first(expected.length, medianSeconds)).toEqual(expected);
});

test('a job of median length takes about ten looks, however long that is', () => {
  for (const medianSeconds of [8, 60, 120]) {
    const waits = pauses(medianSeconds);
    let [looks, passed] = [0, 0];
    while (passed < medianSeconds * 1000) {
      passed += waits.next().value;
      looks += 1;
    }
    expect(looks).toBeGreaterThanOrEqual(8);
    expect(looks).toBeLessThanOrEqual(12);
  }
});
