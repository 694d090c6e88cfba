// Equal failures are one group: by step, ending and reason.
import { expect, test } from 'vitest';
import type { TaskDetail, TaskEnding } from '../../src/core/run-event.ts';
import { Problems } from '../../src/core/run-view.ts';
import { stepOf } from '../../src/model/task.ts';

function add(to: Problems, task: string, ending: TaskEnding, why: string, detail: TaskDetail = {}) {
  to.add({ type: 'task', step: stepOf(task), task, ending, why, credits: 0 }, detail);
}

test('tasks of one step that ended for one reason are one group, with three examples', () => {
  const groups = new Problems();
  for (const key of ['a', 'b', 'c', 'd'])
    add(groups, `swap:${key}`, 'failed', 'no face', { advice: 'another' });
  add(groups, 'swap:e', 'pending', 'no face');
  add(groups, 'swap:f', 'failed', 'too large');
  add(groups, 'other:a:b', 'failed', 'no face');
  add(groups, 'once', 'failed', 'no face');
  const [first, ...more] = groups.groups;
  expect(first).toEqual({
    ...{ step: 'swap', ending: 'failed', why: 'no face', advice: 'another', count: 4 },
    examples: ['swap:a', 'swap:b', 'swap:c'],
  });
  expect(more).toEqual([
    { step: 'swap', ending: 'pending', why: 'no face', count: 1, examples: ['swap:e'] },
    { step: 'swap', ending: 'failed', why: 'too large', count: 1, examples: ['swap:f'] },
    { step: 'other', ending: 'failed', why: 'no face', count: 1, examples: ['other:a:b'] },
    { step: 'once', ending: 'failed', why: 'no face', count: 1, examples: ['once'] },
  ]);
});

test('there are a hundred groups at most, and those that are there go on counting', () => {
  const groups = new Problems();
  for (let index = 0; index < 130; index++) add(groups, 'a:1', 'failed', `${index}`);
  add(groups, 'a:2', 'failed', '99');
  expect(groups.groups).toHaveLength(100);
  expect(groups.groups.at(-1)).toMatchObject({ why: '99', count: 2 });
});

test('a sentence of the service that names the upload of each task is one reason', () => {
  const groups = new Problems();
  for (const key of ['a', 'b'])
    add(groups, `swap:${key}`, 'failed', `The path "api-assets/${key}/${key}.png" is no picture.`);
  expect(groups.groups).toMatchObject([{ why: 'The path "its file" is no picture.', count: 2 }]);
});

test('a reason that names the file of each task is one reason, with the first three files', () => {
  const groups = new Problems();
  for (const key of ['a', 'b', 'c', 'd']) {
    const file = `photos/${key}.png`;
    add(groups, `swap:${key}`, 'failed', `${file} is empty`, { cure: 'file', named: [file] });
  }
  add(groups, 'swap:e', 'failed', 'photos/e.png is large', { named: ['photos/e.png'] });
  expect(groups.groups).toMatchObject([
    {
      ...{ why: 'its file is empty', cure: 'file', count: 4 },
      files: ['photos/a.png', 'photos/b.png', 'photos/c.png'],
    },
    { why: 'photos/e.png is large', count: 1, files: ['photos/e.png'] },
  ]);
});
