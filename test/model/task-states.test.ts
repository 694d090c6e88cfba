// What the state file knows of each task: one state for each, whatever happened to its jobs.
import { expect, test } from 'vitest';
import { type TaskFacts, taskStates } from '../../src/model/task-states.ts';
import {
  complete,
  created,
  deleted,
  doubted,
  errored,
  folded,
  forgotten,
  type Happening,
  intent,
  output,
  pruned,
  run,
  serves,
  supplied,
  taskEnds,
} from './lines.ts';

const deletes = (step: string): boolean => step === 'tidy';

function statesAfter(
  events: readonly Happening[],
  running = false,
): Readonly<Record<string, TaskFacts['state']>> {
  const states = taskStates(folded([run(), ...events]), { running, deletes });
  return Object.fromEntries([...states].map(([task, { state }]) => [task, state]));
}

const paid = [intent('a'), created('a'), complete('a'), output('a')];

test('a finished photo is done, from its upload to the delete', () => {
  expect(statesAfter([supplied('u'), ...paid, deleted('a')])).toEqual({
    ...{ 'photo:u': 'done', 'swap:a': 'done' },
    ...{ 'save:a': 'done', 'tidy:a': 'done' },
  });
});

test('a project that is not over is running', () => {
  expect(statesAfter([intent('a'), created('a')])).toEqual({ 'swap:a': 'running' });
});

test('a request without an answer is sent while its run is active, and in doubt afterwards', () => {
  expect(statesAfter([intent('a')], true)).toEqual({ 'swap:a': 'sent' });
  expect(statesAfter([intent('a')])).toEqual({ 'swap:a': 'doubt' });
  expect(statesAfter([intent('a'), doubted('a')], true)).toEqual({ 'swap:a': 'doubt' });
});

test('a task whose job failed has failed, until another job serves it', () => {
  const failed = [intent('a'), created('a'), errored('a')];
  expect(statesAfter(failed)).toEqual({ 'swap:a': 'failed' });
  const served = [...failed, intent('b'), created('b'), complete('b'), serves('b', 'swap:a')];
  expect(statesAfter(served)).toMatchObject({ 'swap:a': 'done', 'swap:b': 'done' });
});

test('the own line of a task counts before its jobs, except a doubt', () => {
  const fails = taskEnds('swap:a', 'failed', 'a.png does not exist');
  expect(statesAfter([...paid, fails])).toMatchObject({ 'swap:a': 'failed' });
  expect(statesAfter([intent('a'), doubted('a'), fails])).toMatchObject({ 'swap:a': 'doubt' });
});

test('a task that is to be done again, and a file that was pruned, say so', () => {
  expect(statesAfter([...paid, forgotten('a')])).toMatchObject({ 'swap:a': 'forgotten' });
  expect(statesAfter([...paid, pruned('a')])).toMatchObject({ 'save:a': 'pruned' });
});

test('a delete of an earlier attempt says nothing about the project of today', () => {
  const again = [...paid, deleted('a'), intent('a', 10, 2), created('a')];
  expect(statesAfter(again)).toMatchObject({ 'swap:a': 'running', 'tidy:a': 'forgotten' });
});
