// A short round of the runner's torture; the long one is a command of its own: npm run torture.
import { expect, test } from 'vitest';
import { tortureRunner } from '../../torture/runner.ts';

test('killed at crash points and random moments, a run is completed by later ones: each task is paid once, each output is whole', async () => {
  const told: string[] = [];
  const tortured = await tortureRunner({
    ...{ rounds: 3, seed: 8, items: 8, jobs: 2 },
    say: (line) => void told.push(line),
  });
  expect(tortured.violations, told.join('\n')).toEqual([]);
  expect(tortured.deaths).toBeGreaterThanOrEqual(2);
  expect(tortured.projects).toBeGreaterThanOrEqual(3 * 8 * 2);
}, 120_000);
