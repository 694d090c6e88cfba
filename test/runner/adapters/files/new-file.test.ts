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
import files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createNew, openOwn } from '../../../../src/runner/adapters/files/new-file.ts';
import { makePipe } from '../../../small-disk.ts';
import { replaceUntilEnd } from './patched-fs.ts';

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

describe('when others make and remove the same name', () => {
  const { open, unlink } = files;

  test('a file that stands again after each removal is given up in the end', async () => {
    writeFileSync(file, 'theirs');
    let opens = 0;
    replaceUntilEnd(files, {
      open: async (...given: Parameters<typeof open>) => {
        opens += 1;
        return await open(...given);
      },
      unlink: async () => undefined,
    });
    await expect(createNew(file)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(opens).toBe(11);
    expect(readFileSync(file, 'utf8')).toBe('theirs');
  });

  test('a file that is gone before it is removed is no trouble', async () => {
    writeFileSync(file, 'theirs');
    replaceUntilEnd(files, {
      unlink: async (path: string) => {
        await unlink(path);
        await unlink(path);
      },
    });
    await make();
    expect(readFileSync(file, 'utf8')).toBe('new');
  });

  test('a file that may not be removed is an error', async () => {
    writeFileSync(file, 'theirs');
    replaceUntilEnd(files, {
      unlink: async () => {
        throw Object.assign(new Error('no'), { code: 'EPERM' });
      },
    });
    await expect(createNew(file)).rejects.toMatchObject({ code: 'EPERM' });
  });
});

test('a new file has the flags that it is asked for, and may be read by all', async () => {
  await using handle = await createNew(file, constants.O_APPEND);
  await handle.write('one', 0);
  await handle.write('two', 0);
  expect(readFileSync(file, 'utf8')).toBe('onetwo');
  expect(lstatSync(file).mode & 0o777 & process.umask()).toBe(0);
  expect(lstatSync(file).mode & 0o600).toBe(0o600);
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
