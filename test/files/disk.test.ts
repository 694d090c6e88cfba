// The real disk: files come whole or not at all, land below the output folder, and nothing paid for is overwritten.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Disk } from '../../src/core/ports.ts';
import { hash, room } from './room.ts';

describe('a result', () => {
  test('is nowhere to be seen until it is placed, and then it is whole', async () => {
    const { folder, disk } = room();
    const temporary = await disk.temporary('sub/a.png', hash('sub/a.png'));
    if (!temporary.ok) throw new Error(temporary.error.message);
    writeFileSync(temporary.value.path, 'half');
    expect(disk.output('out/sub/a.png')).toEqual({ is: 'absent', why: 'does not exist' });
    writeFileSync(temporary.value.path, 'picture');
    expect(await disk.place(temporary.value, 'sub/a.png', hash('picture'))).toEqual({
      ok: true,
      value: undefined,
    });
    expect(readFileSync(join(folder, 'out/sub/a.png'), 'utf8')).toBe('picture');
    expect(readdirSync(join(folder, 'out/sub'))).toEqual(['a.png']);
  });

  test('that was placed has its digest known at once', async () => {
    const { disk, save } = room();
    await save('a.png', 'picture');
    expect(disk.output(disk.recordedAs('a.png'))).toEqual({
      is: 'file',
      bytes: 7,
      digest: hash('picture'),
    });
  });

  test('that was placed and changed by somebody before the next look is not taken for whole', async () => {
    const { folder, disk, save } = room();
    await save('a.png', 'picture');
    writeFileSync(join(folder, 'out/a.png'), 'pictura');
    const fact = disk.output('out/a.png');
    expect(fact.is === 'file' && fact.digest).not.toBe(hash('picture'));
  });

  test('is still known by the next run, without reading it', async () => {
    const { folder, save, end } = room();
    await save('a.png', 'picture');
    await end();
    expect(room(folder).disk.output('out/a.png')).toMatchObject({ digest: hash('picture') });
  });

  test('among many, in many folders at once, is in its place like all others', async () => {
    const { disk, save } = room();
    const paths = Array.from({ length: 300 }, (_, index) => `d${index % 150}/${index}.png`);
    await Promise.all(paths.map((path) => save(path, path)));
    for (const path of paths)
      expect(disk.output(`out/${path}`)).toMatchObject({ is: 'file', digest: hash(path) });
  });

  test('gets a temporary name of its own, in its own folder, and the same one in a later run', async () => {
    const { folder, disk, end } = room();
    const names = async (of: Disk): Promise<readonly string[]> => {
      const all = [
        await of.temporary('a.png', hash('first')),
        await of.temporary('a.png', hash('second')),
        await of.temporary('x/y/a.png', hash('first')),
      ];
      return all.map((name) => (name.ok ? name.value.path : name.error.message));
    };
    const paths = await names(disk);
    expect(new Set(paths).size).toBe(3);
    expect(paths[2]).toMatch(/\/out\/x\/y\/\.shotlist-[0-9a-f]{32}\.part$/);
    expect(paths[2]?.startsWith(folder)).toBe(true);
    await end();
    expect(await names(room(folder).disk)).toEqual(paths);
  });

  test('that cannot be placed is an error with the place, and what stood there stays', async () => {
    const { folder, disk, save } = room();
    await save('a.png', 'picture');
    const lost = { path: join(folder, 'out', 'never-written.part') };
    expect(await disk.place(lost, 'a.png', hash('other'))).toEqual({
      ok: false,
      error: { message: expect.stringContaining('out/a.png does not exist'), systemic: false },
    });
    expect(readFileSync(join(folder, 'out/a.png'), 'utf8')).toBe('picture');
  });

  test('that was half copied by a run that was killed is copied again', async () => {
    const { disk, save } = room();
    await save('a.png', 'picture');
    const into = await disk.temporary('b.png', hash('b'));
    if (!into.ok) throw new Error(into.error.message);
    writeFileSync(into.value.path, 'a longer picture, cut in the mid');
    writeFileSync(`${into.value.path}.json`, '{');
    const source = disk.fileAt({ in: 'output', path: 'out/a.png' });
    expect(await disk.copy(source, into.value)).toMatchObject({
      ok: true,
      value: { bytes: 7, digest: hash('picture') },
    });
    expect(readFileSync(into.value.path, 'utf8')).toBe('picture');
    expect(existsSync(`${into.value.path}.json`)).toBe(false);
  });

  test('that is copied from a file that is gone is that file’s own trouble', async () => {
    const { folder, disk } = room();
    const into = await disk.temporary('b.png', hash('b'));
    if (!into.ok) throw new Error(into.error.message);
    expect(await disk.copy({ path: join(folder, 'gone.png') }, into.value)).toEqual({
      ok: false,
      error: { message: expect.stringContaining('gone.png does not exist'), systemic: false },
    });
  });

  test('that came to nothing leaves no file', async () => {
    const { folder, disk } = room();
    const temporary = await disk.temporary('a.png', hash('a.png'));
    if (!temporary.ok) throw new Error(temporary.error.message);
    writeFileSync(temporary.value.path, 'half');
    await disk.discard(temporary.value);
    await disk.discard(temporary.value);
    expect(readdirSync(join(folder, 'out'))).toEqual([]);
  });

  test('is recorded relative to the pipeline file, with "/"', () => {
    const { folder, disk } = room();
    expect(disk.recordedAs('sub/a.png')).toBe('out/sub/a.png');
    expect(disk.fileAt({ in: 'output', path: 'out/sub/a.png' })).toEqual({
      path: join(folder, 'out/sub/a.png'),
    });
  });
});

describe('what stood in the place of a result', () => {
  test('is kept under its hash', async () => {
    const { folder, disk, save } = room();
    await save('a.png', 'first take');
    await save('a.png', 'second take');
    expect(readFileSync(join(folder, 'out/a.png'), 'utf8')).toBe('second take');
    expect(disk.kept(hash('first take'), 'png')).toMatchObject({ is: 'file', bytes: 10 });
    expect(
      readFileSync(
        disk.fileAt({ in: 'kept', digest: hash('first take'), extension: 'png' }).path,
        'utf8',
      ),
    ).toBe('first take');
  });

  test('is kept when it is from an earlier run', async () => {
    const { folder, save, end } = room();
    await save('a.png', 'first take');
    await end();
    const later = room(folder);
    await later.save('a.png', 'second take');
    expect(later.disk.kept(hash('first take'), 'png')).toMatchObject({ is: 'file', bytes: 10 });
  });

  test('is kept too when it is somebody’s own work', async () => {
    const { folder, disk, save } = room();
    await save('a.png', 'picture');
    writeFileSync(join(folder, 'out/a.png'), 'retouched by hand');
    await save('a.png', 'second take');
    expect(disk.kept(hash('retouched by hand'), 'png').is).toBe('file');
  });

  test('stays kept when the new file is changed afterwards', async () => {
    const { folder, disk, save } = room();
    await save('a.png', 'first take');
    await save('a.png', 'second take');
    writeFileSync(join(folder, 'out/a.png'), 'scribble');
    expect(
      readFileSync(
        disk.fileAt({ in: 'kept', digest: hash('first take'), extension: 'png' }).path,
        'utf8',
      ),
    ).toBe('first take');
  });

  test('is not kept when it is the same', async () => {
    const { folder, disk, save } = room();
    await save('a.png', 'picture');
    await save('a.png', 'picture');
    expect(disk.kept(hash('picture'), 'png').is).toBe('absent');
    expect(existsSync(join(folder, '.shotlist/kept'))).toBe(false);
  });

  test('comes back by a copy', async () => {
    const { disk, save } = room();
    await save('a.png', 'first take');
    await save('a.png', 'second take');
    const into = await disk.temporary('b.png', hash('b.png'));
    if (!into.ok) throw new Error(into.error.message);
    const source = disk.fileAt({ in: 'kept', digest: hash('first take'), extension: 'png' });
    expect(await disk.copy(source, into.value)).toEqual({
      ok: true,
      value: { bytes: 10, digest: hash('first take'), contentType: '', isVerified: false },
    });
    expect(readFileSync(into.value.path, 'utf8')).toBe('first take');
  });
});

describe('a link out of the output folder', () => {
  test('is refused, and nothing is made behind it', async () => {
    const { folder, disk } = room();
    mkdirSync(join(folder, 'out'));
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'out', 'link'));
    expect(await disk.temporary('link/a.png', hash('link/a.png'))).toEqual({
      ok: false,
      error: {
        message: expect.stringContaining('a link leads out of the output folder'),
        systemic: false,
      },
    });
    expect((await disk.temporary('link/deep/a.png', hash('link/deep/a.png'))).ok).toBe(false);
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });

  test('is fine where it stays inside', async () => {
    const { folder, disk } = room();
    mkdirSync(join(folder, 'out/real'), { recursive: true });
    symlinkSync(join(folder, 'out/real'), join(folder, 'out/link'));
    expect((await disk.temporary('link/a.png', hash('link/a.png'))).ok).toBe(true);
  });

  test('where a file stood is replaced, not written through', async () => {
    const { folder, save } = room();
    mkdirSync(join(folder, 'out'));
    writeFileSync(join(folder, 'precious.txt'), 'precious');
    symlinkSync(join(folder, 'precious.txt'), join(folder, 'out/a.png'));
    await save('a.png', 'picture');
    expect(readFileSync(join(folder, 'precious.txt'), 'utf8')).toBe('precious');
    expect(readFileSync(join(folder, 'out/a.png'), 'utf8')).toBe('picture');
  });

  test('may be the output folder itself', async () => {
    const { folder, save } = room();
    mkdirSync(join(folder, 'big-disk'));
    symlinkSync(join(folder, 'big-disk'), join(folder, 'out'));
    await save('a.png', 'picture');
    expect(readFileSync(join(folder, 'big-disk/a.png'), 'utf8')).toBe('picture');
  });
});

describe('a folder that cannot be made', () => {
  test('is an error that says so', async () => {
    const { folder, disk } = room();
    mkdirSync(join(folder, 'out'));
    writeFileSync(join(folder, 'out/x'), 'a file');
    expect((await disk.temporary('x/a.png', hash('x/a.png'))).ok).toBe(false);
  });
});
