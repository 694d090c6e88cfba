// Credits in money.
import { expect, test } from 'vitest';
import { moneyText } from '../../src/views/credits-text.ts';

test.each([
  [0, 0.0012, '$0'],
  [2, 0.0012, 'less than $0.01'],
  [2380, 0.0012, '$2.86'],
  [240, 0.00195, '$0.47'],
  [30, 0.0025, '$0.08'],
  [1_000_000, 0.0025, '$2,500'],
])('%i credits at %f dollars are %s', (credits, dollars, text) => {
  expect(moneyText(credits, dollars)).toBe(text);
});
