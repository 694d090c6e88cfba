// Room on the disk that is kept for the journal: it is really taken, given back piece by piece, and removed.
import fs, { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import files, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type DiskReserve, takeDiskReserve } from '../../src/state/disk-reserve.ts';
import { temporaryFolder } from '../files/places.ts';

const whole = 1 << 20;
const piece = 1 << 16;
const at = (): string => join(temporaryFolder(), 'reserve');
const trouble = (code: string): Error => Object.assign(new Error(code), { code });

async function taken(file: string): Promise<DiskReserve> {
  const diskReserve = await takeDiskReserve(file);
  if (!diskReserve.ok) throw new Error(diskReserve.error);
  return diskReserve.value;
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
  const diskReserve = await taken(file);
  expect(statSync(file).size).toBe(whole);
  expect(new Set(readFileSync(file).subarray(0, 4096)).size).toBeGreaterThan(200);
  await diskReserve.remove();
});

test('a file of that name that a killed run left is replaced', async () => {
  const file = at();
  writeFileSync(file, 'left over');
  const diskReserve = await taken(file);
  expect(statSync(file).size).toBe(whole);
  await diskReserve.remove();
});

test('the room is given back in pieces, until there is none left', async () => {
  const file = at();
  const diskReserve = await taken(file);
  for (let left = whole - piece; left >= 0; left -= piece) {
    expect(diskReserve.give()).toBe(true);
    expect(statSync(file).size).toBe(left);
  }
  expect(diskReserve.give()).toBe(false);
  expect(statSync(file).size).toBe(0);
  await diskReserve.remove();
});

test('once it is removed there is nothing to give, and no file is left', async () => {
  const file = at();
  const diskReserve = await taken(file);
  await diskReserve.remove();
  expect(diskReserve.give()).toBe(false);
  expect(existsSync(file)).toBe(false);
});

test('a piece that the disk does not free is not counted as given', async () => {
  const file = at();
  const diskReserve = await taken(file);
  const restore = noTruncation(trouble('EIO'));
  expect(diskReserve.give()).toBe(false);
  restore();
  expect(diskReserve.give()).toBe(true);
  expect(statSync(file).size).toBe(whole - piece);
  await diskReserve.remove();
});

test('a bug in giving is not taken for a full disk', async () => {
  const diskReserve = await taken(at());
  noTruncation(new TypeError('a bug'));
  expect(() => diskReserve.give()).toThrow('a bug');
  await diskReserve.remove();
});

test('a folder that does not exist is told', async () => {
  const file = join(temporaryFolder(), 'none', 'reserve');
  expect(await takeDiskReserve(file)).toEqual({ ok: false, error: `${file} does not exist` });
});

test('a disk without that much room is told, and nothing is left behind', async () => {
  const file = at();
  await noWriting(trouble('ENOSPC'));
  expect(await takeDiskReserve(file)).toEqual({
    ok: false,
    error: `${file} could not be written: the disk is full`,
  });
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('a bug in writing is not taken for a full disk', async () => {
  await noWriting(new TypeError('a bug'));
  await expect(takeDiskReserve(at())).rejects.toThrow('a bug');
});
