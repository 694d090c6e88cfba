// In which order results are written, synced and renamed: when a result is in its place, a crash cannot take it away.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LocalFile } from '../../src/core/ports.ts';
import { OutputFolders, syncFolder } from '../../src/files/output-folders.ts';
import { createPart, Part, writePart } from '../../src/files/part.ts';
import { recordDisk } from '../fakes/disk-recorder.ts';
import { canMount, smallDisk } from '../small-disk.ts';
import { fileHandles } from './patched-fs.ts';
import { temporaryFolder } from './places.ts';
import { hash, type Room, room } from './room.ts';

const version = { validator: '"v1"', total: 100 };
const any = (): boolean => true;

/** A result that was written and not placed yet. */
async function fetched({ disk }: Room, to: string, content: string): Promise<LocalFile> {
  const temporary = await disk.temporary(to, hash('work'));
  if (!temporary.ok) throw new Error(temporary.error.message);
  writeFileSync(temporary.value.path, content);
  return temporary.value;
}

const partName = `.shotlist-${hash('work').slice(0, 32)}.part`;

describe('a result', () => {
  test('that is placed has its name on disk: renamed, then its folder is synced', async () => {
    const here = room();
    const part = await fetched(here, 'a.png', 'picture');
    const disk = await recordDisk(any);
    await here.disk.place(part, 'a.png', hash('picture'));
    expect(disk.done).toEqual([`rename ${partName} a.png`, 'sync folder']);
  });

  test('that takes the place of another is renamed when the other is kept and that is synced', async () => {
    const here = room();
    await here.save('a.png', 'first');
    const part = await fetched(here, 'a.png', 'second');
    const disk = await recordDisk(any);
    await here.disk.place(part, 'a.png', hash('second'));
    expect(disk.done).toEqual(['sync folder', `rename ${partName} a.png`, 'sync folder']);
  });

  test('that was kept before is not written again', async () => {
    const here = room();
    for (const content of ['first', 'second', 'first']) await here.save('a.png', content);
    const part = await fetched(here, 'a.png', 'third');
    const disk = await recordDisk(any);
    await here.disk.place(part, 'a.png', hash('third'));
    expect(disk.done).toEqual(['sync folder', `rename ${partName} a.png`, 'sync folder']);
  });

  test.skipIf(!canMount)(
    'that cannot be kept by a link is copied whole and synced first (needs to mount: root, or unshare -rm)',
    async () => {
      const here = room();
      const content = 'first '.repeat(100_000);
      await here.save('a.png', content);
      const kept = join(here.folder, '.shotlist/kept');
      mkdirSync(kept);
      smallDisk(4 << 20, kept);
      const name = `${hash(content)}.png`;
      writeFileSync(join(kept, `${name}.part`), 'left by a killed run');
      const part = await fetched(here, 'a.png', 'second');
      const disk = await recordDisk(any);
      expect((await here.disk.place(part, 'a.png', hash('second'))).ok).toBe(true);
      expect(disk.done).toEqual([
        `datasync ${name}.part`,
        `rename ${name}.part ${name}`,
        'sync folder',
        `rename ${partName} a.png`,
        'sync folder',
      ]);
      expect(readdirSync(kept)).toEqual([name]);
      expect(readFileSync(join(kept, name), 'utf8')).toBe(content);
    },
  );

  test('that is copied is on disk when the copy is done', async () => {
    const here = room();
    await here.save('a.png', 'picture');
    const into = { path: join(here.folder, 'out/b.part') };
    const disk = await recordDisk(any);
    const source = here.disk.fileAt({ in: 'output', path: 'out/a.png' });
    expect((await here.disk.copy(source, into)).ok).toBe(true);
    expect(disk.done).toEqual(['datasync b.part']);
  });
});

describe('a part', () => {
  const place = (): LocalFile => ({ path: join(temporaryFolder(), 'a.part') });

  test('is synced before it is whole, and before a note speaks of it', async () => {
    const disk = await recordDisk(any);
    const whole = await Part.begin(place(), version);
    await whole.append(Buffer.alloc(100));
    await whole.finish();
    expect(disk.done).toEqual(['datasync a.part']);
    const cut = place();
    const part = await Part.begin(cut, version);
    await part.append(Buffer.alloc(10));
    disk.hold();
    const leaving = part.leave();
    while (disk.waiting === 0) await new Promise(setImmediate);
    expect(() => readFileSync(`${cut.path}.json`)).toThrow();
    disk.release();
    await leaving;
    expect(JSON.parse(readFileSync(`${cut.path}.json`, 'utf8'))).toMatchObject({ bytes: 10 });
    expect(disk.done).toEqual(['datasync a.part', 'datasync a.part']);
  });

  test('that is small is whole when its sync is over, and gone if the sync fails', async () => {
    const disk = await recordDisk(any);
    const small = place();
    disk.hold();
    let isWritten = false;
    const writing = writePart(small, Buffer.from('small')).then(() => {
      isWritten = true;
    });
    while (disk.waiting === 0) await new Promise(setImmediate);
    expect([isWritten, readFileSync(small.path, 'utf8')]).toEqual([false, 'small']);
    disk.release();
    await writing;
    expect(disk.done).toEqual(['write a.part', 'datasync a.part']);
    disk.fail(Object.assign(new Error('failing disk'), { code: 'EIO' }));
    const failing = writePart(small, Buffer.from('other'));
    while (disk.waiting === 0) await new Promise(setImmediate);
    disk.release();
    await expect(failing).rejects.toMatchObject({ code: 'EIO' });
    expect(() => readFileSync(small.path)).toThrow();
  });

  test('loses its note first when it is begun again', async () => {
    const file = place();
    const part = await Part.begin(file, version);
    await part.append(Buffer.alloc(10));
    await part.leave();
    await (await createPart(file)).close();
    expect(() => readFileSync(`${file.path}.json`)).toThrow();
    expect(readFileSync(file.path, 'utf8')).toBe('');
  });
});

describe('a folder', () => {
  test('is synced once for all that ask before the sync begins, and again for those that ask later', async () => {
    const folder = temporaryFolder();
    const folders = new OutputFolders(folder);
    const disk = await recordDisk(any);
    await Promise.all([folders.sync(folder), folders.sync(folder), folders.sync(folder)]);
    expect(disk.done).toEqual(['sync folder']);
    await folders.sync(folder);
    expect(disk.done).toEqual(['sync folder', 'sync folder']);
  });

  test('that is being synced is synced once more for a name that came meanwhile', async () => {
    const folder = temporaryFolder();
    const folders = new OutputFolders(folder);
    const handles = await fileHandles();
    const { sync } = handles;
    const later: Promise<void>[] = [];
    let syncs = 0;
    Object.assign(handles, {
      async sync(this: typeof handles): Promise<void> {
        syncs += 1;
        if (syncs === 1) later.push(folders.sync(folder), folders.sync(folder));
        await sync.call(this);
      },
    });
    onTestFinished(() => void Object.assign(handles, { sync }));
    await folders.sync(folder);
    await Promise.all(later);
    expect(later[0]).toBe(later[1]);
    expect(syncs).toBe(2);
  });

  test('that is gone cannot be synced, and that is an error', async () => {
    const folder = join(temporaryFolder(), 'gone');
    await expect(syncFolder(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
