// Sweeps over many cases of one kind: `npm test` tries a part of them, `EVERY=1 npx vitest run <file>` tries all.

/** Every n-th of the cases, from the `first` one on. */
export function sampleOf<T>(cases: readonly T[], every: number, first = 0): readonly T[] {
  const step = Number(process.env['EVERY'] ?? every);
  return cases.filter((_, index) => index % step === first % step);
}
