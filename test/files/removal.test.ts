// A file is removed only with the content that was recorded, and only itself.
import { existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOfBytes } from '../../src/base/digest.ts';
import { remove, verified } from '../../src/features/prune/remove.ts';
import { Rig } from '../rig.ts';

const own = digestOfBytes('own');

function place(): { readonly file: string; readonly folder: string } {
  const { folder } = new Rig('');
  const file = join(folder, 'a.png');
  writeFileSync(file, 'own');
  return { file, folder };
}

test('a file with the recorded content is removed', async () => {
  const { file } = place();
  const found = await verified(file, own);
  if (!found.ok) throw new Error(found.error);
  expect(await remove(found.value)).toEqual({ ok: true, value: undefined });
  expect(existsSync(file)).toBe(false);
  expect(await remove(found.value)).toMatchObject({ ok: true });
});

test('a file with other content stays, also if it changed a moment ago', async () => {
  const { file } = place();
  expect(await verified(file, digestOfBytes('other'))).toMatchObject({
    error: 'was changed: left alone',
  });
  const found = await verified(file, own);
  if (!found.ok) throw new Error(found.error);
  writeFileSync(file, 'retouched');
  expect(await remove(found.value)).toMatchObject({ ok: false });
  expect(existsSync(file)).toBe(true);
});

test('a link, a folder and a missing file are not removed', async () => {
  const { file, folder } = place();
  symlinkSync(file, join(folder, 'link.png'));
  expect(await verified(join(folder, 'link.png'), own)).toMatchObject({
    error: 'is a link now: left alone',
  });
  mkdirSync(join(folder, 'folder.png'));
  expect(await verified(join(folder, 'folder.png'), own)).toMatchObject({ ok: false });
  expect(await verified(join(folder, 'nothing.png'), own)).toMatchObject({ ok: false });
});

test('only the name is removed of a file with another name', async () => {
  const { file, folder } = place();
  linkSync(file, join(folder, 'same.png'));
  const found = await verified(file, own);
  if (!found.ok) throw new Error(found.error);
  await remove(found.value);
  expect(existsSync(join(folder, 'same.png'))).toBe(true);
});
