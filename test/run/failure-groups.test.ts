// Equal failures are one group: by step, ending and reason.
import { expect, test } from 'vitest';
import { FailureGroups } from '../../src/run/summary-builder.ts';

test('tasks of one step that ended for one reason are one group, with three examples', () => {
  const groups = new FailureGroups();
  for (const key of ['a', 'b', 'c', 'd'])
    groups.add(`swap:${key}`, 'failed', 'no face', { advice: 'another' });
  groups.add('swap:e', 'pending', 'no face', undefined);
  groups.add('swap:f', 'failed', 'too large', undefined);
  groups.add('other:a:b', 'failed', 'no face', undefined);
  groups.add('once', 'failed', 'no face', undefined);
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
  const groups = new FailureGroups();
  for (let index = 0; index < 130; index++) groups.add('a:1', 'failed', `${index}`, undefined);
  groups.add('a:2', 'failed', '99', undefined);
  expect(groups.groups).toHaveLength(100);
  expect(groups.groups.at(-1)).toMatchObject({ why: '99', count: 2 });
});

test('a reason that names the file of each task is one reason, with the first three files', () => {
  const groups = new FailureGroups();
  for (const key of ['a', 'b', 'c', 'd']) {
    const file = `photos/${key}.png`;
    groups.add(`swap:${key}`, 'failed', `${file} is empty`, { cure: 'file', named: [file] });
  }
  groups.add('swap:e', 'failed', 'photos/e.png is large', { named: ['photos/e.png'] });
  expect(groups.groups).toMatchObject([
    {
      ...{ why: 'its file is empty', cure: 'file', count: 4 },
      files: ['photos/a.png', 'photos/b.png', 'photos/c.png'],
    },
    { why: 'photos/e.png is large', count: 1, files: ['photos/e.png'] },
  ]);
});
