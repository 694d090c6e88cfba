// Items: which there are, in a fixed order, under keys that stay the same between runs.
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { type ItemFilter, listItems } from '../../src/files/items.ts';
import type { Items } from '../../src/language/items.ts';
import { folderWith } from './places.ts';

async function keys(
  items: Items,
  folder: string,
  filter: ItemFilter = {},
  output = 'out',
): Promise<readonly string[] | string> {
  const found = await listItems(items, folder, join(folder, output), filter);
  if (!found.ok) return found.error[0]?.message ?? '';
  const list = [...found.value].map(({ key }) => key);
  expect(found.value.count).toBe(list.length);
  expect([...found.value].map(({ key }) => key)).toEqual(list);
  return list;
}

const glob = (pattern: string): Items => ({ kind: 'glob', patterns: [pattern] });
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

  test('that finds nothing says where it looked, and what is there', async () => {
    const folder = folderWith('photos/a.png');
    expect(await listItems(glob('photos/*.gif'), folder, join(folder, 'out'), {})).toEqual({
      ok: false,
      error: [
        {
          code: 'SL501',
          message: `items.glob "photos/*.gif" finds no file (from ${folder})`,
          hint: '"photos" has 1 .png file: "photos/*.png"?',
        },
      ],
    });
  });

  test('finds what cameras and browsers write: capitals and parentheses', async () => {
    const folder = folderWith(
      'photos (1)/IMG_1.JPG',
      'photos (1)/img_1.jpg',
      'photos (1)/a (2).Png',
    );
    expect(await keys(glob('photos (1)/*.{jpg,png}'), folder)).toEqual([
      'IMG_1.JPG',
      'a (2).Png',
      'img_1.jpg',
    ]);
    expect(await keys(glob('photos (1)/a (2).png'), folder)).toEqual(['a (2).Png']);
  });

  test('takes the case of its fixed folders as it is written, where the disk tells them apart', async () => {
    const folder = folderWith('photos/a.jpg');
    const found = await keys(glob('Photos/*.jpg'), folder);
    const tellsApart = !existsSync(join(folder, 'PHOTOS'));
    expect(found).toEqual(
      tellsApart ? `items.glob "Photos/*.jpg" finds no file (from ${folder})` : ['a.jpg'],
    );
  });

  test('names what is left out in a warning', async () => {
    const folder = folderWith('photos/a.jpg');
    symlinkSync('nowhere', join(folder, 'photos/b.jpg'));
    const found = await listItems(glob('photos/*.jpg'), folder, join(folder, 'out'), {});
    expect(found.ok && [...found.value].map(({ key }) => key)).toEqual(['a.jpg']);
    expect(found.ok && found.value.warnings).toEqual([
      'photos/b.jpg is ignored: the link leads nowhere',
    ]);
  });

  test('that finds only what cannot be an item says so', async () => {
    const folder = folderWith('photos/a.png');
    symlinkSync('nowhere', join(folder, 'photos/b.jpg'));
    expect(await listItems(glob('photos/*.jpg'), folder, join(folder, 'out'), {})).toMatchObject({
      error: [{ hint: 'photos/b.jpg is ignored: the link leads nowhere' }],
    });
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
      'two items have the key "a": value 1 and value 3',
    );
    expect(await keys(values('one', { key: 1 }), '/')).toBe(
      'two items have the key "1": value 1 and value 2',
    );
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

  test('that chooses nothing is refused, and says what keys look like', async () => {
    expect(await listItems(list, '/', '/out', { only: '*.gif' })).toEqual({
      ok: false,
      error: [
        {
          code: 'SL505',
          message: 'no item matches --items *.gif',
          hint: 'keys look like "a.png", "b.png", "sub/c.png", … (4 in all)',
        },
      ],
    });
    expect(await listItems(list, '/', '/out', { only: 'd.jgp' })).toMatchObject({
      error: [{ hint: expect.stringMatching(/^did you mean "d.jpg"\? Keys look like/) }],
    });
    expect(await listItems(list, '/', '/out', { except: ['*.gif'] })).toMatchObject({
      error: [{ hint: expect.stringContaining('keys look like "a.png"') }],
    });
  });

  test('that names the folder of the glob too is told that keys leave it out', async () => {
    const folder = folderWith('photos/a.jpg');
    expect(
      await listItems(glob('photos/*.jpg'), folder, '/out', { only: 'photos/a.jpg' }),
    ).toMatchObject({ error: [{ hint: 'keys are paths below "photos/": write "a.jpg"' }] });
  });

  test('ignores case, and a key as it stands means that item alone', async () => {
    const both = values({ key: 'a.jpg' }, { key: 'A.JPG' }, { key: 'b [1] (2).jpg' });
    expect(await keys(both, '/', { only: '*.Jpg' })).toEqual(['a.jpg', 'A.JPG', 'b [1] (2).jpg']);
    expect(await keys(both, '/', { only: 'A.jpg' })).toEqual(['a.jpg', 'A.JPG']);
    expect(await keys(both, '/', { only: 'A.JPG' })).toEqual(['A.JPG']);
    expect(await keys(both, '/', { except: ['a.jpg'] })).toEqual(['A.JPG', 'b [1] (2).jpg']);
    expect(await keys(both, '/', { only: 'b [1] (2).jpg' })).toEqual(['b [1] (2).jpg']);
  });

  test.each([
    [{ only: '' }, '--items  is empty'],
    [{ except: [''] }, '--exclude  is empty'],
    [{ only: `${'a'.repeat(70_000)}*` }, 'is not a glob'],
  ])('that is no glob is refused: %#', async (filter, words) => {
    expect(await keys(list, '/', filter)).toContain(words);
  });

  test('finds two items with one key although it chooses neither', async () => {
    expect(
      await keys(values({ key: 'a' }, { key: 'b' }, { key: 'b' }), '/', { only: 'a' }),
    ).toContain('two items have the key "b"');
  });

  test('by their keys is those, also where it is none', async () => {
    expect(await keys(list, '/', { keys: new Set(['d.jpg', 'a.png', 'x']) })).toEqual([
      'a.png',
      'd.jpg',
    ]);
    expect(await keys(list, '/', { keys: new Set() })).toEqual([]);
    expect(await keys(list, '/', { keys: new Set(['d.jpg']), only: '*.png' })).toEqual([]);
  });

  test('knows how many there are without it', async () => {
    const found = await listItems(list, '/', '/out', { only: '*.png' });
    expect(found).toMatchObject({ ok: true, value: { count: 2, total: 4, warnings: [] } });
  });

  test.each([{ limit: 0 }, { except: ['**'] }, { except: ['**/*.png', '*.jpg'] }])(
    'that leaves no item is refused: %j',
    async (filter) => {
      expect(await keys(list, '/', filter)).toBe('no item is left');
    },
  );

  test('that excludes nothing is refused, also where another exclusion fits', async () => {
    expect(await keys(list, '/', { except: ['a.png', '*.gif'] })).toBe(
      '--exclude *.gif: there is no such step, and no item matches it',
    );
    expect(await keys(list, '/', { except: ['a.png', '*.png'] })).toEqual(['sub/c.png', 'd.jpg']);
  });

  test('may exclude what it does not choose', async () => {
    expect(await keys(list, '/', { only: '*.jpg', except: ['a.png'] })).toEqual(['d.jpg']);
  });

  test('of few items shows all keys', async () => {
    const few = values({ key: 'a.png' }, { key: 'b.png' }, { key: 'c.png' });
    expect(await listItems(few, '/', '/out', { only: 'zzzzzz' })).toMatchObject({
      error: [{ hint: 'keys look like "a.png", "b.png", "c.png"' }],
    });
  });

  test('names a long pattern only by its beginning', async () => {
    const [whole, long] = ['z'.repeat(200), 'z'.repeat(201)];
    expect(await keys(list, '/', { only: whole })).toBe(`no item matches --items ${whole}`);
    expect(await keys(list, '/', { only: long })).toBe(`no item matches --items ${whole}…`);
  });
});

describe('a folder that may not be searched', () => {
  const barred = (real: string): string | undefined =>
    real.endsWith('/away') ? 'is outside the repository' : undefined;

  test('is an error when the glob begins in it', async () => {
    const folder = folderWith('away/a.png', 'here/a.png');
    symlinkSync('away', join(folder, 'link'));
    for (const name of ['away', 'link'])
      expect(await listItems(glob(`${name}/*.png`), folder, '/out', {}, { barred })).toEqual({
        ok: false,
        error: [
          {
            code: 'SL702',
            message: `items.glob "${name}/*.png": the folder ${name}/ is outside the repository`,
            hint: 'if you trust the pipeline, use --allow-outside',
          },
        ],
      });
    const own = await listItems(glob('*.png'), join(folder, 'away'), '/out', {}, { barred });
    expect(own).toMatchObject({
      error: [
        {
          code: 'SL702',
          message: 'items.glob "*.png": the folder . is outside the repository',
          hint: 'if you trust the pipeline, use --allow-outside',
        },
      ],
    });
  });

  test('is a warning when a link in the folder leads there', async () => {
    const folder = folderWith('away/a.png', 'here/a.png');
    symlinkSync('../away', join(folder, 'here/link'));
    const found = await listItems(glob('here/**/*.png'), folder, '/out', {}, { barred });
    expect(found).toMatchObject({
      ok: true,
      value: {
        count: 1,
        warnings: ['here/link is a link that is not followed: it is outside the repository'],
      },
    });
  });

  test('is not asked about where it is not there', async () => {
    const folder = folderWith('here/a.png');
    expect(await listItems(glob('away/*.png'), folder, '/out', {}, { barred })).toMatchObject({
      error: [{ message: `items.glob "away/*.png" finds no file (from ${folder})` }],
    });
  });

  test('since a link leads back to itself is named as it is written', async () => {
    const folder = folderWith('a.png');
    symlinkSync('circle', join(folder, 'circle'));
    expect(await listItems(glob('circle/*.png'), folder, '/out', {})).toMatchObject({
      error: [
        {
          hint: 'circle is not searched: the folder is a link that leads back to itself',
        },
      ],
    });
  });
});

test('the output folder itself may be where the items are', async () => {
  const folder = folderWith('photos/a.png');
  expect(await keys(glob('photos/*.png'), folder, {}, 'photos')).toContain(
    'is in the output folder',
  );
  expect(await keys(glob('photos/*.png'), folder, {}, 'photos/a.png')).toEqual(['a.png']);
  expect(await keys(glob('photos/*.png'), folder, {}, '../elsewhere')).toEqual(['a.png']);
});
