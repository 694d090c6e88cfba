// Looks that a process may spend on projects that still render.
import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../../bench/wait/simulated-clock.ts';
import { LookBudget } from '../../../../src/run/jobs/looks.ts';

/** So many want to look at once; when each may, in milliseconds. `finds`: whether a look finds its project over. */
async function turns(
  count: number,
  finds: (index: number) => boolean,
  speedFactor = 1,
): Promise<readonly number[]> {
  const clock = new SimulatedClock();
  const budget = new LookBudget(clock, speedFactor);
  const at: number[] = [];
  const look = async (_: unknown, index: number): Promise<void> => {
    const turn = await budget.turn([]);
    at[index] = clock.elapsed();
    await clock.sleep(5);
    if (finds(index)) turn?.giveBack();
  };
  await clock.run(Promise.all(Array.from({ length: count }, look)));
  return at;
}

test('ten looks in any second, first come, first served', async () => {
  const at = await turns(35, () => false);
  expect(at).toEqual(Array.from({ length: 35 }, (_, index) => 1000 * Math.floor(index / 10)));
});

test('more at a faster service', async () => {
  expect((await turns(30, () => false, 100)).at(-1)).toBe(20);
});

test('a look that finds its project over costs nothing', async () => {
  expect((await turns(1000, () => true)).at(-1)).toBe(5 * 99);
});

test('a look in vain is paid for, whatever others find', async () => {
  const at = await turns(40, (index) => index >= 9);
  expect(at.slice(0, 12)).toEqual([...Array(10).fill(0), 5, 10]);
  expect(at.at(-1)).toBe(150);
});

test('who stops waiting takes nothing, and keeps nobody', async () => {
  const clock = new SimulatedClock();
  const budget = new LookBudget(clock, 1);
  for (let look = 0; look < 10; look++) await budget.turn([]);
  const stop = new AbortController();
  const stopped = budget.turn([stop.signal]);
  const other = budget.turn([]);
  stop.abort();
  expect(await stopped).toBeUndefined();
  expect(await budget.turn([stop.signal])).toBeUndefined();
  expect(await clock.run(other)).toBeDefined();
  expect(clock.elapsed()).toBe(1000);
});
