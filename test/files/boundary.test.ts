// Which folder is a pipeline's repository, and what is in it.
import {
  closeSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { repositoryOf } from '../../src/base/repository.ts';
import { Boundary } from '../../src/files/boundary.ts';
import { temporaryFolder } from './places.ts';

/** A folder with these folders in it. */
function tree(...folders: readonly string[]): string {
  const root = realpathSync(temporaryFolder());
  for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
  return root;
}

describe('the repository of a pipeline', () => {
  test('is the nearest folder above it that holds .git, as a folder or a file', () => {
    const root = tree('me', 'a/.git', 'a/b/c', 'a/worktree/d');
    writeFileSync(join(root, 'a/worktree/.git'), 'gitdir: ../.git/worktrees/worktree');
    const home = join(root, 'me');
    expect(repositoryOf(join(root, 'a/b/c'), home)).toBe(join(root, 'a'));
    expect(repositoryOf(join(root, 'a'), home)).toBe(join(root, 'a'));
    expect(repositoryOf(join(root, 'a/worktree/d'), home)).toBe(join(root, 'a/worktree'));
  });

  test('is its own folder where there is no .git, or only in the home folder or above it', () => {
    const root = tree('.git', 'me/.git', 'me/downloads/p');
    const home = join(root, 'me');
    expect(repositoryOf(join(home, 'downloads/p'), home)).toBe(join(home, 'downloads/p'));
    expect(repositoryOf(home, home)).toBe(home);
  });

  test('is where links lead, and so is the home folder', () => {
    const root = tree('real/me/.git', 'real/me/p');
    symlinkSync(join(root, 'real'), join(root, 'link'));
    const own = join(root, 'real/me/p');
    expect(repositoryOf(join(root, 'link/me/p'), join(root, 'link/me'))).toBe(own);
    expect(repositoryOf(join(root, 'link/me/p'), join(root, 'elsewhere'))).toBe(
      join(root, 'real/me'),
    );
  });
});

describe('a boundary', () => {
  const bounded = (allowOutside = false, named: readonly string[] = []) => {
    const root = tree('repository/deep', 'repository-2', 'other');
    for (const name of [
      'repository/a.png',
      'repository/deep/a.png',
      'repository-2/a.png',
      'other/a.png',
    ])
      writeFileSync(join(root, name), 'x');
    const repository = join(root, 'repository');
    const paths = named.map((name) => join(root, name));
    const boundary = new Boundary({ repository, allowOutside, named: paths });
    return { root, boundary, refusal: (name: string) => boundary.refusal(join(root, name)) };
  };

  test('lets files in the repository through, and what is not there', () => {
    const { refusal } = bounded();
    for (const name of [
      'repository/a.png',
      'repository/deep/a.png',
      'repository/none.png',
      'none/a.png',
    ])
      expect(refusal(name), name).toBeUndefined();
  });

  test('refuses a folder whose name only begins like that of the repository', () => {
    expect(bounded().refusal('repository-2/a.png')).toContain('is outside the repository');
  });

  test('lets a name through that begins with two dots', () => {
    const { root, refusal } = bounded();
    writeFileSync(join(root, 'repository/..a.png'), 'x');
    expect(refusal('repository/..a.png')).toBeUndefined();
  });

  test('lets the very path through that the user named, also when it is a link', () => {
    const { root, refusal } = bounded(false, ['other/a.png', 'mine.png']);
    symlinkSync(join(root, 'other/a.png'), join(root, 'mine.png'));
    expect(refusal('other/a.png')).toBeUndefined();
    expect(refusal('mine.png')).toBeUndefined();
    expect(refusal('repository-2/a.png')).toBeDefined();
  });

  test('notes each place outside once that the user allows', () => {
    const { root, boundary, refusal } = bounded(true);
    symlinkSync(join(root, 'other/a.png'), join(root, 'repository/link.png'));
    for (const name of ['other/a.png', 'repository/link.png', 'repository/a.png'])
      expect(refusal(name)).toBeUndefined();
    expect(boundary.outside).toEqual([join(root, 'other/a.png')]);
  });

  test('follows links, and says where they lead', () => {
    const { root, refusal } = bounded();
    symlinkSync(join(root, 'other/a.png'), join(root, 'repository/link.png'));
    symlinkSync(join(root, 'other'), join(root, 'repository/away'));
    symlinkSync('nowhere', join(root, 'repository/broken.png'));
    const why = 'is outside the repository: use --allow-outside to allow it';
    expect(refusal('repository/link.png')).toBe(why);
    expect(refusal('repository/away/a.png')).toBe(why);
    expect(refusal('repository/broken.png')).toBeUndefined();
  });

  test('has no room for folders of git, in any spelling', () => {
    const { root, boundary, refusal } = bounded();
    mkdirSync(join(root, 'repository/.GIT/hooks'), { recursive: true });
    writeFileSync(join(root, 'repository/.GIT/hooks/a.png'), 'x');
    mkdirSync(join(root, 'repository/.shotlist'));
    writeFileSync(join(root, 'repository/.shotlist/a.png'), 'x');
    const why = 'is in a .git folder: use --allow-outside to allow it';
    expect(refusal('repository/.GIT/hooks/a.png')).toBe(why);
    expect(refusal('repository/.shotlist/a.png')).toBeUndefined();
    expect(boundary.folderRefusal(join(root, 'repository/.git'))).toBe(why);
  });

  test('lets no path through that is named inside the repository and leads out', () => {
    const { root, refusal } = bounded(false, ['repository/link.png', 'other/a.png']);
    symlinkSync(join(root, 'other/a.png'), join(root, 'repository/link.png'));
    expect(refusal('repository/link.png')).toBeDefined();
    expect(refusal('other/a.png')).toBeUndefined();
  });

  test('lets no path through whose folder leads into the repository by a link', () => {
    const root = tree('repository/deep', 'other');
    symlinkSync(join(root, 'repository'), join(root, 'alias'));
    writeFileSync(join(root, 'other/a.png'), 'x');
    symlinkSync(join(root, 'other/a.png'), join(root, 'repository/deep/link.png'));
    const path = join(root, 'alias/deep/link.png');
    const repository = join(root, 'repository');
    const boundary = new Boundary({ repository, allowOutside: false, named: [path] });
    expect(boundary.refusal(path)).toContain('is outside the repository');
  });

  test('tells which folders may be searched', () => {
    const { root, boundary } = bounded();
    expect(boundary.folderRefusal(join(root, 'repository/deep'))).toBeUndefined();
    expect(boundary.folderRefusal(join(root, 'repository'))).toBeUndefined();
    expect(boundary.folderRefusal(join(root, 'other'))).toBe(
      'is outside the repository: use --allow-outside to allow it',
    );
    expect(bounded(true).boundary.folderRefusal(join(root, 'other'))).toBeUndefined();
  });

  test('notes nothing outside where it is not allowed, and what it notes is sorted', () => {
    const refused = bounded();
    refused.refusal('other/a.png');
    expect(refused.boundary.outside).toEqual([]);
    const { root, boundary, refusal } = bounded(true);
    for (const name of ['repository-2/a.png', 'other/a.png', 'other/none.png']) refusal(name);
    expect(boundary.outside).toEqual(
      ['other/a.png', 'repository-2/a.png'].map((name) => join(root, name)),
    );
  });

  test('notes at most a thousand places', () => {
    const { root, boundary, refusal } = bounded(true);
    for (let count = 0; count < 1001; count++) {
      writeFileSync(join(root, `other/${count}`), '');
      expect(refusal(`other/${count}`)).toBeUndefined();
    }
    expect(boundary.outside).toHaveLength(1000);
  });

  test.runIf(process.platform === 'linux')(
    'refuses what is there but has no path, such as an open file that was removed (Linux)',
    () => {
      const { root, boundary } = bounded();
      const descriptor = openSync(join(root, 'repository/a.png'), 'r');
      onTestFinished(() => closeSync(descriptor));
      rmSync(join(root, 'repository/a.png'));
      const path = `/proc/self/fd/${descriptor}`;
      const why = 'leads to a place that cannot be determined: use --allow-outside to allow it';
      expect(boundary.refusal(path)).toBe(why);
      expect(bounded(true).boundary.refusal(path)).toBeUndefined();
    },
  );
});
