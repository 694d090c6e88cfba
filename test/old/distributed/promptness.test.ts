// A permission to send a creation is good for eight seconds, by whichever clock has gone further.
import { expect, test } from 'vitest';
import { Promptness } from '../../../src/distributed/promptness.ts';

class TwoClocks {
  wall = 1_000_000;
  monotonic = 0;
  now = (): number => this.wall;
  elapsed = (): number => this.monotonic;
}

function asked() {
  const clock = new TwoClocks();
  const promptness = new Promptness(clock);
  promptness.asking('n');
  return { clock, promptness };
}

test('a creation may be sent at once', () => {
  const { promptness } = asked();
  expect(promptness.mayStart('n')).toBe(true);
});

test.each<readonly [string, { readonly wall?: number; readonly monotonic?: number }]>([
  ['the monotonic clock', { monotonic: 8_001 }],
  ['the wall clock, of a machine that was suspended', { wall: 8_001 }],
  ['the wall clock, set back', { wall: -8_001 }],
])('not after eight seconds by %s', (_, { wall = 0, monotonic = 0 }) => {
  const { clock, promptness } = asked();
  clock.wall += wall;
  clock.monotonic += monotonic;
  expect(promptness.mayStart('n')).toBe(false);
});

test('asking again gives it another eight seconds', () => {
  const { clock, promptness } = asked();
  clock.monotonic += 9_000;
  promptness.asking('n');
  expect(promptness.mayStart('n')).toBe(true);
});

test('nothing is sent under a name that nobody asked about, or that is over', () => {
  const { promptness } = asked();
  expect(promptness.mayStart('other')).toBe(false);
  promptness.over('n');
  expect(promptness.mayStart('n')).toBe(false);
});
