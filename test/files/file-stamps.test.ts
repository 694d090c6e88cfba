// Stamps show that files are as they were; when in doubt, they show nothing.
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  areSame,
  FileStamps,
  isRacy,
  type StampedFiles,
  statsOf,
} from '../../src/files/file-stamps.ts';

let folder: string;
const later = (): number => Date.now() + 60_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shotlist-stamps-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function written(name: string, content = name): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function stampsOf(paths: readonly string[], now = later): StampedFiles | undefined {
  const stamps = new FileStamps(folder, now);
  for (const path of paths) stamps.add(path, statsOf(path));
  return stamps.files;
}

function known(paths: readonly string[]): StampedFiles {
  const files = stampsOf(paths);
  if (files === undefined) throw new Error('the stamps were abandoned');
  return files;
}

test('files are the same until one of them is written, touched, replaced or removed', async () => {
  const paths = ['a', 'b', 'ü', 'c d'].map((name) => written(name));
  const change: readonly (() => void)[] = [
    () => writeFileSync(join(folder, 'a'), 'longer than before'),
    () => utimesSync(join(folder, 'b'), 1, 1),
    () => {
      rmSync(join(folder, 'ü'));
      written('ü');
    },
    () => rmSync(join(folder, 'c d')),
  ];
  for (const make of change) {
    const files = known(paths);
    expect(await areSame(files, folder)).toBe(true);
    make();
    expect(await areSame(files, folder)).toBe(false);
  }
});

test('their names are read wherever they stand in a larger piece of memory', async () => {
  const { paths, digest } = known([written('a'), written('b')]);
  const row = Buffer.concat([Buffer.from('before\0'), paths, Buffer.from('after\0')]);
  const part = row.subarray(7, 7 + paths.length);
  expect(await areSame({ paths: part, digest }, folder)).toBe(true);
});

test('a folder that was moved and linked back is another place', async () => {
  mkdirSync(join(folder, 'own'));
  const files = known([written('own/a'), written('own/b')]);
  expect(await areSame(files, folder)).toBe(true);
  renameSync(join(folder, 'own'), join(folder, 'moved'));
  symlinkSync(join(folder, 'moved'), join(folder, 'own'));
  expect(await areSame(files, folder)).toBe(false);
});

test('paths below the folder are relative, others are absolute', () => {
  const inside = written('inside');
  const outside = written('outside');
  const stamps = new FileStamps(join(folder, 'inside-too'), later);
  stamps.add(outside, statsOf(outside));
  expect(Buffer.from(stamps.files?.paths ?? []).toString()).toBe(`${outside}\0`);
  expect(Buffer.from(known([inside]).paths).toString()).toBe('inside\0');
});

test('a file that was looked at twice counts once, if it was the same both times', () => {
  const path = written('a');
  expect(Buffer.from(known([path, path]).paths).toString()).toBe('a\0');
  const stamps = new FileStamps(folder, later);
  stamps.add(path, statsOf(path));
  writeFileSync(path, 'other content');
  stamps.add(path, statsOf(path));
  expect(stamps.files).toBeUndefined();
});

test('a missing file, a folder and a file that may still change show nothing', () => {
  expect(stampsOf([join(folder, 'missing')])).toBeUndefined();
  expect(stampsOf([folder])).toBeUndefined();
  const young = written('young');
  expect(stampsOf([young], () => Date.now())).toBeUndefined();
  // The times of a copy may be old, but not the time at which it was made.
  utimesSync(young, 1, 1);
  expect(stampsOf([young], () => Date.now())).toBeUndefined();
});

test('nothing is collected after it was abandoned', () => {
  const stamps = new FileStamps(folder, later);
  stamps.abandon();
  const path = written('a');
  stamps.add(path, statsOf(path));
  expect(stamps.files).toBeUndefined();
});

test('two seconds after a change, the time stamp tells the next one', () => {
  const now = Date.now();
  const at = BigInt(now) * 1_000_000n;
  expect(isRacy(at, now + 1999)).toBe(true);
  expect(isRacy(at, now + 2000)).toBe(false);
});

test('a comparison ends when it is asked to', async () => {
  const files = known([written('a')]);
  const stop = AbortSignal.abort(new Error('stopped'));
  await expect(areSame(files, folder, stop)).rejects.toThrow('stopped');
});
