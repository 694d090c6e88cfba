// Items: their keys are what people see and what stays the same between runs.
import { describe, expect, test } from 'vitest';
import { fileItem, globBase, valueItem } from '../../src/model/item.ts';
import { taskId } from '../../src/model/task.ts';

describe('an item of a file', () => {
  test('has a key below the folder of the glob, and the parts of its name', () => {
    expect(fileItem('../media/photos/2024/rose.tar.gz', '../media/photos/', 4)).toEqual({
      key: '2024/rose.tar.gz',
      fields: {
        key: '2024/rose.tar.gz',
        index: 4,
        path: '../media/photos/2024/rose.tar.gz',
        name: 'rose.tar.gz',
        stem: 'rose.tar',
        ext: 'gz',
        dir: '2024',
      },
    });
  });

  test('in the folder itself has the dir "."', () => {
    expect(fileItem('photos/a.png', 'photos/', 0).fields).toMatchObject({ key: 'a.png', dir: '.' });
  });

  test.each([
    ['photos/README', 'README', ''],
    ['photos/.hidden', '.hidden', ''],
  ])('%s has the stem %s and no extension', (path, stem, ext) => {
    expect(fileItem(path, 'photos/', 0).fields).toMatchObject({ stem, ext });
  });
});

describe('an item of a value', () => {
  test('has its fields, its own key if it has one, and its place', () => {
    expect(valueItem({ key: 'rose', path: 'a.png' }, 3)).toEqual({
      key: 'rose',
      fields: { key: 'rose', path: 'a.png', index: 3 },
    });
    expect(valueItem({ key: 7 }, 0)).toEqual({ key: '7', fields: { key: '7', index: 0 } });
  });

  test('without a key counts from 1', () => {
    expect(valueItem({ path: 'a.png' }, 0)).toEqual({
      key: '1',
      fields: { key: '1', path: 'a.png', index: 0 },
    });
  });

  test.each(['calm', 3, true])('that is the single value %j has it as value', (value) => {
    expect(valueItem(value, 1)).toEqual({ key: '2', fields: { key: '2', value, index: 1 } });
  });
});

describe('the folder of a glob', () => {
  test.each([
    ['../media/photos/**/*.{jpg,png}', '../media/photos/'],
    ['photos/*.png', 'photos/'],
    ['*.png', ''],
    ['photos/a.png', 'photos/'],
    ['a[12]/b.png', ''],
    ['x/{a,b}/c.png', 'x/'],
    ['x/@(a|b).png', 'x/'],
    ['photos (1)/*.png', 'photos (1)/'],
    ['me+you@home!/*.png', 'me+you@home!/'],
    ['my\\ photos/*.png', ''],
  ])('of %s is %j', (pattern, base) => {
    expect(globBase(pattern)).toBe(base);
  });
});

describe('a task', () => {
  test('is named by its step and its item; a shared one by its step', () => {
    expect(taskId('swap', valueItem({ key: 'rose' }, 0))).toBe('swap:rose');
    expect(taskId('actor', undefined)).toBe('actor');
  });
});
