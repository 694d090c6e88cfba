import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type DiskRecorder, recordDisk } from '../fakes/disk-recorder.ts';
import { temporaryFolder } from '../files/places.ts';
import { created, type Happening, intent, run } from '../model/lines.ts';
import { type OpenFile, opened, text, written } from './state-file.ts';

const isState = (name: string): boolean => name.startsWith('p.state.jsonl');

const [first, second, third] = [intent('x'), intent('y'), intent('z')];

/** A state file that is open already, and what the disk does from now on. */
async function begun(): Promise<OpenFile & { readonly path: string; readonly disk: DiskRecorder }> {
  const path = await written([run(1)]);
  const disk = await recordDisk(isState);
  return { ...(await opened(path)), path, disk };
}

/** Until so many syncs wait. */
async function waiting(disk: DiskRecorder, many: number): Promise<void> {
  while (disk.waiting < many) await turn();
}

/** What its line says. */
const of = (event: Happening): string => ('job' in event ? event.job : '');

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const mark = {};
  for (let turns = 0; turns < 5; turns++) await turn();
  return (await Promise.race([promise, Promise.resolve(mark)])) !== mark;
};

describe('a sync', () => {
  test('makes a new file whole: written, synced, renamed, its folder synced', async () => {
    const path = join(temporaryFolder(), 'p.state.jsonl');
    const disk = await recordDisk(isState);
    const { file, append } = await opened(path);
    append(first);
    await file.sync();
    expect(disk.done).toEqual([
      'write p.state.jsonl.part',
      'sync p.state.jsonl.part',
      'rename p.state.jsonl.part p.state.jsonl',
      'sync folder',
    ]);
    append(second);
    await file.sync();
    expect(disk.done.slice(4)).toEqual(['write p.state.jsonl', 'datasync p.state.jsonl']);
    await file.close();
  });

  test('resolves only when the disk has the lines, not when they are written', async () => {
    const { path, file, append, disk } = await begun();
    disk.hold();
    append(first);
    const synced = file.sync();
    await waiting(disk, 1);
    expect(text(path)).toContain(of(first));
    expect(await isSettled(synced)).toBe(false);
    disk.release();
    await synced;
    expect(disk.done.slice(-2)).toEqual(['write p.state.jsonl', 'datasync p.state.jsonl']);
    await file.close();
  });

  test('that is asked for while one runs is another one, which all later askers share', async () => {
    const { path, file, append, disk } = await begun();
    disk.hold();
    append(first);
    const running = file.sync();
    await waiting(disk, 1);
    append(second);
    const next = file.sync();
    append(third);
    const shared = file.sync();
    disk.release();
    await running;
    await waiting(disk, 1);
    // The one that was running said nothing about the lines that came after it began.
    expect(await isSettled(next)).toBe(false);
    expect(await isSettled(shared)).toBe(false);
    expect(text(path)).toContain(of(third));
    disk.release();
    await Promise.all([next, shared]);
    expect(disk.waiting).toBe(0);
    expect(disk.done.filter((what) => what.startsWith('datasync'))).toHaveLength(2);
    await file.close();
  });

  test('never runs beside another one, whoever asks while the next one waits', async () => {
    const { file, append, disk } = await begun();
    disk.hold();
    append(first);
    const asked = [file.sync()];
    await waiting(disk, 1);
    append(second);
    asked.push(file.sync());
    disk.release();
    await asked[0];
    append(third);
    asked.push(file.sync());
    await waiting(disk, 1);
    expect(await isSettled(Promise.all(asked))).toBe(false);
    expect(disk.waiting).toBe(1);
    disk.release();
    await Promise.all(asked);
    expect(disk.done.filter((what) => what.startsWith('datasync'))).toHaveLength(2);
    await file.close();
  });

  test('never runs beside another one that somebody asks for as soon as one has ended', async () => {
    const { file, append, disk } = await begun();
    disk.hold();
    append(first);
    const running = file.sync();
    const eager = running.then(() => file.sync());
    await waiting(disk, 1);
    append(second);
    const next = file.sync();
    disk.release();
    await waiting(disk, 1);
    expect(await isSettled(next)).toBe(false);
    expect(disk.waiting).toBe(1);
    disk.release();
    await Promise.all([eager, next]);
    expect(disk.done.filter((what) => what.startsWith('datasync'))).toHaveLength(2);
    await file.close();
  });

  test('that failed is the last: nothing is written after it, and every later one fails like it', async () => {
    const { path, file, append, disk } = await begun();
    disk.fail(Object.assign(new Error('input/output error'), { code: 'EIO' }));
    append(first);
    await expect(file.sync()).rejects.toThrow('input/output error');
    const after = text(path);
    append(second);
    await expect(file.sync()).rejects.toThrow('input/output error');
    await file.close();
    expect(text(path)).toBe(after);
    expect(disk.done.filter((what) => what.startsWith('write'))).toHaveLength(1);
  });
});

describe('closing', () => {
  test('waits for the sync that runs and the one that was asked for after it', async () => {
    const { file, append, disk } = await begun();
    disk.hold();
    append(first);
    const syncing = file.sync();
    await waiting(disk, 1);
    append(second);
    const next = file.sync();
    const closing = file.close();
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
    const { file, append, disk } = await begun();
    disk.hold();
    append(first);
    const syncing = file.sync();
    await waiting(disk, 1);
    const closing = file.close();
    expect(await isSettled(closing)).toBe(false);
    disk.release();
    await Promise.all([syncing, closing]);
  });

  test('syncs what was only appended', async () => {
    const { path, file, append, disk } = await begun();
    append(first);
    await file.close();
    expect(disk.done).toEqual(['write p.state.jsonl', 'datasync p.state.jsonl']);
    expect(text(path)).toContain(of(first));
  });
});

describe('a file that is written whole', () => {
  test('is synced before it takes the place of the old one, and its folder after', async () => {
    const path = await written();
    const before = await opened(path);
    before.append(created('c', 5));
    await before.file.close();
    const disk = await recordDisk(isState);
    const { file } = await opened(path);
    await file.writeWhole();
    expect(disk.done).toEqual([
      'write p.state.jsonl.part',
      'sync p.state.jsonl.part',
      'rename p.state.jsonl.part p.state.jsonl',
      'sync folder',
    ]);
  });

  test('comes after the sync of what was appended', async () => {
    const { file, append, disk } = await begun();
    append(first);
    await file.writeWhole();
    expect(disk.done.slice(0, 3)).toEqual([
      'write p.state.jsonl',
      'datasync p.state.jsonl',
      'write p.state.jsonl.part',
    ]);
  });
});

test('a file is left as it is until something happens', async () => {
  const path = await written();
  const before = text(path);
  const disk = await recordDisk(isState);
  const { file } = await opened(path);
  await file.close();
  expect(text(path)).toBe(before);
  expect(disk.done).toEqual([]);
});
