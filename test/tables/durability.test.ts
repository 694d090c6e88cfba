import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { JournalFile } from '../../src/state/journal-file.ts';
import { type DiskRecorder, recordDisk } from '../fakes/disk-recorder.ts';
import { temporaryFolder } from '../files/places.ts';
import { numbered } from '../model/lines.ts';
import { header, load, paid, text, written } from './state-file.ts';

const lines = numbered(paid).map((line) => JSON.stringify(line));
const [first = '', second = '', third = ''] = lines;
const isState = (name: string): boolean => name.startsWith('p.state.jsonl');

/** A journal whose file is open already, and what the disk does from now on. */
async function opened(): Promise<{
  readonly file: string;
  readonly journal: JournalFile;
  readonly disk: DiskRecorder;
}> {
  const file = await written([]);
  const disk = await recordDisk(isState);
  const journal = new JournalFile(file, header, await load(file));
  return { file, journal, disk };
}

/** Until so many syncs wait. */
async function waiting(disk: DiskRecorder, many: number): Promise<void> {
  while (disk.waiting < many) await turn();
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const mark = {};
  for (let turns = 0; turns < 5; turns++) await turn();
  return (await Promise.race([promise, Promise.resolve(mark)])) !== mark;
};

describe('a sync', () => {
  test('makes a new file with its header whole before any line: written, synced, renamed, its folder synced', async () => {
    const file = join(temporaryFolder(), 'p.state.jsonl');
    const disk = await recordDisk(isState);
    const journal = new JournalFile(file, header, await load(file));
    journal.append(first);
    await journal.sync();
    expect(disk.done).toEqual([
      'write p.state.jsonl.new',
      'sync p.state.jsonl.new',
      'rename p.state.jsonl.new p.state.jsonl',
      'sync folder',
      'write p.state.jsonl',
      'datasync p.state.jsonl',
    ]);
    await journal.close();
  });

  test('resolves only when the disk has the lines, not when they are written', async () => {
    const { file, journal, disk } = await opened();
    disk.hold();
    journal.append(first);
    const synced = journal.sync();
    await waiting(disk, 1);
    expect(text(file)).toContain(first);
    expect(await isSettled(synced)).toBe(false);
    disk.release();
    await synced;
    expect(disk.done.slice(-2)).toEqual(['write p.state.jsonl', 'datasync p.state.jsonl']);
    await journal.close();
  });

  test('that is asked for while one runs is another one, which all later askers share', async () => {
    const { file, journal, disk } = await opened();
    disk.hold();
    journal.append(first);
    const running = journal.sync();
    await waiting(disk, 1);
    journal.append(second);
    const next = journal.sync();
    journal.append(third);
    const shared = journal.sync();
    disk.release();
    await running;
    await waiting(disk, 1);
    // The one that was running said nothing about the lines that came after it began.
    expect(await isSettled(next)).toBe(false);
    expect(await isSettled(shared)).toBe(false);
    expect(text(file)).toContain(third);
    disk.release();
    await Promise.all([next, shared]);
    expect(disk.waiting).toBe(0);
    expect(disk.done.filter((what) => what.startsWith('datasync'))).toHaveLength(2);
    await journal.close();
  });

  test('never runs beside another one, whoever asks while the next one waits', async () => {
    const { journal, disk } = await opened();
    disk.hold();
    journal.append(first);
    const asked = [journal.sync()];
    await waiting(disk, 1);
    journal.append(second);
    asked.push(journal.sync());
    disk.release();
    await asked[0];
    journal.append(third);
    asked.push(journal.sync());
    await waiting(disk, 1);
    expect(await isSettled(Promise.all(asked))).toBe(false);
    expect(disk.waiting).toBe(1);
    disk.release();
    await waiting(disk, 1);
    disk.release();
    await Promise.all(asked);
    await journal.close();
  });

  test('never runs beside another one that somebody asks for as soon as one has ended', async () => {
    const { journal, disk } = await opened();
    disk.hold();
    journal.append(first);
    const running = journal.sync();
    const eager = running.then(() => journal.sync());
    await waiting(disk, 1);
    journal.append(second);
    const next = journal.sync();
    disk.release();
    await waiting(disk, 1);
    expect(await isSettled(next)).toBe(false);
    expect(disk.waiting).toBe(1);
    disk.release();
    await Promise.all([eager, next]);
    expect(disk.done.filter((what) => what.startsWith('datasync'))).toHaveLength(2);
    await journal.close();
  });

  test('that failed is the last: nothing is written after it, and every later one fails like it', async () => {
    const { file, journal, disk } = await opened();
    disk.fail(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    journal.append(first);
    await expect(journal.sync()).rejects.toThrow('input/output error');
    const after = text(file);
    journal.append(second);
    await expect(journal.sync()).rejects.toThrow('input/output error');
    await journal.close();
    expect(text(file)).toBe(after);
    expect(disk.done.filter((what) => what.startsWith('write'))).toHaveLength(1);
  });
});

describe('closing', () => {
  test('waits for the sync that runs and the one that was asked for after it', async () => {
    const { journal, disk } = await opened();
    disk.hold();
    journal.append(first);
    const syncing = journal.sync();
    await waiting(disk, 1);
    journal.append(second);
    const next = journal.sync();
    const closing = journal.close();
    expect(await isSettled(closing)).toBe(false);
    disk.release();
    await syncing;
    await waiting(disk, 1);
    expect(await isSettled(closing)).toBe(false);
    disk.release();
    await Promise.all([next, closing]);
    expect(disk.done.slice(-2)).toEqual(['write p.state.jsonl', 'datasync p.state.jsonl']);
  });

  test('waits for the sync that runs, although nothing is left to write', async () => {
    const { journal, disk } = await opened();
    disk.hold();
    journal.append(first);
    const syncing = journal.sync();
    await waiting(disk, 1);
    const closing = journal.close();
    expect(await isSettled(closing)).toBe(false);
    disk.release();
    await Promise.all([syncing, closing]);
  });

  test('syncs what was only appended', async () => {
    const { file, journal, disk } = await opened();
    journal.append(first);
    await journal.close();
    expect(disk.done).toEqual(['write p.state.jsonl', 'datasync p.state.jsonl']);
    expect(text(file)).toContain(first);
  });
});

describe('compaction', () => {
  test('syncs the new file before it takes the place of the old one, and its folder after', async () => {
    const file = await written();
    const loaded = await load(file);
    const disk = await recordDisk(isState);
    await new JournalFile(file, header, loaded).compact(loaded.ledger);
    expect(disk.done).toEqual([
      'write p.state.jsonl.part',
      'sync p.state.jsonl.part',
      'rename p.state.jsonl.part p.state.jsonl',
      'sync folder',
    ]);
  });

  test('comes after the sync of what was appended', async () => {
    const { file, journal, disk } = await opened();
    const { ledger } = await load(file);
    journal.append(first);
    await journal.compact(ledger);
    expect(disk.done.slice(0, 3)).toEqual([
      'write p.state.jsonl',
      'datasync p.state.jsonl',
      'write p.state.jsonl.part',
    ]);
  });
});

test('a file is left as it is until something happens', async () => {
  const file = await written();
  const before = text(file);
  const disk = await recordDisk(isState);
  await new JournalFile(file, header, await load(file)).close();
  expect(text(file)).toBe(before);
  expect(disk.done).toEqual([]);
});
