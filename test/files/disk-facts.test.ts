// What is known of a file on the real disk: nothing that was not read, and nothing that is no longer so.
import fs, {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { afterNextRead, makeUnreadable, replaceUntilEnd } from './patched-fs.ts';
import { temporaryFolder } from './places.ts';
import { hash, room } from './room.ts';

describe('a file’s digest', () => {
  const old = new Date('2020-01-01');

  test.each([
    ['small', 'rose'],
    ['empty', ''],
    ['large', 'x'.repeat(600_000)],
  ])('is that of its content: %s', async (_, content) => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.txt'), content);
    expect(await disk.digest({ in: 'input', path: 'a.txt' })).toEqual({
      ok: true,
      value: hash(content),
    });
  });

  test('of a large file is not known before it was read, and is known afterwards', async () => {
    const { folder, disk } = room();
    const content = 'rose'.repeat(200_000);
    writeFileSync(join(folder, 'a.txt'), content);
    expect(disk.input('a.txt')).toEqual({ is: 'file', bytes: 800_000, digest: undefined });
    await disk.digest({ in: 'input', path: 'a.txt' });
    expect(disk.input('./a.txt')).toEqual({ is: 'file', bytes: 800_000, digest: hash(content) });
  });

  test('of a small file is known at the first look', () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.txt'), 'rose');
    expect(disk.input('a.txt')).toEqual({ is: 'file', bytes: 4, digest: hash('rose') });
  });

  test('is forgotten when the file changes, even to the same size and time', async () => {
    const { folder, disk } = room();
    const file = join(folder, 'a.txt');
    writeFileSync(file, 'rose');
    utimesSync(file, old, old);
    await disk.digest({ in: 'input', path: 'a.txt' });
    writeFileSync(join(folder, 'b.txt'), 'ruse');
    utimesSync(join(folder, 'b.txt'), old, old);
    renameSync(join(folder, 'b.txt'), file);
    expect(statSync(file).mtimeMs).toBe(old.getTime());
    expect(disk.input('a.txt')).toEqual({ is: 'file', bytes: 4, digest: hash('ruse') });
  });

  test('of a path that begins with "~" is not looked for at home: it says so', () => {
    const { disk } = room();
    expect(disk.input('~/a.txt')).toEqual({
      is: 'absent',
      why: 'does not exist (only a shell expands "~": write the whole path)',
    });
  });

  test.each([
    ['missing', 'gone.png', 'does not exist'],
    ['a folder', 'sub', 'is a folder'],
  ])('cannot be had of a file that is %s: it says so', async (_, path, why) => {
    const { folder, disk } = room();
    mkdirSync(join(folder, 'sub'));
    expect(await disk.digest({ in: 'input', path })).toEqual({
      ok: false,
      error: why,
    });
  });
});

describe('what is known of', () => {
  test('a folder is that it is no file', () => {
    const { folder, disk } = room();
    mkdirSync(join(folder, 'sub'));
    expect(disk.input('sub')).toEqual({ is: 'absent', why: 'is not a file' });
  });

  test('something below a file is that it is not there', () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.txt'), 'x');
    expect(disk.input('a.txt/b.txt').is).toBe('absent');
  });

  test('an absolute path is what stands there', () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.txt'), 'x');
    expect(disk.input(join(folder, 'a.txt')).is).toBe('file');
  });

  test('a file that is gone again is that it is gone', () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.txt'), 'x');
    expect(disk.input('a.txt').is).toBe('file');
    rmSync(join(folder, 'a.txt'));
    expect(disk.input('a.txt')).toEqual({ is: 'absent', why: 'does not exist' });
  });
});

describe('a file that changes while it is read', () => {
  test('is not known by what was read of it', async () => {
    const { folder, disk } = room();
    const file = join(folder, 'a.txt');
    writeFileSync(file, 'rose'.repeat(200_000));
    await afterNextRead(() => writeFileSync(file, 'ruse'.repeat(200_000)));
    const read = await disk.digest({ in: 'input', path: 'a.txt' });
    expect(read.ok).toBe(true);
    expect(disk.input('a.txt')).toEqual({ is: 'file', bytes: 800_000, digest: undefined });
  });
});

describe('a file that may not be read', () => {
  test.each([
    ['small', 'rose'],
    ['large', 'rose'.repeat(200_000)],
  ])('is not there for a plan, which says why: %s', (_, content) => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.txt'), content);
    makeUnreadable(join(folder, 'a.txt'));
    expect(disk.input('a.txt')).toEqual({
      is: 'absent',
      why: 'cannot be read or written (permission denied)',
    });
  });

  test.each([
    ['small', 'rose'],
    ['large', 'rose'.repeat(200_000)],
  ])('in the place of a result is not overwritten: %s', async (_, content) => {
    const { folder, disk } = room();
    const file = join(folder, 'out/a.txt');
    const part = await disk.temporary('a.txt', hash('work'));
    if (!part.ok) throw new Error(part.error.message);
    writeFileSync(part.value.path, 'picture');
    writeFileSync(file, content);
    makeUnreadable(file);
    expect(await disk.place(part.value, 'a.txt', hash('picture'))).toEqual({
      ok: false,
      error: {
        message: `${file} failed: the existing file cannot be read or written (permission denied), so it was not replaced`,
        systemic: false,
      },
    });
    expect(statSync(file).size).toBe(content.length);
  });
});

describe('an input', () => {
  test.each([
    [1 << 18, true],
    [(1 << 18) + 1, false],
  ])('of %i bytes is hashed at the first look: %s', (bytes, known) => {
    const { folder, disk } = room();
    const content = Buffer.alloc(bytes);
    writeFileSync(join(folder, 'a.txt'), content);
    expect(disk.input('a.txt')).toEqual({
      ...{ is: 'file', bytes },
      digest: known ? hash(content) : undefined,
    });
  });

  test.each([
    ['~ann/a.png', true],
    ['~/deep/a.png', true],
    ['~a.png', false],
    ['deep/~/a.png', false],
  ])('%s is not there, and may have been meant to be at home: %s', (path, hinted) => {
    const fact = room().disk.input(path);
    expect(fact.is === 'absent' && fact.why.includes('only a shell expands')).toBe(hinted);
    expect(fact.is === 'absent' && fact.why.startsWith('does not exist')).toBe(true);
  });

  test('that begins with "~" and is there is a file like others', () => {
    const { folder, disk } = room();
    mkdirSync(join(folder, '~ann'));
    writeFileSync(join(folder, '~ann/a.png'), 'rose');
    expect(disk.input('~ann/a.png')).toMatchObject({ is: 'file', bytes: 4 });
  });

  test('outside the repository may not be read, but an output may be there', () => {
    const { folder, disk } = room();
    const other = join(temporaryFolder(), 'a.png');
    writeFileSync(other, 'rose');
    expect(disk.input(other)).toEqual({
      is: 'absent',
      barred: true,
      why: 'is outside the repository: use --allow-outside to allow it',
    });
    expect(disk.output(other)).toMatchObject({ is: 'file' });
    expect(disk.output(join(folder, 'none.png')).is).toBe('absent');
  });
});

describe('what is kept', () => {
  test('is under its digest, with its extension if it has one', () => {
    const { folder, disk } = room();
    const digest = hash('rose');
    const kept = join(folder, '.shotlist/kept');
    expect(disk.fileAt({ in: 'kept', digest, extension: '' }).path).toBe(join(kept, digest));
    expect(disk.fileAt({ in: 'kept', digest, extension: 'png' }).path).toBe(
      join(kept, `${digest}.png`),
    );
    expect(disk.kept(digest, '')).toEqual({ is: 'absent', why: 'does not exist' });
    mkdirSync(kept);
    writeFileSync(join(kept, digest), 'rose');
    expect(disk.kept(digest, '')).toEqual({ is: 'file', bytes: 4, digest });
  });

  test('may be hashed like any other file', async () => {
    const { folder, disk } = room();
    const digest = hash('rose');
    mkdirSync(join(folder, '.shotlist/kept'));
    writeFileSync(join(folder, '.shotlist/kept', digest), 'rose');
    expect(await disk.digest({ in: 'kept', digest, extension: '' })).toEqual({
      ok: true,
      value: digest,
    });
  });
});

describe('a large result', () => {
  const [first, second] = ['first '.repeat(100_000), 'second '.repeat(100_000)];

  test('of an earlier run is read, and kept, before another takes its place', async () => {
    const { folder, disk } = room();
    const part = await disk.temporary('a.png', hash('work'));
    if (!part.ok) throw new Error(part.error.message);
    writeFileSync(join(folder, 'out/a.png'), first);
    writeFileSync(part.value.path, second);
    expect((await disk.place(part.value, 'a.png', hash(second))).ok).toBe(true);
    const kept = disk.fileAt({ in: 'kept', digest: hash(first), extension: 'png' });
    expect(readFileSync(kept.path, 'utf8')).toBe(first);
  });

  test('is copied whole', async () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.png'), first);
    const into = { path: join(folder, 'b.part') };
    expect(await disk.copy({ path: join(folder, 'a.png') }, into)).toEqual({
      ok: true,
      value: { bytes: first.length, digest: hash(first), contentType: '', isVerified: false },
    });
    expect(readFileSync(into.path, 'utf8')).toBe(first);
  });

  test('that a full disk does not take is this machine’s trouble', async () => {
    const { folder, disk } = room();
    const part = await disk.temporary('a.png', hash('work'));
    if (!part.ok) throw new Error(part.error.message);
    replaceUntilEnd(fs, {
      renameSync: () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    });
    expect(await disk.place(part.value, 'a.png', hash('picture'))).toEqual({
      ok: false,
      error: {
        message: `${join(folder, 'out/a.png')} could not be written: the disk is full`,
        systemic: true,
      },
    });
  });
});
