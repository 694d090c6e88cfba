// Which targets a pattern of a fault means, and which faults have which.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matches, targetsOf } from '../../../src/service/faults/faults.ts';
import { faultSchemas, isFaultName } from '../../../src/service/faults/schema.ts';

test.each([
  ['POST /v1/face-swap', 'POST /v1/face-swap', true],
  ['POST /v1/face-swap', 'POST /v1/face-swap-photo', false],
  ['POST /v1/face-swap*', 'POST /v1/face-swap-photo', true],
  ['*', '', true],
  ['image.*', 'image.completed', true],
  ['image.*', 'video.completed', false],
  ['*.completed', 'audio.completed', true],
  ['a*a', 'a', false],
  ['a*b*a', 'aba', true],
  ['*ab*ab', 'ab', false],
])('%s fits %s: %s', (pattern, target, expected) => {
  expect(matches(pattern, target)).toBe(expected);
});

test('a star stands for any text, as in a regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.') });
  fc.assert(
    fc.property(text, text, (pattern, target) => {
      const literal = (part: string): string => part.replace(/[.]/g, '\\.');
      const expression = new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`, 's');
      expect(matches(pattern, target)).toBe(expression.test(target));
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test('every fault has something that it can happen to', () => {
  for (const name of Object.keys(faultSchemas)) {
    if (!isFaultName(name)) throw new Error(name);
    expect([name, targetsOf(name).length > 0]).toEqual([name, true]);
  }
  expect(targetsOf('reset').some((target) => target.includes('/hub'))).toBe(false);
});
