// A transfer is cut when too little of it comes in a stretch of time, and only then.
import { expect, test } from 'vitest';
import { GivenUp } from '../../src/service-api/request-handler.ts';
import { leastProgress, Progress } from '../../src/service-api/storage.ts';

const least = { bytes: 1000, everyMs: 2000 };

test('a transfer goes on while enough comes in each stretch', () => {
  const progress = new Progress(least);
  progress.add(0);
  expect(progress.look(0)).toBeUndefined();
  for (let now = 1000; now <= 6000; now += 1000) {
    progress.add(500);
    expect(progress.look(now)).toBeUndefined();
  }
});

test('one byte too few in one stretch is a cut, however much came before', () => {
  const progress = new Progress(least);
  progress.add(5000);
  progress.look(0);
  progress.look(2000);
  progress.add(999);
  expect(progress.look(3999)).toBeUndefined();
  const slow = progress.look(4000);
  expect(slow).toEqual(new GivenUp('slow', 'only 999 bytes came in 2 seconds'));
  expect(slow).toMatchObject({ because: 'slow' });
});

test('the watch begins with the first bytes', () => {
  const progress = new Progress(least);
  for (const now of [0, 2000, 4000]) expect(progress.look(now)).toBeUndefined();
  progress.add(0);
  expect(progress.look(6000)).toBeUndefined();
  expect(progress.look(7999)).toBeUndefined();
  expect(progress.look(8000)).toBeInstanceOf(GivenUp);
});

test('without other wishes, it is 1 KB a second over two minutes', () => {
  expect(leastProgress).toEqual({ bytes: 120_000, everyMs: 120_000 });
});
