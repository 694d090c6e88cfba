// Folders for outputs: made where they are missing, and never behind a link that leads out.
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linkProblem, OutputFolders, OutputLinks } from '../../src/files/output-folders.ts';
import { extensionMark } from '../../src/language/result-name.ts';
import { temporaryFolder } from './places.ts';

test('a folder is made with those above it, and may be there already', async () => {
  const root = join(temporaryFolder(), 'deep/out');
  const folders = new OutputFolders(root);
  await folders.ensure(join(root, 'a/b'));
  await folders.ensure(join(root, 'a/b'));
  await folders.ensure(root);
  expect(existsSync(join(root, 'a/b'))).toBe(true);
});

test('a folder that was ready is not looked at again', async () => {
  const root = temporaryFolder();
  const folders = new OutputFolders(root);
  await folders.ensure(join(root, 'a'));
  rmSync(join(root, 'a'), { recursive: true });
  await folders.ensure(join(root, 'a'));
  expect(existsSync(join(root, 'a'))).toBe(false);
});

test('a link that leads out, or into a folder of git, is refused before anything is made behind it', async () => {
  const folder = temporaryFolder();
  const root = join(folder, 'out');
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  mkdirSync(join(folder, 'elsewhere'));
  symlinkSync('../elsewhere', join(root, 'away'));
  symlinkSync('.git/hooks', join(root, 'hooks'));
  const folders = new OutputFolders(root);
  for (let times = 0; times < 2; times++) {
    await expect(folders.ensure(join(root, 'away/new'))).rejects.toThrow(
      'a link leads out of the output folder',
    );
    await expect(folders.ensure(join(root, 'hooks/new'))).rejects.toThrow(
      'a link leads into a .git folder',
    );
  }
  expect(existsSync(join(folder, 'elsewhere/new'))).toBe(false);
  expect(existsSync(join(root, '.git/hooks/new'))).toBe(false);
});

// Links in the output folder, looked at before anything is paid.

/** An output folder with a folder beside it. */
function place(): { readonly folder: string; readonly out: string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'out/deep'), { recursive: true });
  mkdirSync(join(folder, 'elsewhere'));
  return { folder, out: join(folder, 'out') };
}

describe('a download', () => {
  test('may land in the output folder, in folders in it, and in those that are not there yet', () => {
    const links = new OutputLinks(place().out);
    for (const to of ['a.png', 'deep/a.png', 'new/deeper/a.png'])
      expect(links.problem(to), to).toBeUndefined();
  });

  test('may follow a link that stays in the output folder', () => {
    const { out } = place();
    symlinkSync('deep', join(out, 'link'));
    expect(new OutputLinks(out).problem('link/new/a.png')).toBeUndefined();
  });

  test.each(['link/a.png', 'link/new/a.png'])('may not follow a link out of it: %s', (to) => {
    const { out } = place();
    symlinkSync('../elsewhere', join(out, 'link'));
    expect(new OutputLinks(out).problem(to)).toBe('a link leads out of the output folder');
  });

  test.each(['link/a.png', 'link/new/a.png'])('may not follow a link to nowhere: %s', (to) => {
    const { out } = place();
    symlinkSync('nothing', join(out, 'link'));
    expect(new OutputLinks(out).problem(to)).toBe('a link leads nowhere');
  });

  test.each(['.git', '.shotlist'])('may not follow a link into a %s folder', (name) => {
    const { out } = place();
    mkdirSync(join(out, name, 'hooks'), { recursive: true });
    symlinkSync(`${name}/hooks`, join(out, 'link'));
    expect(new OutputLinks(out).problem('link/a.png')).toBe(`a link leads into a ${name} folder`);
  });

  test.each([
    ['file/a.png', 'file'],
    ['file/new/a.png', 'file'],
    ['deep/file/a.png', 'deep/file'],
    ['alias/a.png', 'alias'],
  ])('needs a folder where a file is: %s', (to, name) => {
    const { out } = place();
    for (const file of ['file', 'deep/file']) writeFileSync(join(out, file), 'mine');
    symlinkSync('file', join(out, 'alias'));
    expect(new OutputLinks(out).problem(to)).toBe(
      `${name} in the output folder is a file, and a folder must have this name`,
    );
  });

  test('needs a file where a folder is, unless its name is not known yet', () => {
    const { out } = place();
    mkdirSync(join(out, 'deep/a.png'));
    const links = new OutputLinks(out);
    expect(links.problem('deep/a.png')).toBe(
      'deep/a.png in the output folder is a folder, and a file must have this name',
    );
    for (const to of ['deep/a.png/', 'deep', `deep/a.${extensionMark}`, 'deep/b.png'])
      expect(links.problem(to), to).toBeUndefined();
  });

  test('may land below an output folder that is a link itself', () => {
    const { folder, out } = place();
    symlinkSync('out', join(folder, 'alias'));
    symlinkSync('../elsewhere', join(out, 'link'));
    const links = new OutputLinks(join(folder, 'alias'));
    expect(links.problem('deep/a.png')).toBeUndefined();
    expect(links.problem('link/a.png')).toBe('a link leads out of the output folder');
  });

  test('is judged by its folder, which is looked at once', () => {
    const { out } = place();
    symlinkSync('../elsewhere', join(out, 'link'));
    const links = new OutputLinks(out);
    expect(links.problem('deep/a.png')).toBeUndefined();
    expect(links.problem('link/a.png')).toBeDefined();
    rmSync(join(out, 'deep'), { recursive: true });
    symlinkSync('../elsewhere', join(out, 'deep'));
    rmSync(join(out, 'link'));
    expect(links.problem('deep/b.png')).toBeUndefined();
    expect(links.problem('link/b.png')).toBe('a link leads out of the output folder');
  });
});

test('a folder whose name only begins like the output folder is outside', () => {
  expect(linkProblem('/a/out-2', '/a/out')).toBe('a link leads out of the output folder');
  expect(linkProblem('/a/out', '/a/out')).toBeUndefined();
  expect(linkProblem('/a/out/b', '/a/out')).toBeUndefined();
});
