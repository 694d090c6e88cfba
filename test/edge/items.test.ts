// Items: which there are, in a fixed order, under keys that stay the same between runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { type ItemFilter, listItems } from '../../src/edge/items.ts';
import type { Items } from '../../src/language/pipeline.ts';
import { temporaryFolder } from './places.ts';

/** A folder with these files. */
function folderWith(...files: readonly string[]): string {
  const folder = temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'x');
  }
  return folder;
}

async function keys(
  items: Items,
  folder: string,
  filter: ItemFilter = {},
  output = 'out',
): Promise<readonly string[] | string> {
  const found = await listItems(items, folder, join(folder, output), filter);
  if (!found.ok) return found.error;
  const list = [...found.value].map(({ key }) => key);
  expect(found.value.count).toBe(list.length);
  expect([...found.value].map(({ key }) => key)).toEqual(list);
  return list;
}

const glob = (pattern: string): Items => ({ kind: 'glob', pattern });
const values = (...list: readonly Json[]): Items => ({ kind: 'values', values: list });

describe('a glob', () => {
  test('finds files in the order of their names, with keys below its folder', async () => {
    const folder = folderWith(
      'photos/b.png',
      'photos/a.jpg',
      'photos/sub/c.png',
      'photos/A.png',
      'photos/ä.png',
      'photos/note.txt',
      'other/z.png',
    );
    expect(await keys(glob('photos/**/*.{png,jpg}'), folder)).toEqual([
      'A.png',
      'a.jpg',
      'b.png',
      'sub/c.png',
      'ä.png',
    ]);
  });

  test('finds files beside the pipeline’s folder too', async () => {
    const folder = folderWith('media/a.png', 'pipelines/p.yaml');
    expect(await keys(glob('../media/*.png'), join(folder, 'pipelines'))).toEqual(['a.png']);
  });

  test('gives the same keys with "./" before it', async () => {
    const folder = folderWith('photos/a.png');
    expect(await keys(glob('./photos/*.png'), folder)).toEqual(
      await keys(glob('photos/*.png'), folder),
    );
  });

  test('gives the same keys when it is absolute', async () => {
    const folder = folderWith('photos/a.png');
    expect(await keys(glob(join(folder, 'photos/*.png')), folder)).toEqual(['a.png']);
  });

  test('has a path that leads to the file from the pipeline’s folder', async () => {
    const folder = folderWith('media/sub/a.png', 'pipelines/p.yaml');
    const found = await listItems(
      glob('../media/**/*.png'),
      join(folder, 'pipelines'),
      join(folder, 'out'),
      {},
    );
    expect(found.ok && [...found.value]).toEqual([
      {
        key: 'sub/a.png',
        fields: expect.objectContaining({
          path: '../media/sub/a.png',
          stem: 'a',
          ext: 'png',
          dir: 'sub',
          index: 0,
        }),
      },
    ]);
  });

  test('finds no folder, though its name fits', async () => {
    expect(await keys(glob('photos/*'), folderWith('photos/a.png', 'photos/sub/b.png'))).toEqual([
      'a.png',
    ]);
  });

  test('that finds nothing says where it looked', async () => {
    const folder = folderWith('photos/a.png');
    expect(await keys(glob('photos/*.gif'), folder)).toBe(
      `items.glob "photos/*.gif" finds no file (from ${folder})`,
    );
  });

  test.each(['out', 'out/deep', 'photos/../out'])(
    'that finds results of the output folder %s is refused',
    async (output) => {
      const folder = folderWith('photos/a.png', 'out/deep/a.png');
      expect(await keys(glob('**/*.png'), folder, {}, output)).toContain(
        'is in the output folder: results would become items',
      );
    },
  );

  test('may find files whose folder only begins like the output folder', async () => {
    expect(await keys(glob('*/a.png'), folderWith('output/a.png'))).toEqual(['output/a.png']);
  });
});

describe('values', () => {
  test('come in the order of the file', async () => {
    expect(await keys(values({ key: 'z' }, 'calm', { path: 'x' }), '/')).toEqual(['z', '2', '3']);
  });

  test('with one key twice are refused', async () => {
    expect(await keys(values({ key: 'a' }, { key: 'b' }, { key: 'a' }), '/')).toBe(
      'two items have the key "a"',
    );
    expect(await keys(values('one', { key: 1 }), '/')).toBe('two items have the key "1"');
  });
});

describe('a pipeline without items', () => {
  test('has one item that is no item', async () => {
    const found = await listItems({ kind: 'one' }, '/', '/out', {});
    expect(found).toMatchObject({ ok: true, value: { count: 1 } });
    expect(found.ok && [...found.value]).toEqual([]);
  });
});

describe('a choice of items', () => {
  const list = values({ key: 'a.png' }, { key: 'b.png' }, { key: 'sub/c.png' }, { key: 'd.jpg' });

  test.each<readonly [ItemFilter, readonly string[]]>([
    [{ limit: 2 }, ['a.png', 'b.png']],
    [{ limit: 9 }, ['a.png', 'b.png', 'sub/c.png', 'd.jpg']],
    [{ only: '*.png' }, ['a.png', 'b.png']],
    [{ only: '**/*.png' }, ['a.png', 'b.png', 'sub/c.png']],
    [{ only: 'd.jpg' }, ['d.jpg']],
    [{ only: '*.png', limit: 1 }, ['a.png']],
  ])('%j is %j', async (filter, expected) => {
    expect(await keys(list, '/', filter)).toEqual(expected);
  });

  test('keeps each item’s place among all', async () => {
    const found = await listItems(list, '/', '/out', { only: 'd.jpg' });
    expect(found.ok && [...found.value]).toMatchObject([{ fields: { index: 3 } }]);
  });

  test('that chooses nothing is refused', async () => {
    expect(await keys(list, '/', { only: '*.gif' })).toBe('no item matches --items *.gif');
  });

  test('finds two items with one key although it chooses neither', async () => {
    expect(
      await keys(values({ key: 'a' }, { key: 'b' }, { key: 'b' }), '/', { only: 'a' }),
    ).toContain('two items have the key "b"');
  });
});
