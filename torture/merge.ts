// Merges many pairs of histories that begin together; the short form is test/tables/union.test.ts.
import fc from 'fast-check';
import { histories } from '../test/tables/histories.ts';
import { bytesOf, violations } from '../test/tables/union.ts';

/** What is wrong with the smallest pair that breaks a promise, and its files; empty if none does. */
export function tortureMerge({
  rounds,
  seed,
}: {
  readonly rounds: number;
  readonly seed: number;
}): readonly string[] {
  const property = fc.property(histories, (all) => violations(all).length === 0);
  const { counterexample } = fc.check(property, { numRuns: rounds, seed });
  const [all] = counterexample ?? [];
  if (all === undefined) return [];
  const sides = [all.base, all.midway, all.ours, all.theirs].map((side) =>
    bytesOf(side).join('\n'),
  );
  return [...violations(all), ...sides];
}
