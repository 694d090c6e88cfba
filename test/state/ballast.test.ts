// Room on the disk that is kept for the journal: it is really taken, given back piece by piece, and removed.
import fs, { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Ballast, takeBallast } from '../../src/state/ballast.ts';
import { temporaryFolder } from '../files/places.ts';

const whole = 1 << 20;
const piece = 1 << 16;
const at = (): string => join(temporaryFolder(), 'ballast');
const trouble = (code: string): Error => Object.assign(new Error(code), { code });

async function taken(file: string): Promise<Ballast> {
  const ballast = await takeBallast(file);
  if (!ballast.ok) throw new Error(ballast.error);
  return ballast.value;
}

/** `ftruncate` fails with this until the returned function is called. */
function noTruncation(error: Error): () => void {
  const { ftruncateSync } = fs;
  const restore = (): void => {
    fs.ftruncateSync = ftruncateSync;
    syncBuiltinESMExports();
  };
  fs.ftruncateSync = () => {
    throw error;
  };
  syncBuiltinESMExports();
  onTestFinished(restore);
  return restore;
}

/** Writing a whole file fails with this. */
async function noWriting(error: Error): Promise<void> {
  const probe = await files.open(join(temporaryFolder(), 'probe'), 'w');
  const handle: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();
  const { writeFile } = handle;
  handle.writeFile = async () => {
    throw error;
  };
  onTestFinished(() => void Object.assign(handle, { writeFile }));
}

test('the room is written with bytes that cannot be made smaller', async () => {
  const file = at();
  const ballast = await taken(file);
  expect(statSync(file).size).toBe(whole);
  expect(new Set(readFileSync(file).subarray(0, 4096)).size).toBeGreaterThan(200);
  await ballast.remove();
});

test('a file of that name that a killed run left is replaced', async () => {
  const file = at();
  writeFileSync(file, 'left over');
  const ballast = await taken(file);
  expect(statSync(file).size).toBe(whole);
  await ballast.remove();
});

test('the room is given back in pieces, until there is none left', async () => {
  const file = at();
  const ballast = await taken(file);
  for (let left = whole - piece; left >= 0; left -= piece) {
    expect(ballast.give()).toBe(true);
    expect(statSync(file).size).toBe(left);
  }
  expect(ballast.give()).toBe(false);
  expect(statSync(file).size).toBe(0);
  await ballast.remove();
});

test('once it is removed there is nothing to give, and no file is left', async () => {
  const file = at();
  const ballast = await taken(file);
  await ballast.remove();
  expect(ballast.give()).toBe(false);
  expect(existsSync(file)).toBe(false);
});

test('a piece that the disk does not free is not counted as given', async () => {
  const file = at();
  const ballast = await taken(file);
  const restore = noTruncation(trouble('EIO'));
  expect(ballast.give()).toBe(false);
  restore();
  expect(ballast.give()).toBe(true);
  expect(statSync(file).size).toBe(whole - piece);
  await ballast.remove();
});

test('a bug in giving is not taken for a full disk', async () => {
  const ballast = await taken(at());
  noTruncation(new TypeError('a bug'));
  expect(() => ballast.give()).toThrow('a bug');
  await ballast.remove();
});

test('a folder that does not exist is told', async () => {
  const file = join(temporaryFolder(), 'none', 'ballast');
  expect(await takeBallast(file)).toEqual({ ok: false, error: `${file} does not exist` });
});

test('a disk without that much room is told, and nothing is left behind', async () => {
  const file = at();
  await noWriting(trouble('ENOSPC'));
  expect(await takeBallast(file)).toEqual({
    ok: false,
    error: `${file} could not be written: the disk is full`,
  });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('a bug in writing is not taken for a full disk', async () => {
  await noWriting(new TypeError('a bug'));
  await expect(takeBallast(at())).rejects.toThrow('a bug');
});
