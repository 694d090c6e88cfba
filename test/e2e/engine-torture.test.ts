// A short form of the torture of distributed runs, which is a command of its own: npm run torture -- --of engine. The other
// tests of the engine kill each part once.
import { expect, test } from 'vitest';
import { tortureEngine } from '../../torture/engine.ts';
import { main } from '../built.ts';

test('a worker and a coordinator are killed, a worker is frozen, and Postgres crashes: each task is paid once, and both ledgers agree', {
  tags: ['long', 'postgres'],
  timeout: 400_000,
}, async () => {
  const told: string[] = [];
  const tortured = await tortureEngine({
    ...{ seed: 4, workers: 2, items: 6, places: 4, main },
    ...{ kills: 1, coordinators: 1, freezes: 1, crashes: 1 },
    pauses: { between: 300, frozen: [500, 1500] },
    onEvent: () => undefined,
    onNote: (line) => void told.push(line),
  });
  expect(tortured.violations, told.join('\n')).toEqual([]);
  expect(tortured).toMatchObject({ killedWorkers: 1, killedCoordinators: 1, crashes: 1 });
  expect(tortured.projects).toBeGreaterThanOrEqual(tortured.items * 2);
});
