// What git has at or below a path, read from the index as git itself writes it, in all the forms that it has.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { trackedAt } from '../../src/files/git-index.ts';
import { git, write } from '../hostile/repositories/clone.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shotlist-index-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

const files = {
  'a/.shoe/one': '1',
  'a/.shotlist-more/one': '1',
  'a/.shotlist/kept/one': '1',
  'a/.shotlist/two': '2',
  'b/.shotlist/untracked': '3',
  [`long/${'n'.repeat(200)}/${'m'.repeat(200)}`]: '4',
};

/** Commits all but what is in b/. */
function commit(...init: readonly string[]): void {
  git(root, 'init', '--quiet', ...init);
  write(root, files);
  git(root, 'add', '--force', 'a', 'long');
  git(root, 'commit', '--quiet', '--message', 'one');
}

function expectFound(): void {
  expect(trackedAt(join(root, 'a/.shotlist'))).toBe('a/.shotlist/kept/one');
  expect(trackedAt(join(root, 'a/.SHOTLIST'))).toBe('a/.shotlist/kept/one');
  expect(trackedAt(join(root, 'a/.shotlist/two'))).toBe('a/.shotlist/two');
  expect(trackedAt(join(root, 'b/.shotlist'))).toBeUndefined();
  expect(trackedAt(join(root, 'a/.shot'))).toBeUndefined();
}

describe('a file that git tracks is found in an index', () => {
  test.each(['2', '3', '4'])('of version %s', (version) => {
    commit();
    git(root, 'update-index', '--index-version', version);
    // An entry that version 2 has no room for.
    if (version !== '2') {
      write(root, { 'a/.later': '5' });
      git(root, 'add', '--intent-to-add', 'a/.later');
    }
    expectFound();
    git(root, 'rm', '-r', '--quiet', '--cached', 'a/.shotlist');
    expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
  });

  test('with SHA-256', () => {
    commit('--object-format=sha256');
    expectFound();
  });

  test('that is split, until it is removed from either half', () => {
    commit();
    git(root, 'update-index', '--split-index');
    expectFound();
    git(root, 'rm', '-r', '--quiet', '--cached', 'a/.shotlist');
    expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
    expect(trackedAt(join(root, 'a/.shoe'))).toBe('a/.shoe/one');
    git(root, 'add', '--force', 'b');
    expect(trackedAt(join(root, 'b/.shotlist'))).toBe('b/.shotlist/untracked');
  });

  test('that is split, whichever of many files are removed, added or changed afterwards', () => {
    const names = Array.from({ length: 300 }, (_, count) => `many/${1000 + count}`);
    git(root, 'init', '--quiet');
    write(root, Object.fromEntries(names.map((name) => [name, name])));
    git(root, 'add', '--force', 'many');
    git(root, 'update-index', '--split-index');
    const stays = (name: string): boolean => {
      const number = Number(name.slice(5)) - 1000;
      // More than three words of bits in a row, then some that are mixed.
      return number < 10 || (number > 220 && number % 3 === 0);
    };
    const gone = names.filter((name) => !stays(name));
    git(root, '-c', 'splitIndex.maxPercentChange=100', 'rm', '--quiet', '--cached', ...gone);
    write(root, { 'many/1003': 'changed', 'many/2000': 'new' });
    git(root, '-c', 'splitIndex.maxPercentChange=100', 'add', 'many/1003', 'many/2000');
    expect(readdirSync(join(root, '.git')).some((name) => name.startsWith('sharedindex.'))).toBe(
      true,
    );
    const found = names.filter((name) => trackedAt(join(root, name)) !== undefined);
    expect(found).toEqual(names.filter(stays));
    expect(trackedAt(join(root, 'many/2000'))).toBe('many/2000');
  });

  test.each(['gitdir: .git-away', 'gitdir: .git-away\n', 'gitdir: .git-away\r\n'])(
    'in another folder, which %j names',
    (text) => {
      commit();
      renameSync(join(root, '.git'), join(root, '.git-away'));
      writeFileSync(join(root, '.git'), text);
      expectFound();
    },
  );

  test('of a worktree', () => {
    commit();
    const tree = join(root, 'tree');
    git(root, 'worktree', 'add', '--quiet', tree, '-b', 'other');
    expect(trackedAt(join(tree, 'a/.shotlist'))).toBe('a/.shotlist/kept/one');
    git(tree, 'rm', '-r', '--quiet', '--cached', 'a/.shotlist');
    expect(trackedAt(join(tree, 'a/.shotlist'))).toBeUndefined();
    expectFound();
  });

  test('behind a repository that somebody planted nearer', () => {
    commit();
    write(root, { 'a/.git/config': '', 'a/.git/HEAD': '' });
    expectFound();
  });
});

describe('nothing is tracked', () => {
  test('where there is no repository', () => {
    write(root, files);
    expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
  });

  test('by an index that git could not use either, wherever it was cut off', () => {
    commit();
    const index = join(root, '.git/index');
    for (let length = 300; length >= 0; length -= 7) {
      truncateSync(index, length);
      expect(trackedAt(join(root, 'b/.shotlist'))).toBeUndefined();
    }
    writeFileSync(index, Buffer.from('DIRC\0\0\0\x09\0\0\0\x01', 'latin1'));
    expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
  });

  test.each([0, 1, 5, 0x02000000])(
    'by an index of version %i, which git does not write',
    (version) => {
      commit();
      const index = join(root, '.git/index');
      const bytes = readFileSync(index);
      bytes.writeUInt32BE(version, 4);
      writeFileSync(index, bytes);
      expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
    },
  );

  test('by an index that does not say that it is one', () => {
    commit();
    const index = join(root, '.git/index');
    const bytes = readFileSync(index);
    bytes.write('dirc', 0, 'latin1');
    writeFileSync(index, bytes);
    expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
  });

  test('by a .git file that names nothing', () => {
    mkdirSync(join(root, 'a'));
    writeFileSync(join(root, 'a/.git'), 'gitdir: ../nowhere\n');
    expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
    writeFileSync(join(root, 'a/.git'), 'rubbish');
    expect(trackedAt(join(root, 'a/.shotlist'))).toBeUndefined();
  });
});
