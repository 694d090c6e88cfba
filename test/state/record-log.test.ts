// Records are read back as they were added, from memory and from the temporary file.
import { expect, onTestFinished, test } from 'vitest';
import { RecordLog } from '../../src/state/job-store.ts';

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
