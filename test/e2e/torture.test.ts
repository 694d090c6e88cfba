// A short round of the runner's torture; the long one is a command of its own: npm run torture.
import { expect, test } from 'vitest';
import { wholeLinesIn } from '../../torture/order-checker.ts';
import { tortureRunner } from '../../torture/runner.ts';
import { tortureTick } from '../../torture/tick.ts';
import { longTest } from '../sweep.ts';

longTest(
  'killed at crash points and random moments, a run is completed by later ones: each task is paid once, each output is whole',
  async () => {
    const told: string[] = [];
    const tortured = await tortureRunner({
      ...{ rounds: 1, seed: 8, items: 5, jobs: 1, paths: 'short' },
      onEvent: (line) => void told.push(line),
    });
    expect(tortured.violations, told.join('\n')).toEqual([]);
    expect(tortured.kills).toBeGreaterThanOrEqual(1);
    expect(tortured.projects).toBeGreaterThanOrEqual(5 * 2);
  },
);

test('ticked every minute for half an hour, each project is looked at only when that is useful, and paid once', async () => {
  const told: string[] = [];
  const onEvent = (line: string): void => void told.push(line);
  const { violations, projects, looks } = await tortureTick({ hours: 0.5, seed: 3, onEvent });
  expect(violations, told.join('\n')).toEqual([]);
  expect(projects).toBeGreaterThan(3);
  expect(looks).toBeGreaterThan(projects);
});

test.each([
  ['{"a":{"b":1}}\n{"c":{"d":1}', ['{"a":{"b":1}}']],
  ['{"a":1}\n{"c":{"d":1}}', ['{"a":1}', '{"c":{"d":1}}']],
  ['{"a":1}\n', ['{"a":1}']],
])(
  'the order checker reads what a run reads, also where a line was torn behind a bracket',
  (text, lines) => {
    expect(wholeLinesIn(text)).toEqual(lines);
  },
);
