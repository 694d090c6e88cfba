// The word by which a worker knows the folder of a run: nothing else will do.
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { canaryFile, hasCanary, writeCanary } from '../../../src/distributed/shared-folder.ts';

const run = { terms: { run: '0123456789abcdef0123456789abcdef0123' }, canary: 'a'.repeat(32) };

async function marked(): Promise<{ readonly root: string; readonly file: string }> {
  const root = mkdtempSync(join(tmpdir(), 'shotlist-canary-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await writeCanary(root, run);
  return { root, file: canaryFile(root, run.terms.run) };
}

/** Moves a file or a folder away, and puts a link to it in its place. */
function asLink(path: string, aside: string): void {
  renameSync(path, aside);
  symlinkSync(aside, path);
}

test('a folder with the word of the run is the folder of the run', async () => {
  const { root } = await marked();
  expect(hasCanary(root, run)).toBe(true);
});

test.each<readonly [string, (root: string, file: string) => void]>([
  ['another word', (_, file) => writeFileSync(file, `${'0'.repeat(32)}\n`)],
  ['no word', (_, file) => rmSync(file)],
  ['a link to the word', (root, file) => asLink(file, join(root, 'aside'))],
  ['the word below a link', (root) => asLink(join(root, '.shotlist/engine'), join(root, 'aside'))],
  ['the word in a linked folder', (root) => asLink(join(root, '.shotlist'), join(root, 'aside'))],
])('a folder with %s is not', async (_, change) => {
  const { root, file } = await marked();
  change(root, file);
  expect(hasCanary(root, run)).toBe(false);
});

test('a word that could be guessed is none, and an id that leads elsewhere is none', async () => {
  const { root, file } = await marked();
  writeFileSync(file, 'abc');
  expect(hasCanary(root, { ...run, canary: 'abc' })).toBe(false);
  expect(hasCanary(root, { ...run, terms: { run: '../engine/abc' } })).toBe(false);
});
