// A short look at a folder: what is counted, and what is passed over.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { glance } from '../../src/files/glob-source.ts';
import { folderWith, temporaryFolder } from './places.ts';

const png = (name: string): boolean => name.endsWith('.png');

test('files are counted by extension, the most frequent first, then by name', async () => {
  const folder = folderWith('a.txt', 'b.JPG', 'c.jpg', 'd.png', 'none', '.hidden.png', 'e.gif');
  expect(await glance(folder, png)).toEqual({
    extensions: [
      ['jpg', 2],
      ['', 1],
      ['gif', 1],
      ['png', 1],
      ['txt', 1],
    ],
    folders: [],
    hidden: 1,
    fitting: 0,
    cut: false,
  });
});

test('below the folder itself, only files that fit are counted', async () => {
  const folder = folderWith(
    'top.png',
    'a/1.png',
    'a/2.txt',
    'a/b/3.png',
    'a/.4.png',
    '.hidden/5.png',
    'a/.hidden/6.png',
  );
  mkdirSync(join(folder, 'c'));
  const { extensions, folders, hidden, fitting } = await glance(folder, png);
  expect(extensions).toEqual([['png', 1]]);
  expect([...folders].sort()).toEqual(['a', 'c']);
  expect(hidden).toBe(0);
  expect(fitting).toBe(2);
});

test('no link is followed, and one counts as a file', async () => {
  const folder = folderWith('a/1.png', 'a/2.png');
  symlinkSync('a', join(folder, 'link'));
  symlinkSync('a', join(folder, '.link'));
  expect(await glance(folder, png)).toMatchObject({
    extensions: [['', 1]],
    folders: ['a'],
    hidden: 0,
    fitting: 2,
  });
});

test('a folder that is not there has nothing in it', async () => {
  expect(await glance(join(temporaryFolder(), 'none'), png)).toEqual({
    ...{ extensions: [], folders: [], hidden: 0, fitting: 0 },
    cut: false,
  });
});
