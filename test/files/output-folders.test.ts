// Folders for outputs: made where they are missing, and never behind a link that leads out.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputFolders } from '../../src/files/output-folders.ts';
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
