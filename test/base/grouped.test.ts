import fc from 'fast-check';
import { test } from 'vitest';
import { grouped } from '../../src/base/text.ts';

test('groups numbers as toLocaleString does', () => {
  const numbers = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double(), fc.constant(-1000));
  fc.assert(
    fc.property(numbers, (n) => grouped(n) === (n === 0 ? '0' : n.toLocaleString('en-US'))),
  );
});
