// Which folder is a pipeline's repository, and what is in it.
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Boundary } from '../../../../src/runner/adapters/files/boundary.ts';
import { repositoryOf } from '../../../../src/runner/adapters/files/repository.ts';
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
});
