// The names of tasks: readable, and clear about item and element.
import { expect, test } from 'vitest';
import { eachOf } from '../../src/model/element.ts';
import { valueItem } from '../../src/model/item.ts';
import { fannedOutIn, itemOf, stepOf, taskId } from '../../src/model/task.ts';

const cat = valueItem({ key: 'cat[1]' }, 0);

test('a name tells its step, its item and its element', () => {
  expect([taskId('up', undefined), taskId('up', undefined, 2)]).toEqual(['up', 'up[2]']);
  expect([taskId('up', cat), taskId('up', cat, 2)]).toEqual(['up:cat[1]', 'up:cat[1][2]']);
  expect(['up', 'up[2]', 'up:a:b[2]'].map(stepOf)).toEqual(['up', 'up', 'up']);
});

test('only in a fan-out, a number in brackets is an index', () => {
  expect(itemOf('up:cat[1]', false)).toBe('cat[1]');
  expect(itemOf('up:cat[1][2]', true)).toBe('cat[1]');
  expect([itemOf('up[2]', true), itemOf('up', false)]).toEqual([undefined, undefined]);
  const isFannedOut = fannedOutIn([{ name: 'img' }, { name: 'up', fan: {} }]);
  expect(['up:a[0]', 'img:a[0]'].map(isFannedOut)).toEqual([true, false]);
});

test('each is the fields of an element, the element, and its index', () => {
  expect(eachOf({ url: 'u', index: 'own' }, 3)).toEqual({
    url: 'u',
    value: { url: 'u', index: 'own' },
    index: 3,
  });
  expect(eachOf('dawn', 0)).toEqual({ value: 'dawn', index: 0 });
});
