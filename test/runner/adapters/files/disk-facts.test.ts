// What is known of a file on the real disk: nothing that was not read, and nothing that is no longer so.
import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { afterNextRead, makeUnreadable } from './patched-fs.ts';
import { hash, room } from './room.ts';

describe('a file’s digest', () => {
  const old = new Date('2020-01-01');

  test.each([
    ['small', 'rose'],
    ['empty', ''],
    ['large', 'x'.repeat(600_000)],
  ])('is that of its content: %s', async (_, content) => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.png'), content);
    expect(await disk.digest({ in: 'input', path: 'a.png' })).toEqual({
      ok: true,
      value: hash(content),
    });
  });

  test('of a large file is not known before it was read, and is known afterwards', async () => {
    const { folder, disk } = room();
    const content = 'rose'.repeat(200_000);
    writeFileSync(join(folder, 'a.png'), content);
    expect(disk.input('a.png')).toEqual({ is: 'file', bytes: 800_000, digest: undefined });
    await disk.digest({ in: 'input', path: 'a.png' });
    expect(disk.input('./a.png')).toEqual({ is: 'file', bytes: 800_000, digest: hash(content) });
  });

  test('of a small file is known at the first look', () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.png'), 'rose');
    expect(disk.input('a.png')).toEqual({ is: 'file', bytes: 4, digest: hash('rose') });
  });

  test('is forgotten when the file changes, even to the same size and time', async () => {
    const { folder, disk } = room();
    const file = join(folder, 'a.png');
    writeFileSync(file, 'rose');
    utimesSync(file, old, old);
    await disk.digest({ in: 'input', path: 'a.png' });
    writeFileSync(join(folder, 'b.png'), 'ruse');
    utimesSync(join(folder, 'b.png'), old, old);
    renameSync(join(folder, 'b.png'), file);
    expect(statSync(file).mtimeMs).toBe(old.getTime());
    expect(disk.input('a.png')).toEqual({ is: 'file', bytes: 4, digest: hash('ruse') });
  });

  test('of a path that begins with "~" is not looked for at home: it says so', () => {
    const { disk } = room();
    expect(disk.input('~/a.png')).toEqual({
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
    writeFileSync(join(folder, 'a.png'), 'x');
    expect(disk.input('a.png/b.png').is).toBe('absent');
  });

  test('an absolute path is what stands there', () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.png'), 'x');
    expect(disk.input(join(folder, 'a.png')).is).toBe('file');
  });

  test('a file that is gone again is that it is gone', () => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.png'), 'x');
    expect(disk.input('a.png').is).toBe('file');
    rmSync(join(folder, 'a.png'));
    expect(disk.input('a.png')).toEqual({ is: 'absent', why: 'does not exist' });
  });
});

describe('a file that changes while it is read', () => {
  test('is not known by what was read of it', async () => {
    const { folder, disk } = room();
    const file = join(folder, 'a.png');
    writeFileSync(file, 'rose'.repeat(200_000));
    await afterNextRead(() => writeFileSync(file, 'ruse'.repeat(200_000)));
    const read = await disk.digest({ in: 'input', path: 'a.png' });
    expect(read.ok).toBe(true);
    expect(disk.input('a.png')).toEqual({ is: 'file', bytes: 800_000, digest: undefined });
  });
});

describe('a file that may not be read', () => {
  test.each([
    ['small', 'rose'],
    ['large', 'rose'.repeat(200_000)],
  ])('is not there for a plan, which says why: %s', (_, content) => {
    const { folder, disk } = room();
    writeFileSync(join(folder, 'a.png'), content);
    makeUnreadable(join(folder, 'a.png'));
    expect(disk.input('a.png')).toEqual({
      is: 'absent',
      why: 'cannot be read or written (permission denied)',
    });
  });

  test.each([
    ['small', 'rose'],
    ['large', 'rose'.repeat(200_000)],
  ])('in the place of a result is not overwritten: %s', async (_, content) => {
    const { folder, disk } = room();
    const file = join(folder, 'out/a.png');
    const part = await disk.temporary('a.png', hash('work'));
    if (!part.ok) throw new Error(part.error.message);
    writeFileSync(part.value.path, 'picture');
    writeFileSync(file, content);
    makeUnreadable(file);
    expect(await disk.place(part.value, 'a.png', hash('picture'))).toEqual({
      ok: false,
      error: {
        message: `${file} failed: the existing file cannot be read or written (permission denied), so it was not replaced`,
        systemic: false,
      },
    });
    expect(statSync(file).size).toBe(content.length);
  });
});
