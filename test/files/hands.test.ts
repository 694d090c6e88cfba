// Several hands that put results into one folder: a late one overwrites nothing, and nobody's temporary file is another's.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RealDisk } from '../../src/files/disk.ts';
import { hash, room } from './room.ts';

/** A hand that may replace results with one of these contents. `meanwhile`: what happens right before it puts its result. */
const handOf = (
  disk: RealDisk,
  replaces: readonly string[],
  meanwhile?: () => string | undefined,
) =>
  disk.for(
    { name: 'a hand', refusal: () => meanwhile?.() },
    { mayReplace: (_, there) => there !== undefined && replaces.map(hash).includes(there) },
  );

async function put(disk: RealDisk, path: string, content: string) {
  const made = await disk.temporary(path, hash(path));
  if (!made.ok) throw new Error(made.error.message);
  writeFileSync(made.value.path, content);
  return await disk.place(made.value, path, hash(content));
}

describe('a hand', () => {
  test('puts its result where nothing is, and leaves no temporary file', async () => {
    const { folder, disk } = room();
    expect(await put(handOf(disk, []), 'sub/a.png', 'take 1')).toMatchObject({ ok: true });
    expect(readFileSync(join(folder, 'out/sub/a.png'), 'utf8')).toBe('take 1');
    expect(readdirSync(join(folder, 'out/.shotlist-hands'))).toEqual([]);
  });

  test('replaces a result that it was told of, which is kept, and no other file', async () => {
    const { folder, disk, save } = room();
    await save('a.png', 'take 1');
    expect(await put(handOf(disk, ['take 1']), 'a.png', 'take 2')).toMatchObject({ ok: true });
    expect(existsSync(join(folder, '.shotlist/kept', `${hash('take 1')}.png`))).toBe(true);
    expect(await put(handOf(disk, ['take 1']), 'a.png', 'take 3')).toMatchObject({ ok: false });
    expect(readFileSync(join(folder, 'out/a.png'), 'utf8')).toBe('take 2');
  });

  test('that was late by the time of its last look overwrites nothing', async () => {
    const { folder, disk } = room();
    const place = join(folder, 'out/a.png');
    const late = handOf(disk, [], () => void writeFileSync(place, 'take 2'));
    expect(await put(late, 'a.png', 'take 1')).toMatchObject({ ok: false });
    expect(readFileSync(place, 'utf8')).toBe('take 2');
  });

  test('that is refused at the last moment puts nothing', async () => {
    const { folder, disk } = room();
    const refused = handOf(disk, [], () => 'the folder is not shared');
    const placed = await put(refused, 'a.png', 'take 1');
    expect(placed).toMatchObject({ ok: false, error: { systemic: false } });
    expect(existsSync(join(folder, 'out/a.png'))).toBe(false);
  });

  test('that was killed leaves a temporary file, which is swept once nobody can be writing it', async () => {
    const { folder, disk } = room();
    const hands = join(folder, 'out/.shotlist-hands');
    mkdirSync(hands, { recursive: true });
    for (const name of ['young.part', 'old.part']) writeFileSync(join(hands, name), 'half');
    utimesSync(join(hands, 'old.part'), 0, 0);
    await disk.sweep();
    expect(readdirSync(hands)).toEqual(['young.part']);
  });
});

test('a file that comes to a place while a result is being put there stays', async () => {
  const { folder, disk, save } = room();
  await save('a.png', 'take 1');
  const place = join(folder, 'out/a.png');
  const late = disk.for(
    { name: 'a hand', refusal: () => undefined },
    {
      mayReplace() {
        writeFileSync(place, 'somebody’s own');
        return true;
      },
    },
  );
  expect(await put(late, 'a.png', 'take 2')).toMatchObject({ ok: false });
  expect(readFileSync(place, 'utf8')).toBe('somebody’s own');
});
