// The name of an attempt: what an event is known by, so it must come back as it was sent.
import { expect, test } from 'vitest';
import { attemptName } from '../../../../src/runner/run/orders.ts';

test('a name that is cut in the middle of a character is still text that any service can give back', () => {
  const name = attemptName(`${'x'.repeat(79)}😀`, () => 0);
  expect(name).toBe(`${'x'.repeat(79)}\ufffd #0000000000`);
  expect(Buffer.from(name).toString()).toBe(name);
});
