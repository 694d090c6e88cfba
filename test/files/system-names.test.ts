// What NAS, operating systems and photo programs keep among photos is no item, unless the glob names it.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mediaBelow } from '../../src/features/init/survey.ts';
import { globSource } from '../../src/files/glob-source.ts';
import { folderWith } from './places.ts';

async function search(
  patterns: readonly string[],
  files: readonly string[],
): Promise<{ readonly paths: readonly string[]; readonly warnings: readonly string[] } | string> {
  const folder = folderWith(...files);
  const found = await globSource({ patterns, folder, output: join(folder, 'out'), growing: false });
  if (!found.ok) return found.error.map(({ hint }) => hint).join();
  const { paths, warnings } = found.value;
  return { paths, warnings };
}

const kept = [
  ...['@eaDir/a.jpg/SYNOPHOTO_THUMB_M.jpg', '@EADIR/a.jpg', 'may/@eaDir/a.jpg', '#recycle/a.jpg'],
  ...['a.jpg@SynoEAStream.jpg/a.jpg@SynoEAStream', '#snapshot/GMT-2026/a.jpg', '@tmp/a.jpg'],
  ...['@Recycle/a.jpg', '.@__thumb/s800a.jpg', '@__thumb/a.jpg', '@Recently-Snapshot/d/a.jpg'],
  ...['$RECYCLE.BIN/$R1.jpg', '$Recycle.Bin/S-1-5/$R1.jpg', 'RECYCLER/a.jpg', 'FOUND.000/a.jpg'],
  ...['System Volume Information/a.jpg', 'Thumbs.db', 'thumbs.db', 'desktop.ini', 'ehthumbs.db'],
  ...['.Trash/a.jpg', '.Trash-1000/files/a.jpg', '.Trashes/501/a.jpg', '.trashed-1790000000-a.jpg'],
  ...['._a.jpg', '.DS_Store', '__MACOSX/._a.jpg', '__MACOSX/a.jpg', '.AppleDouble/a.jpg'],
  ...[':2e_a.jpg', 'Network Trash Folder/a.jpg', 'Temporary Items/a.jpg', '.Spotlight-V100/a.jpg'],
  ...['lost+found/a.jpg', '.thumbnails/normal/a.png', '.wdmc/a.jpg', 'trashbox/a.jpg'],
  ...['My Previews.lrdata/0/a.jpg', 'Photos Library.photoslibrary/resources/derivatives/a.jpg'],
  ...['.stversions/a.jpg', '.snapshot/hourly.0/a.jpg', '~snapshot/a.jpg', '.picasaoriginals/a.jpg'],
];

const ownNames = [
  ...[
    'photos/a.jpg',
    'recycled/a.jpg',
    'recycle/a.jpg',
    'trash/a.jpg',
    'Trash/a.jpg',
    'found/a.jpg',
  ],
  ...[
    'thumbs/a.jpg',
    'thumbnails/a.jpg',
    'previews/a.jpg',
    'eaDir/a.jpg',
    '@home/a.jpg',
    '#1/a.jpg',
  ],
  ...['$5 shirt/a.jpg', 'system/a.jpg', 'lost and found/a.jpg', 'tmp/a.jpg', 'snapshot/a.jpg'],
  ...['lrdata/a.jpg', 'icon/a.jpg', 'Icon.png', 'sync/a.jpg', 'Thumbs.jpg', 'my@eaDir/a.jpg'],
];

describe('a glob', () => {
  test.each(kept)('leaves out %s', async (path) => {
    expect(await search(['**/*'], ['z.jpg', path])).toMatchObject({ paths: ['z.jpg'] });
    // With its dot named, too: that is no name of it.
    expect(await search(['**/{*,.*,.*/**}'], ['z.jpg', path])).toMatchObject({ paths: ['z.jpg'] });
  });

  test.each(ownNames)('finds %s', async (path) => {
    expect(await search(['**/*'], [path])).toEqual({ paths: [path], warnings: [] });
  });

  test.each([
    [['@eaDir/*.jpg'], '@eaDir/a.jpg'],
    [['may/**/@EADIR/*.jpg'], 'may/x/@eaDir/a.jpg'],
    [['{@eaDir,photos}/*.jpg'], '@eaDir/a.jpg'],
    [['\\#recycle/**'], '#recycle/a.jpg'],
    [['$RECYCLE.BIN/*'], '$RECYCLE.BIN/$R1.jpg'],
    [['.Trash-*/**/*.jpg'], '.Trash-1000/files/a.jpg'],
    [['._*'], '._a.jpg'],
    [['*.lrdata/**'], 'My Previews.lrdata/a.jpg'],
    [['**/*.jpg', '@eaDir/*.jpg'], '@eaDir/a.jpg'],
  ])('%j names %s', async (patterns, path) => {
    const found = await search(patterns, ['z.jpg', path]);
    expect(found).toMatchObject({ paths: expect.arrayContaining([path]), warnings: [] });
  });
});

test('says how many are left out, and where', async () => {
  const many = ['#recycle/a.jpg', 'x/@eaDir/a.jpg', 'x/@eaDir/b.jpg', '@Recycle/a', 'lost+found/b'];
  expect(await search(['**'], ['z.jpg', ...many])).toMatchObject({
    warnings: [expect.stringMatching(/^5 files .*: 2 in @eaDir, 1 in .*, 1 elsewhere;/)],
  });
  expect(await search(['**/*.jpg'], ['@eaDir/a.jpg'])).toMatch(/^1 file .*: 1 in @eaDir;/);
});

test('says nothing of what an exclusion names', async () => {
  const patterns = ['**/*.jpg', '!**/@eaDir/**'];
  expect(await search(patterns, ['z.jpg', '@eaDir/a.jpg'])).toEqual({
    paths: ['z.jpg'],
    warnings: [],
  });
});

test('init proposes no tool for them', async () => {
  expect(await mediaBelow(folderWith('a.jpg', ...kept), () => false)).toEqual(['a.jpg']);
});
