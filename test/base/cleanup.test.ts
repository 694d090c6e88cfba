// What was opened is closed, whatever happens.
import { expect, test } from 'vitest';
import { Cleanup } from '../../src/base/cleanup.ts';

test('closes what was opened last first, and waits for each', async () => {
  const closed: string[] = [];
  {
    await using cleanup = new Cleanup();
    cleanup.defer(() => void closed.push('first'));
    cleanup.defer(async () => {
      await Promise.resolve();
      closed.push('second');
    });
  }
  expect(closed).toEqual(['second', 'first']);
});

test('what was handed over is closed by whoever has it, once', async () => {
  const closed: string[] = [];
  const cleanup = new Cleanup();
  cleanup.defer(() => void closed.push('it'));
  const moved = cleanup.move();
  await cleanup[Symbol.asyncDispose]();
  expect(closed).toEqual([]);
  await moved[Symbol.asyncDispose]();
  await moved[Symbol.asyncDispose]();
  expect(closed).toEqual(['it']);
});

test('one that fails does not keep the others open, and the first failure is thrown', async () => {
  const closed: string[] = [];
  const cleanup = new Cleanup();
  cleanup.defer(() => void closed.push('first'));
  cleanup.defer(() => Promise.reject(new Error('the second one')));
  cleanup.defer(() => Promise.reject(new Error('the last one')));
  await expect(cleanup[Symbol.asyncDispose]()).rejects.toThrow('the last one');
  expect(closed).toEqual(['first']);
});
