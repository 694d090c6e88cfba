// When the disk takes no more: nothing is written behind a line that may be torn, the room that was kept goes to the
// journal, and the file that stands is never spoilt. Real full disks, where this machine lets a test mount one.
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeDiskReserve } from '../../src/state/disk-reserve.ts';
import { created, run, taskEnds } from '../model/lines.ts';
import { canMount, makePipe, makeReadOnly, smallDisk } from '../small-disk.ts';
import { load, opened, paid, text, written } from '../tables/state-file.ts';
import { temporaryFolder } from './places.ts';

/** So that its line takes more than a disk has left. */
const long = taskEnds('swap:x', 'failed', 'x'.repeat(200_000));

describe.skipIf(!canMount)(
  'after a write that failed (needs to mount: root, or unshare -rm)',
  () => {
    test('nothing more is written, also when there is room again; what was synced is read back', async () => {
      const disk = smallDisk(1 << 20);
      const path = join(disk.folder, 'p.jsonl');
      const { file, append } = await opened(path);
      append(...paid.slice(0, 3));
      await file.sync();
      disk.fill();
      append(long);
      await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      const torn = text(path);
      disk.free();
      append(...paid.slice(3));
      await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      await file.close();
      expect(text(path)).toBe(torn);
      const next = await opened(path);
      expect(next.state.ledger.totals()).toEqual({ charged: 12, reserved: 0 });
      expect(next.state.warnings).toHaveLength(1);
      next.append(...paid.slice(3));
      await next.file.close();
      expect((await load(path)).ledger.totals()).toEqual({ charged: 12, reserved: 5 });
    });

    test('those that waited for the sync of it, and for the one behind, are told', async () => {
      const disk = smallDisk(1 << 20);
      const { file, append } = await opened(join(disk.folder, 'p.jsonl'));
      append(run(1));
      await file.sync();
      disk.fill();
      append(long);
      const first = file.sync();
      append(...paid.slice(1));
      const told = await Promise.allSettled([first, file.sync(), file.sync()]);
      expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await file.close();
    });
  },
);

test('a record is never written into a pipe or through a link', async () => {
  const folder = temporaryFolder();
  const [path, other] = [join(folder, 'p.jsonl'), join(folder, 'other')];
  writeFileSync(other, 'mine');
  const write = async (plant: () => void): Promise<void> => {
    const { file, append } = await opened(path);
    plant();
    append(run(1));
    await file.sync();
  };
  await write(() => {
    expect(makePipe(path)).toBe(true);
    const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(pipe));
  });
  expect(lstatSync(path).isFile()).toBe(true);
  rmSync(path);
  await write(() => symlinkSync(other, path));
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(other, 'utf8')).toBe('mine');
});

describe.skipIf(!canMount)('room that was made (needs to mount: root, or unshare -rm)', () => {
  test('is used for the rest of the bytes: no line is written twice, and none is torn', async () => {
    const disk = smallDisk(4 << 20);
    const path = join(disk.folder, 'p.jsonl');
    const diskReserve = await takeDiskReserve(join(disk.folder, 'p.reserve'));
    if (!diskReserve.ok) throw new Error(diskReserve.error);
    let asked = 0;
    const makeRoom = (): boolean => {
      asked += 1;
      return diskReserve.value.give();
    };
    const { file, append } = await opened(path, { makeRoom });
    append(...paid.slice(0, 1));
    await file.sync();
    disk.fill();
    append(
      long,
      ...paid.slice(1),
      taskEnds('swap:y', 'failed', 'x'.repeat(200_000)),
      created('c', 5),
    );
    await file.close();
    expect(asked).toBeGreaterThan(2);
    const { ledger, warnings } = await load(path);
    expect(ledger.totals()).toEqual({ charged: 17, reserved: 0 });
    expect(ledger.tasks()).toHaveLength(2);
    expect(warnings).toEqual([]);
    await diskReserve.value.remove();
    expect(existsSync(join(disk.folder, 'p.reserve'))).toBe(false);
  });

  test('is all that there is: then the write fails', async () => {
    const disk = smallDisk(4 << 20);
    const diskReserve = await takeDiskReserve(join(disk.folder, 'p.reserve'));
    if (!diskReserve.ok) throw new Error(diskReserve.error);
    let pieces = 0;
    while (diskReserve.value.give()) pieces += 1;
    expect(pieces).toBeGreaterThan(1);
    expect(statSync(join(disk.folder, 'p.reserve')).size).toBe(0);
    expect(diskReserve.value.give()).toBe(false);
    await diskReserve.value.remove();
    expect(diskReserve.value.give()).toBe(false);
  });

  test('is really taken, and where it cannot be, nothing is left of it', async () => {
    const disk = smallDisk((2 << 20) - 4096);
    const file = join(disk.folder, 'p.reserve');
    const diskReserve = await takeDiskReserve(file);
    if (!diskReserve.ok) throw new Error(diskReserve.error);
    expect(statSync(file).blocks * 512).toBeGreaterThanOrEqual(1 << 20);
    const second = await takeDiskReserve(join(disk.folder, 'q.reserve'));
    expect(second.ok ? '' : second.error).toContain(
      'q.reserve could not be written: the disk is full',
    );
    expect(readdirSync(disk.folder)).toEqual(['p.reserve']);
    await diskReserve.value.remove();
  });

  test('and left behind by a killed run is taken over', async () => {
    const file = join(temporaryFolder(), 'p.reserve');
    writeFileSync(file, 'left behind');
    const diskReserve = await takeDiskReserve(file);
    expect(diskReserve.ok).toBe(true);
    expect(statSync(file).size).toBe(1 << 20);
    if (diskReserve.ok) await diskReserve.value.remove();
  });
});

describe.skipIf(!canMount)(
  'a file that is written whole (needs to mount: root, or unshare -rm)',
  () => {
    test('on a full disk stays as it is, and nothing is beside it', async () => {
      const disk = smallDisk(1 << 20);
      const path = join(disk.folder, 'p.jsonl');
      const before = await opened(path);
      before.append(...paid);
      await before.file.sync();
      before.append(created('c', 5));
      await before.file.close();
      const whole = text(path);
      const { file } = await opened(path);
      disk.fill();
      expect(await file.writeWhole()).toEqual({
        ok: false,
        error: `${path}.part could not be written: the disk is full`,
      });
      disk.free();
      expect(text(path)).toBe(whole);
      expect(readdirSync(disk.folder)).toEqual(['p.jsonl']);
    });

    test('in a read-only folder stays as it is', async () => {
      const path = await written();
      const { file, append } = await opened(path);
      append(created('c', 5));
      await file.sync();
      const whole = text(path);
      makeReadOnly(join(path, '..'));
      expect(await file.writeWhole()).toEqual({
        ok: false,
        error: `${path}.part could not be written: the file system is read-only`,
      });
      expect(text(path)).toBe(whole);
    });
  },
);
