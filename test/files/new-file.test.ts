// Files that are made under names that others may have planted.
import fs, {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createNew, createNewDescriptor, openOwn } from '../../src/files/new-file.ts';
import { makePipe } from '../small-disk.ts';
import { replaceUntilEnd } from './patched-fs.ts';

let root = '';
let file = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shotlist-new-'));
  file = join(root, 'file');
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

const ways: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'opened with a handle',
    async () => {
      await using handle = await createNew(file);
      await handle.writeFile('new');
    },
  ],
  [
    'opened with a descriptor',
    async () => {
      const descriptor = await createNewDescriptor(file);
      writeSync(descriptor, 'new');
      closeSync(descriptor);
    },
  ],
];

describe.each(ways)('a new file that is %s', (_way, make) => {
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

describe.each(ways)(
  'when others make and remove the same name, a file that is %s',
  (_way, make) => {
    const { open } = files;
    const { open: openDescriptor, unlinkSync } = fs;

    test('and stands again after each removal is given up in the end', async () => {
      writeFileSync(file, 'theirs');
      let opens = 0;
      replaceUntilEnd(files, {
        open: async (...given: Parameters<typeof open>) => {
          opens += 1;
          return await open(...given);
        },
      });
      replaceUntilEnd(fs, {
        open: (...given: unknown[]) => {
          opens += 1;
          Reflect.apply(openDescriptor, fs, given);
        },
        unlinkSync: () => undefined,
      });
      await expect(make()).rejects.toMatchObject({ code: 'EEXIST' });
      expect(opens).toBe(11);
      expect(readFileSync(file, 'utf8')).toBe('theirs');
    });

    test('and is gone before it is removed is no trouble', async () => {
      writeFileSync(file, 'theirs');
      replaceUntilEnd(fs, {
        unlinkSync: (path: string) => {
          unlinkSync(path);
          unlinkSync(path);
        },
      });
      await make();
      expect(readFileSync(file, 'utf8')).toBe('new');
    });

    test('and may not be removed is an error', async () => {
      writeFileSync(file, 'theirs');
      replaceUntilEnd(fs, {
        unlinkSync: () => {
          throw Object.assign(new Error('no'), { code: 'EPERM' });
        },
      });
      await expect(make()).rejects.toMatchObject({ code: 'EPERM' });
    });
  },
);

test.each(ways)('a new file that is %s may be read by all', async (_way, make) => {
  await make();
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
