// Jobs in few bytes answer as jobs in memory do, whether they are at hand or written away.
import { expect, onTestFinished, test } from 'vitest';
import { diskStore } from '../../../../src/runner/adapters/state/job-store.ts';
import { memoryStore } from '../../../../src/runner/journal/job-store.ts';
import type { JobLine } from '../../../../src/runner/journal/line.ts';
import { at } from '../../journal/lines.ts';

/** More than are kept at hand. */
const many = 7_000;
const fingerprint = (index: number): string => index.toString(16).padStart(7, '0').padEnd(64, '0');
const line = (index: number, attempt = 1): JobLine => ({
  job: fingerprint(index),
  kind: 'upload',
  state: 'supplied',
  // In another order than the fingerprints, and some tasks have several jobs.
  tasks: [`photo:${(index * 7919) % (many / 2)}`],
  attempt,
  at,
});

test('many jobs are found, replaced and sorted as in memory', () => {
  const [store, model] = [diskStore(), memoryStore()];
  onTestFinished(() => store.close());
  const set = (job: JobLine): void => {
    store.set(job);
    model.set(job);
  };
  const check = (): void => {
    for (let index = 0; index < many; index++)
      expect(store.get(fingerprint(index))).toEqual(model.get(fingerprint(index)));
    expect([...store.sorted()]).toEqual([...model.sorted()]);
  };
  for (let index = 0; index < many; index++) set(line(index));
  check();
  // Of those that were written away and of those at hand.
  for (let index = 0; index < many; index += 500) set(line(index, 2));
  check();
});

test('a job that nobody knows is not found, also where a known one begins with the same digits', () => {
  const store = diskStore();
  onTestFinished(() => store.close());
  for (let index = 0; index < many; index++) store.set(line(index));
  expect(store.get(fingerprint(many))).toBeUndefined();
  expect(store.get(`${fingerprint(0).slice(0, -1)}1`)).toBeUndefined();
});

test('a closed store has let its records go', () => {
  const store = diskStore();
  for (let index = 0; index < many; index++) store.set(line(index));
  store.close();
  expect(() => store.get(fingerprint(0))).toThrow();
});
