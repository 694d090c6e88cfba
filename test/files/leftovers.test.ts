// Which recorded files may be removed, by where they are, and which items are certainly gone.
import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keptFilesIn, Leftovers } from '../../src/files/leftovers.ts';
import { Rig } from '../rig.ts';

interface More {
  readonly blind?: boolean;
  readonly missingFolders?: boolean;
  readonly named?: boolean;
  readonly suffix?: number;
}

function leftovers(rig: Rig, more: More = {}): Leftovers {
  const { blind = false, missingFolders = false, named = false, suffix = 0 } = more;
  const folders = {
    folder: rig.folder,
    output: rig.path('out'),
    items: { base: 'photos/', named, suffix },
  };
  return new Leftovers({ ...folders, blind, missingFolders });
}

test('a file is reachable below the output folder only, and not through a link', () => {
  const rig = new Rig('');
  rig.write('out/a.png', 'a');
  rig.write('out/deep/b.png', 'b');
  rig.write('other/c.png', 'c');
  rig.write('out/.git/d.png', 'd');
  symlinkSync(rig.path('other'), rig.path('out/link'));
  symlinkSync(rig.path('out/deep'), rig.path('out/inner'));
  symlinkSync(rig.path('out/a.png'), rig.path('out/e.png'));
  const facts = leftovers(rig);
  for (const path of ['out/a.png', 'out/deep/b.png']) expect(facts.isReachable(path)).toBe(true);
  for (const path of [
    'other/c.png',
    '../x.png',
    'out/../other/c.png',
    'out/link/c.png',
    'out/inner/b.png',
    'out/e.png',
    'out/deep',
    'out/.git/d.png',
    'out/missing.png',
    'pipeline.yaml',
    '/etc/hostname',
  ])
    expect(facts.isReachable(path), path).toBe(false);
});

describe('an item', () => {
  test('is gone if its folder has other files', () => {
    const rig = new Rig('');
    rig.write('photos/a.png', 'a');
    mkdirSync(rig.path('photos/empty'));
    expect(leftovers(rig).isGone('b.png')).toBe(true);
    expect(leftovers(rig).isGone('empty/b.png')).toBe(false);
    expect(leftovers(rig).isGone('missing/b.png')).toBe(false);
    expect(leftovers(rig, { missingFolders: true }).isGone('missing/b.png')).toBe(true);
  });

  test('of a matrix is gone if the folder of its file has other files', () => {
    const rig = new Rig('');
    rig.write('photos/a.png', 'a');
    mkdirSync(rig.path('photos/empty'));
    const facts = leftovers(rig, { suffix: 1 });
    expect(facts.isGone('b.png/oil')).toBe(true);
    expect(facts.isGone('empty/b.png/oil')).toBe(false);
    // A value with a slash: nobody can tell where the file was.
    expect(facts.isGone('b.png/16/9')).toBe(false);
  });

  test('with a key of its own is gone only if the user says so', () => {
    const rig = new Rig('');
    rig.write('photos/a.png', 'a');
    expect(leftovers(rig, { named: true }).isGone('b')).toBe(false);
    expect(leftovers(rig, { named: true, missingFolders: true }).isGone('b')).toBe(true);
  });

  test('is never gone if something could not be read', () => {
    const rig = new Rig('');
    rig.write('photos/a.png', 'a');
    expect(leftovers(rig, { blind: true, missingFolders: true }).isGone('b.png')).toBe(false);
  });
});

test('kept files are known by their names', () => {
  const rig = new Rig('');
  const hash = 'a'.repeat(64);
  for (const name of [`${hash}.png`, hash, `${hash}.png.part`, 'b.png'])
    rig.write(`kept/${name}`, 'x');
  mkdirSync(rig.path(`kept/${'b'.repeat(64)}`));
  expect(keptFilesIn(rig.path('kept'))).toMatchObject([
    { sha256: hash, extension: '', bytes: 1 },
    { sha256: hash, extension: 'png' },
  ]);
  expect(keptFilesIn(rig.path('missing'))).toEqual([]);
});
