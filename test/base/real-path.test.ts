// Where a path is, and where one will be that does not exist yet.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { futureRealPath, realPathOr } from '../../src/base/real-path.ts';
import { temporaryFolder } from '../files/places.ts';

function tree(): (path: string) => string {
  const root = temporaryFolder();
  const at = (path: string): string => join(root, path);
  mkdirSync(at('real/deep'), { recursive: true });
  writeFileSync(at('real/file'), 'x');
  symlinkSync('real', at('link'));
  symlinkSync('nothing', at('broken'));
  symlinkSync('circle', at('circle'));
  return at;
}

test('links are followed, and where they cannot be, the path stays as it is', () => {
  const at = tree();
  expect(realPathOr(at('link/deep'))).toBe(at('real/deep'));
  for (const path of ['none', 'broken', 'circle', 'real/file/x'])
    expect(realPathOr(at(path))).toBe(at(path));
});

test('a path that does not exist yet will be below the nearest folder that does', () => {
  const at = tree();
  expect(futureRealPath(at('link/deep'))).toBe(at('real/deep'));
  expect(futureRealPath(at('link/new'))).toBe(at('real/new'));
  expect(futureRealPath(at('link/new/deeper/a.png'))).toBe(at('real/new/deeper/a.png'));
});

test('where a link leads nowhere, or a file is in the way, nobody can say where a path will be', () => {
  const at = tree();
  for (const path of ['broken', 'broken/new', 'circle', 'circle/new', 'real/file/new'])
    expect(futureRealPath(at(path)), path).toBeUndefined();
});

test('an error that is not of the system is a bug, and is thrown', () => {
  expect(() => realPathOr('a\0b')).toThrow();
  expect(() => futureRealPath('a\0b')).toThrow();
});
