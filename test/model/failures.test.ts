// Which failures stand: of jobs that nothing has made good since, and of tasks that failed before their job began.
import { expect, test } from 'vitest';
import { standingFailures, standingTasks } from '../../src/model/failures.ts';
import {
  complete,
  created,
  doubted,
  errored,
  folded,
  type Happening,
  intent,
  refused,
  run,
  serves,
  supplied,
  taskEnds,
} from './lines.ts';

const failed = [run(), intent(), serves('a', 'swap:two'), refused()];
const stands = (...events: readonly Happening[]): ReturnType<typeof standingFailures> =>
  standingFailures(folded([...failed, ...events]));
const why = { why: 'no', code: 'refused' };

test('a failed job speaks for all its tasks, with its code', () => {
  expect(stands()).toStrictEqual([{ tasks: ['swap:a', 'swap:two'], ...why }]);
});

test.each<readonly [string, readonly Happening[]]>([
  ['is free and done', [supplied('b'), serves('b', 'swap:two')]],
  ['is paid and in the works', [intent('b'), created('b'), serves('b', 'swap:two')]],
  ['is paid and done', [intent('b'), created('b'), complete('b'), serves('b', 'swap:two')]],
])('a task is well when another job of it %s', (_, events) => {
  expect(stands(...events)).toStrictEqual([{ tasks: ['swap:a'], ...why }]);
});

test.each<readonly [string, readonly Happening[]]>([
  ['is in doubt', [intent('b'), doubted('b'), serves('b', 'swap:two')]],
  ['is about to be sent', [intent('b'), serves('b', 'swap:two')]],
])('a task is not well yet when another job of it %s', (_, events) => {
  expect(stands(...events)).toStrictEqual([{ tasks: ['swap:a', 'swap:two'], ...why }]);
});

test('no failure stands once every task of the job is served well', () => {
  const both = [supplied('b'), serves('b', 'swap:two'), serves('b', 'swap:a')];
  expect(stands(...both)).toEqual([]);
});

test('two failed jobs are two failures', () => {
  expect(stands(intent('b'), created('b'), errored('b'))).toStrictEqual([
    { tasks: ['swap:a', 'swap:two'], ...why },
    { tasks: ['swap:b'], why: 'it broke', code: 'unknown_error' },
  ]);
});

test('the last word of a task counts: it failed with a code or without, or it is skipped', () => {
  expect(
    stands(
      taskEnds('swap:two', 'skipped', 'its if: is false'),
      taskEnds('x', 'failed', 'no such file', 'no_input'),
      taskEnds('y', 'failed', 'no such step'),
    ),
  ).toStrictEqual([
    { tasks: ['swap:a'], ...why },
    { tasks: ['x'], why: 'no such file', code: 'no_input' },
    { tasks: ['y'], why: 'no such step', code: undefined },
  ]);
});

test('a skip counts where a job of the task has failed: elsewhere, the pipeline says it', () => {
  const skipped = (task: string) => taskEnds(task, 'skipped', 'its if: is false');
  const ledger = folded([...failed, skipped('swap:two'), skipped('x')]);
  expect(standingTasks(ledger).map(({ task }) => task)).toEqual(['swap:two']);
});
