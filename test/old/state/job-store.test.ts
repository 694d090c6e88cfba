// Jobs in few bytes answer as jobs in memory do, whether they are at hand or written away.
import { expect, onTestFinished, test } from 'vitest';
import { jobIn, memoryStore } from '../../../src/model/job-store.ts';
import type { JobLine } from '../../../src/model/line.ts';
import { isTemplate, RowWriter } from '../../../src/model/rows.ts';
import { diskStore, RecordLog } from '../../../src/state/job-store.ts';
import { at } from '../../model/lines.ts';
import { photoJobs } from '../../model/photo-jobs.ts';
import { sampleOf } from '../../sweep.ts';

/** More than stay objects. */
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
    for (let index = 0; index < many; index += 7)
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

test('jobs are read again from the lines that told them: their own, rows and events', () => {
  const [store, model] = [diskStore(), memoryStore()];
  onTestFinished(() => store.close());
  const writer = new RowWriter();
  const read = (text: string): void => {
    if (isTemplate(text)) return void store.rows.read(text);
    const job = jobIn(text, store.rows);
    store.set(job, text);
    model.set(job);
  };
  for (let index = 0; index < many / 7; index++) {
    for (const job of photoJobs(index)) for (const text of writer.text(job).split('\n')) read(text);
    const what = {
      job: fingerprint(index),
      task: `é:${index}`,
      kind: 'upload',
      result: { id: 'ä' },
    };
    read(JSON.stringify({ seq: index, event: 'supplied', at, ...what }));
  }
  expect([...store.sorted()]).toEqual([...model.sorted()]);
  for (const job of sampleOf([...model.sorted()], 7)) expect(store.get(job.job)).toEqual(job);
  // Then the line says less than is known.
  for (const job of model.sorted()) store.set({ ...job, attempt: 7 });
  expect([...store.sorted()]).toEqual([...model.sorted()].map((job) => ({ ...job, attempt: 7 })));
});

// Records are read back as they were added, from memory and from the temporary file.

const text = (number: number): string => `${number} ä😀 ${'x'.repeat(200_000)}`;

test('records are the same when they are no longer in memory', () => {
  const log = new RecordLog(1);
  onTestFinished(() => log.close());
  const places = Array.from({ length: 20 }, (_, number) => log.add(text(number)));
  expect(new Set(places.map(({ chunk }) => chunk)).size).toBeGreaterThan(5);
  // Longer than a chunk.
  const long = '😀'.repeat(1_000_000);
  const longPlace = log.add(long);
  places.push(log.add(text(20)));
  for (const [number, place] of places.entries()) expect(log.at(place)).toBe(text(number));
  expect(log.at(longPlace) === long).toBe(true);
});
