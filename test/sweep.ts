// Sweeps over many cases of one kind, and over random ones: `npm test` tries a part of them, `EVERY=1` all.
import { type TestFunction, test } from 'vitest';

/** Every n-th of the cases, from the `first` one on. */
export function sampleOf<T>(cases: readonly T[], every: number, first = 0): readonly T[] {
  const step = Number(process.env['EVERY'] ?? every);
  return cases.filter((_, index) => index % step === first % step);
}

/** How many random cases a property gets: a third of them. */
export const partOf = (runs: number): number =>
  process.env['EVERY'] === '1' ? runs : Math.ceil(runs / 3);

/** A test that takes long, and shows more of what a shorter one shows: only `EVERY=1` tries it. */
export const longTest = (name: string, run: TestFunction, timeout?: number): void =>
  test(name, { tags: 'long', ...(timeout === undefined ? {} : { timeout }) }, run);
