// Which events are dealt with a second time: those that were not taken, and those that nobody would accept any more.
import { expect, test } from 'vitest';
import { EventReplays } from '../../src/service-api/event-receiver.ts';

const time = { now: 100, until: 400 };

function counting(answers: readonly boolean[] = []): {
  readonly take: () => Promise<boolean>;
  readonly count: () => number;
} {
  let takes = 0;
  return { take: async () => answers[takes++] ?? true, count: () => takes };
}

test('one that was taken is taken, without a second look', async () => {
  const replays = new EventReplays(10);
  const { take, count } = counting();
  expect(await replays.once('a', time, take)).toBe(true);
  expect(await replays.once('a', time, take)).toBe(true);
  expect(count()).toBe(1);
});

test('one that was not taken is dealt with when it comes again', async () => {
  const replays = new EventReplays(10);
  const { take, count } = counting([false, true]);
  expect(await replays.once('a', time, take)).toBe(false);
  expect(await replays.once('a', time, take)).toBe(true);
  expect(await replays.once('a', time, take)).toBe(true);
  expect(count()).toBe(2);
});

test('one that failed is dealt with when it comes again', async () => {
  const replays = new EventReplays(10);
  const failing = async (): Promise<boolean> => {
    throw new Error('the disk is full');
  };
  await expect(replays.once('a', time, failing)).rejects.toThrow('the disk is full');
  const { take, count } = counting();
  expect(await replays.once('a', time, take)).toBe(true);
  expect(count()).toBe(1);
});

test('one that is being taken is waited for', async () => {
  const replays = new EventReplays(10);
  const taking = Promise.withResolvers<boolean>();
  const first = replays.once('a', time, () => taking.promise);
  const { take, count } = counting();
  const second = replays.once('a', time, take);
  taking.resolve(false);
  expect(await Promise.all([first, second])).toEqual([false, false]);
  expect(count()).toBe(0);
});

test('those are forgotten that are too old by now, and so many are kept, the latest', async () => {
  const replays = new EventReplays(2);
  const { take, count } = counting();
  await replays.once('old', { now: 100, until: 200 }, take);
  await replays.once('at its end', { now: 200, until: 300 }, take);
  await replays.once('old', { now: 200, until: 300 }, take);
  expect(count()).toBe(2);
  await replays.once('new', { now: 300, until: 600 }, take);
  expect(count()).toBe(3);
  await replays.once('at its end', { now: 300, until: 600 }, take);
  await replays.once('new', { now: 300, until: 600 }, take);
  expect(count()).toBe(3);
  await replays.once('old', { now: 300, until: 600 }, take);
  expect(count()).toBe(4);
});
