// When the disk takes no more: nothing is written behind a line that may be torn, the room that was kept goes to the
// journal, and the file that stands is never spoilt. Real full disks, where this machine lets a test mount one.
import {
  closeSync,
  constants,
  existsSync,
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
import { JournalFile } from '../../src/state/journal-file.ts';
import { created, numbered } from '../model/lines.ts';
import { canMount, makePipe, makeReadOnly, smallDisk } from '../small-disk.ts';
import { header, linesIn, load, paid, text, written } from '../tables/state-file.ts';
import { temporaryFolder } from './places.ts';

const lines = numbered(paid).map((line) => JSON.stringify(line));
/** So that each takes more than the rest of a page. */
const long = (line = ''): string => line.replace('"at":"', `"at":"${'x'.repeat(5000)}`);

describe.skipIf(!canMount)(
  'after a write that failed (needs to mount: root, or unshare -rm)',
  () => {
    test('nothing more is written, also when there is room again; what was synced is read back', async () => {
      const disk = smallDisk(1 << 20);
      const file = join(disk.folder, 'p.jsonl');
      const journal = new JournalFile(file, header, await load(file));
      journal.append(long(lines[0]));
      await journal.sync();
      disk.fill();
      journal.append(long(lines[1]));
      await expect(journal.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      const torn = text(file);
      disk.free();
      journal.append(long(lines[2]));
      await expect(journal.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
      await journal.close();
      expect(text(file)).toBe(torn);
      const loaded = await load(file);
      expect(loaded.ledger.seq).toBe(1);
      const next = new JournalFile(file, header, loaded);
      next.append(lines[1] ?? '');
      await next.close();
      expect(linesIn(file).map((line) => line.replace(/x{5000}/, ''))).toEqual([
        JSON.stringify({ ...header, lines: 0 }),
        ...lines.slice(0, 2),
      ]);
    });

    test('those that waited for the sync of it, and for the one behind, are told', async () => {
      const disk = smallDisk(1 << 20);
      const file = join(disk.folder, 'p.jsonl');
      const journal = new JournalFile(file, header, await load(file));
      disk.fill();
      journal.append(long(lines[0]));
      const first = journal.sync();
      journal.append(long(lines[1]));
      const told = await Promise.allSettled([first, journal.sync(), journal.sync()]);
      expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await journal.close();
    });
  },
);

test('a journal is never written into a pipe or through a link', async () => {
  const folder = temporaryFolder();
  const [file, other] = [join(folder, 'p.jsonl'), join(folder, 'other')];
  writeFileSync(other, 'mine');
  const loaded = await load(file);
  expect(makePipe(file)).toBe(true);
  const pipe = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(pipe));
  const write = (): Promise<void> => {
    const content = { bytes: 0, sha256: '' };
    const journal = new JournalFile(file, header, { ...loaded, header, content });
    journal.append(lines[0] ?? '');
    return journal.sync();
  };
  await expect(write()).rejects.toMatchObject({ code: 'NOT_REGULAR' });
  rmSync(file);
  symlinkSync(other, file);
  await expect(write()).rejects.toMatchObject({ code: 'ELOOP' });
  expect(readFileSync(other, 'utf8')).toBe('mine');
});

describe.skipIf(!canMount)('room that was made (needs to mount: root, or unshare -rm)', () => {
  test('is used for the rest of the bytes: no line is written twice, and none is torn', async () => {
    const disk = smallDisk(4 << 20);
    const file = join(disk.folder, 'p.jsonl');
    const diskReserve = await takeDiskReserve(join(disk.folder, 'p.reserve'));
    if (!diskReserve.ok) throw new Error(diskReserve.error);
    let asked = 0;
    const makeRoom = (): boolean => {
      asked += 1;
      return diskReserve.value.give();
    };
    const journal = new JournalFile(file, header, await load(file), { makeRoom });
    journal.append(lines[0] ?? '');
    await journal.sync();
    disk.fill();
    const rest = [...lines.slice(1), JSON.stringify(numbered([...paid, created('c', 5)]).at(-1))];
    for (const line of rest) journal.append(line.padStart(70_000));
    await journal.close();
    expect(asked).toBeGreaterThan(5);
    expect((await load(file)).ledger.total).toEqual({ charged: 17, refunded: 0, reserved: 0 });
    expect(linesIn(file)).toHaveLength(paid.length + 2);
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

describe.skipIf(!canMount)('a compaction (needs to mount: root, or unshare -rm)', () => {
  test('on a full disk leaves the file as it is, and nothing beside it', async () => {
    const disk = smallDisk(1 << 20);
    const file = join(disk.folder, 'p.jsonl');
    const whole = text(await written());
    writeFileSync(file, whole);
    const loaded = await load(file);
    disk.fill();
    expect(await new JournalFile(file, header, loaded).compact(loaded.ledger)).toEqual({
      ok: false,
      error: `${file}.part could not be written: the disk is full`,
    });
    disk.free();
    expect(text(file)).toBe(whole);
    expect(readdirSync(disk.folder)).toEqual(['p.jsonl']);
  });

  test('in a read-only folder leaves the file as it is', async () => {
    const file = await written();
    const whole = text(file);
    const loaded = await load(file);
    makeReadOnly(join(file, '..'));
    expect(await new JournalFile(file, header, loaded).compact(loaded.ledger)).toEqual({
      ok: false,
      error: `${file}.part could not be written: the file system is read-only`,
    });
    expect(text(file)).toBe(whole);
  });
});
