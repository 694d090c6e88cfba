// Lengths of time as people write them.
import { expect, test } from 'vitest';
import { durationPattern, milliseconds } from '../../src/base/duration.ts';

test.each([
  ['250ms', 250],
  ['0s', 0],
  ['90s', 90_000],
  ['10m', 600_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
])('%s is %i milliseconds', (text, ms) => {
  expect(milliseconds(text)).toBe(ms);
  expect(text).toMatch(new RegExp(durationPattern, 'u'));
});

test.each(['', '90', '10 m', '-1s', '1.2.3s', '.5s', '5.s', 'm', '1w', '1S', '1s\n', '1e3s'])(
  '%j is none, for the schema too',
  (text) => {
    expect(milliseconds(text)).toBeNaN();
    // As JSON Schema means it: without `m`, `$` is the end of the text.
    expect(text).not.toMatch(new RegExp(durationPattern, 'u'));
  },
);
