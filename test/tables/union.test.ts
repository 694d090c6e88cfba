// Any two histories from a common beginning merge to one ledger, in either order, and no payment is lost.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partOf } from '../sweep.ts';
import { histories } from './histories.ts';
import { violations } from './union.ts';

test('two histories merge to the union of their payments, the same bytes in either order', () => {
  fc.assert(
    fc.property(histories, (all) => {
      expect(violations(all)).toEqual([]);
    }),
    { numRuns: partOf(200) },
  );
});
