// Lists of globs, tables, matrices, keys and conditions: which items there are, and under which keys.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ListContext } from '../../src/files/item-source.ts';
import { type ItemFilter, listItems } from '../../src/files/items.ts';
import { toCel } from '../../src/language/expression.ts';
import { measuredUses } from '../../src/language/item-fields.ts';
import type { Item } from '../../src/model/item.ts';
import { pipelineOf } from '../language/check.ts';
import { folderWith } from './places.ts';

interface Listed {
  readonly items: readonly Item[];
  readonly keys: readonly string[];
  readonly warnings: readonly string[];
  readonly problems: readonly string[];
}

async function list(
  items: Json,
  folder: string,
  { filter = {}, context = {} }: { filter?: ItemFilter; context?: ListContext } = {},
): Promise<Listed> {
  const text = `pipeline: p
inputs: { least: { type: number, default: 3 } }
items: ${JSON.stringify(items)}
steps: { photo: { uses: upload, with: { file: "\${{ item.key }}" } } }
`;
  const pipeline = pipelineOf(text);
  const measured = measuredUses(pipeline);
  const base = { inputs: toCel({ least: 3 }), env: {} };
  const listed = await listItems(pipeline.items, folder, join(folder, 'out'), filter, {
    ...{ base, measured, file: 'p.yaml', ...context },
  });
  if (!listed.ok) {
    const problems = listed.error.map(({ file, span, message }) =>
      span === undefined || file === undefined
        ? message
        : `${file}:${span.line}:${span.column}: ${message}`,
    );
    return { items: [], keys: [], warnings: [], problems };
  }
  using found = listed.value;
  const all = [...found];
  expect([...found]).toEqual(
    all.map((item) => ({ ...item, ...(item.cell && { cell: expect.any(Function) }) })),
  );
  return { items: all, keys: all.map(({ key }) => key), warnings: found.warnings, problems: [] };
}

describe('a list of globs', () => {
  const files = ['a/x.png', 'a/old/y.png', 'a/old/keep.png', 'b/z.jpg', 'b/x.png'];

  test('finds what one of them finds, once, without what it excludes', async () => {
    const folder = folderWith(...files);
    const glob = ['a/**/*.png', 'b/*', 'b/*.jpg', '!a/OLD/y*'];
    expect((await list({ glob }, folder)).keys).toEqual([
      ...['a/old/keep.png', 'a/x.png', 'b/x.png', 'b/z.jpg'],
    ]);
  });

  test('with one pattern that finds has the keys of that pattern', async () => {
    const folder = folderWith(...files);
    const { keys, items } = await list({ glob: ['./a/**/*.png', '!a/old/**'] }, folder);
    expect(keys).toEqual(['x.png']);
    expect(items[0]?.fields).toMatchObject({ path: 'a/x.png', dir: '.' });
  });

  test('has keys below the folder that its patterns have in common', async () => {
    const folder = folderWith('m/a/x.png', 'm/ab/y.png');
    expect((await list({ glob: ['m/a/*', 'm/ab/*'] }, folder)).keys).toEqual([
      'a/x.png',
      'ab/y.png',
    ]);
  });

  test('is refused if one of its patterns finds nothing, or all is excluded', async () => {
    const folder = folderWith(...files);
    const glob = ['a/*.png', 'b/*.gif', 'c/*'];
    expect((await list({ glob }, folder)).problems).toEqual([
      expect.stringContaining('items.glob "b/*.gif" finds no file'),
      expect.stringContaining('items.glob "c/*" finds no file'),
    ]);
    expect((await list({ glob: ['b/*', '!b/**'] }, folder)).problems).toEqual([
      'items.glob finds no file: its exclusions match all 2 files that its patterns find',
    ]);
  });

  test('warns about an exclusion that excludes nothing: it may be misspelled', async () => {
    const folder = folderWith(...files);
    const { warnings } = await list({ glob: ['a/*.png', '!a/odl/**'] }, folder);
    expect(warnings).toEqual(['items.glob "!a/odl/**" excludes no file']);
  });
});

describe('a key', () => {
  test('is a field of the file', async () => {
    const folder = folderWith('a/x.png', 'b/y.png');
    const { keys, items } = await list({ glob: '*/*.png', key: 'stem' }, folder);
    expect(keys).toEqual(['x', 'y']);
    expect(items[0]?.fields).toMatchObject({ key: 'x', path: 'a/x.png', index: 0 });
  });

  test('that two files have is refused with both', async () => {
    const folder = folderWith('a/x.png', 'b/x.png');
    expect((await list({ glob: '*/*.png', key: 'stem' }, folder)).problems).toEqual([
      'two items have the key "x": a/x.png and b/x.png',
    ]);
  });

  test('of a table is a column, else the column key, else the number of the row', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'a.csv'), 'name,key\nann,1a\nbob,2b\n');
    writeFileSync(join(folder, 'b.jsonl'), '{"n":5}\n{"n":6}\n');
    expect((await list({ csv: 'a.csv', key: 'name' }, folder)).keys).toEqual(['ann', 'bob']);
    expect((await list({ csv: 'a.csv' }, folder)).keys).toEqual(['1a', '2b']);
    expect((await list({ jsonl: 'b.jsonl' }, folder)).keys).toEqual(['1', '2']);
    expect((await list({ jsonl: 'b.jsonl', key: 'n' }, folder)).keys).toEqual(['5', '6']);
  });

  test('that is empty or there twice is refused at its places', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'a.csv'), 'n,name\n1,ann\n2,\n3,"bob"\n4,ann\n');
    expect((await list({ csv: 'a.csv', key: 'name' }, folder)).problems).toEqual([
      'a.csv:3:3: name is empty, so the row has no key',
      'a.csv:5:3: two rows have the key "ann": the other one is a.csv:2:3',
    ]);
  });
});

describe('a row', () => {
  test('has its columns, an index and a key; a column named index stays as it is', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'a.tsv'), 'name\tage\nann\t7\nbob\t\n');
    const { items } = await list({ csv: 'a.tsv', key: 'name', types: { age: 'number' } }, folder);
    expect(items.map(({ fields }) => fields)).toEqual([
      { key: 'ann', index: 0, name: 'ann', age: 7 },
      { key: 'bob', index: 1, name: 'bob', age: null },
    ]);
    writeFileSync(join(folder, 'b.csv'), 'index\nx\n');
    const own = await list({ csv: 'b.csv' }, folder);
    expect(own.items[0]?.fields).toEqual({ key: '1', index: 'x' });
  });

  test.each([
    [{ csv: 'none.csv' }, 'items.csv "none.csv" does not exist'],
    [{ csv: 'folder' }, 'items.csv "folder" is a folder, not a regular file'],
    [{ csv: 'empty.csv' }, 'items.csv "empty.csv" has a header but no rows'],
    [{ jsonl: 'nothing.jsonl' }, 'items.jsonl "nothing.jsonl": the table is empty'],
  ])('is missing: %j', async (items, problem) => {
    const folder = folderWith('folder/x');
    writeFileSync(join(folder, 'empty.csv'), 'a,b\n');
    writeFileSync(join(folder, 'nothing.jsonl'), '');
    expect((await list(items, folder)).problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe('when', () => {
  test('keeps the items for which it is true; the others keep their numbers', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'a.csv'), 'n\n1\n5\n2\n9\n');
    const items = { csv: 'a.csv', types: { n: 'number' }, when: 'item.n >= inputs.least' };
    const { keys, items: kept } = await list(items, folder);
    expect(keys).toEqual(['2', '4']);
    expect(kept.map(({ fields }) => fields['index'])).toEqual([1, 3]);
    expect((await list(items, folder, { filter: { limit: 1 } })).keys).toEqual(['2']);
  });

  test('lets two rows have one key if it leaves one of them out', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'a.csv'), 'k,on\na,yes\na,no\n');
    const items = { csv: 'a.csv', key: 'k', when: 'item.on == "yes"' };
    expect((await list(items, folder)).keys).toEqual(['a']);
  });

  test('that is neither true nor false, or fails, names the item', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'a.csv'), 'n\n1\n');
    expect((await list({ csv: 'a.csv', when: 'item.n' }, folder)).problems).toEqual([
      'items.when for 1: the result is not true or false (a.csv:2:1)',
    ]);
    expect((await list({ csv: 'a.csv', when: 'item.n > 3' }, folder)).problems).toEqual([
      expect.stringContaining('does not work between'),
    ]);
  });

  test('that leaves nothing is refused', async () => {
    const { problems } = await list({ values: [1, 2], when: 'item.value > 2' }, folderWith());
    expect(problems).toEqual(['no item is left: items.when is false for all of them']);
  });
});

describe('a matrix', () => {
  const matrix = { style: ['oil', 'ink'], size: [1, 2] };

  test('alone has an item for each combination', async () => {
    const { items } = await list({ matrix }, folderWith());
    expect(items.map(({ key, fields, matrix: values }) => [key, fields, values])).toEqual([
      ['oil/1', { key: 'oil/1', index: 0 }, { style: 'oil', size: 1 }],
      ['oil/2', { key: 'oil/2', index: 1 }, { style: 'oil', size: 2 }],
      ['ink/1', { key: 'ink/1', index: 2 }, { style: 'ink', size: 1 }],
      ['ink/2', { key: 'ink/2', index: 3 }, { style: 'ink', size: 2 }],
    ]);
  });

  test('times files has each file with each combination, and the number of the file', async () => {
    const folder = folderWith('p/a.png', 'p/sub/b.png');
    const { keys, items } = await list({ glob: 'p/**', matrix, when: 'matrix.size == 1' }, folder);
    expect(keys).toEqual(['a.png/oil/1', 'a.png/ink/1', 'sub/b.png/oil/1', 'sub/b.png/ink/1']);
    expect(items[3]).toMatchObject({
      fields: { key: 'sub/b.png/ink/1', path: 'p/sub/b.png', stem: 'b', index: 1 },
      matrix: { style: 'ink', size: 1 },
    });
  });

  test('times values and rows', async () => {
    const folder = folderWith();
    writeFileSync(join(folder, 'a.csv'), 'name\nann\nbob\n');
    const style = { matrix: { style: ['oil', 'ink'] } };
    const both = ['ann/oil', 'ann/ink', 'bob/oil', 'bob/ink'];
    expect((await list({ csv: 'a.csv', key: 'name', ...style }, folder)).keys).toEqual(both);
    const values = [{ key: 'ann' }, { key: 'bob' }];
    expect((await list({ values, ...style }, folder)).keys).toEqual(both);
  });

  test('may leave out combinations of some items, and every one of an item', async () => {
    const exclude: readonly JsonObject[] = [
      { style: 'oil', 'item.stem': 'a' },
      { 'item.stem': 'b' },
    ];
    const folder = folderWith('a.png', 'b.png', 'c.png');
    const items = { glob: '*.png', matrix: { style: ['oil', 'ink'], exclude } };
    expect((await list(items, folder)).keys).toEqual(['a.png/ink', 'c.png/oil', 'c.png/ink']);
  });

  test('with two combinations of one name is refused', async () => {
    const include = [
      { style: 'gold', note: 1 },
      { style: 'gold', note: 2 },
    ];
    const { problems } = await list({ matrix: { style: ['oil'], include } }, folderWith());
    expect(problems).toEqual([
      'two combinations have the key "gold": {"style":"gold","note":1} and {"style":"gold","note":2}',
    ]);
  });
});

describe('what a file says of itself', () => {
  test('is read if an expression uses it: size, hash, width and height as shown', async () => {
    const folder = folderWith('note.txt');
    const picture = { create: { width: 30, height: 20, channels: 3, background: 'red' } } as const;
    await sharp(picture).png().toFile(join(folder, 'flat.png'));
    await sharp(picture).jpeg().withMetadata({ orientation: 6 }).toFile(join(folder, 'tall.jpg'));
    const when = 'item.width > item.height && item.bytes > 10 && size(item.sha256) == 64';
    const glob = '*.{png,jpg}';
    expect((await list({ glob, when }, folder)).keys).toEqual(['flat.png']);
    expect((await list({ glob, when: 'item.height == 30' }, folder)).keys).toEqual(['tall.jpg']);
    const { items } = await list({ glob }, folder);
    expect(Object.keys(items[0]?.fields ?? {})).not.toContain('width');
  });

  test('is an error where the header does not say it', async () => {
    const folder = folderWith('note.txt', 'broken.png');
    const { problems } = await list({ glob: '*.*', when: 'item.width > 3' }, folder);
    expect(problems).toEqual([
      'items.when for broken.png: broken.png has no width: its header cannot be read',
      'items.when for note.txt: note.txt has no width in its header',
    ]);
  });
});
