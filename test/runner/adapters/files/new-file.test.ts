// Files that are made under names that others may have planted.
import {
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createNew, openOwn } from '../../../../src/runner/adapters/files/new-file.ts';
import { makePipe } from '../../../small-disk.ts';

let root = '';
let file = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shotlist-new-'));
  file = join(root, 'file');
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

async function make(): Promise<void> {
  await using handle = await createNew(file);
  await handle.writeFile('new');
}

describe('a new file', () => {
  const plants: readonly (readonly [string, () => void])[] = [
    ['a file', () => writeFileSync(file, 'longer than what is new')],
    ['a link to a file', () => symlinkSync('victim', file)],
    ['a link to nothing', () => symlinkSync('nothing', file)],
    ['a link to a folder', () => symlinkSync('folder', file)],
    ['a named pipe', () => expect(makePipe(file)).toBe(true)],
  ];
  test.each(plants)('takes the place of %s, and nothing is written there', async (_name, plant) => {
    writeFileSync(join(root, 'victim'), 'mine');
    mkdirSync(join(root, 'folder'));
    plant();
    await make();
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(root)).toEqual(['file', 'folder', 'victim']);
    expect(readFileSync(join(root, 'victim'), 'utf8')).toBe('mine');
  });

  test('does not take the place of a folder', async () => {
    mkdirSync(file);
    await expect(make()).rejects.toThrow();
    expect(lstatSync(file).isDirectory()).toBe(true);
  });

  test('is made by each of several that ask at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, make));
    expect(readFileSync(file, 'utf8')).toBe('new');
  });
});

describe('a file of our own is not opened', () => {
  test('through a link', async () => {
    writeFileSync(join(root, 'victim'), 'mine');
    symlinkSync('victim', file);
    await expect(openOwn(file, constants.O_WRONLY | constants.O_APPEND)).rejects.toMatchObject({
      code: 'ELOOP',
    });
  });

  test('where a named pipe stands, which would wait for ever', async () => {
    expect(makePipe(file)).toBe(true);
    await expect(openOwn(file, constants.O_RDONLY)).rejects.toMatchObject({ code: 'NOT_REGULAR' });
    await expect(openOwn(file, constants.O_WRONLY)).rejects.toMatchObject({ code: 'ENXIO' });
  });
});
