import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lineText } from '../../src/model/record/line.ts';
import { recordDisk } from '../fakes/disk-recorder.ts';
import { temporaryFolder } from '../files/places.ts';
import { canMount, smallDisk } from '../small-disk.ts';
import {
  created,
  fingerprint,
  header,
  intended,
  load,
  openFile,
  read,
  runLine,
  textOf,
  wholeText,
} from './records.ts';

const newPath = (): string => join(temporaryFolder(), 'deep', 'p.state.jsonl');

/** A file that a run has left. */
function pathWith(content: string): string {
  const path = join(temporaryFolder(), 'p.state.jsonl');
  writeFileSync(path, content);
  return path;
}

const [a, b] = [created('a'), created('b')];

describe('lines', () => {
  test('the first creates the file with its header; the end writes it whole and sorted', async () => {
    const path = newPath();
    const { file, append } = await openFile(path);
    append(intended('b'), runLine);
    await file.sync();
    append(b, a);
    await file.sync();
    expect(read(path)).toBe(wholeText(header, runLine, intended('b')) + textOf(b, a));
    expect(await file.writeWhole()).toEqual({ ok: true });
    expect(read(path)).toBe(wholeText(header, runLine, a, b));
    expect((await load(path)).isClean).toBe(true);
    expect(readdirSync(join(path, '..'))).toEqual(['p.state.jsonl']);
  });

  test('none of them: no file is created, and none is touched', async () => {
    const path = newPath();
    const { file } = await openFile(path);
    await file.sync();
    expect(await file.writeWhole()).toEqual({ ok: true });
    expect(existsSync(join(path, '..'))).toBe(false);
    const old = pathWith(wholeText(header, a));
    const disk = await recordDisk((name) => name.startsWith('p.state.jsonl'));
    const again = await openFile(old);
    await again.file.sync();
    await again.file.writeWhole();
    expect(disk.done).toEqual([]);
  });

  test('a file that is not clean is written whole before the first of them, and at the end', async () => {
    const path = pathWith(textOf(header, a) + textOf(b).slice(0, 60));
    const { file, append } = await openFile(path);
    append(b);
    await file.sync();
    expect(read(path)).toBe(wholeText(header, a, b));
    writeFileSync(path, `\ufeff${textOf(b, header, a)}`);
    const { file: other } = await openFile(path);
    await other.writeWhole();
    expect(read(path)).toBe(wholeText(header, a, b));
  });

  test('that are appended while others are synced share one sync', async () => {
    const path = pathWith(wholeText(header));
    const disk = await recordDisk((name) => name === 'p.state.jsonl');
    const { file, append } = await openFile(path);
    const jobs = Array.from({ length: 20 }, (_, index) => intended(`job ${index}`));
    await Promise.all(
      jobs.map(async (job, index) => {
        append(job);
        await file.sync();
        for (let steps = index; steps > 0; steps--) await Promise.resolve();
        append(created(`job ${index}`));
        await file.sync();
      }),
    );
    expect(disk.done.filter((event) => event.startsWith('datasync')).length).toBe(2);
    expect(read(path).trimEnd().split('\n').length).toBe(1 + 40);
  });
});

const theirs = created('a', 'theirs');
const changes: readonly (readonly [how: string, change: (path: string) => void])[] = [
  ['replaced', (path) => replaceWith(path, textOf(header, theirs))],
  ['written in place', (path) => writeFileSync(path, textOf(header, theirs))],
  ['appended to', (path) => appendFileSync(path, textOf(theirs))],
  ['left with conflict markers', (path) => writeFileSync(path, marked)],
  ['removed', unlinkSync],
  ['emptied', (path) => writeFileSync(path, '')],
  ['replaced by no record', (path) => replaceWith(path, 'hello\nthere\n')],
  ['replaced by the record of another pipeline', (path) => replaceWith(path, otherRecord)],
  ['replaced by a link', replaceWithLink],
  ['replaced by a folder', replaceWithFolder],
];
const marked = `<<<<<<< HEAD\n${textOf(header)}=======\n${textOf(header, theirs)}>>>>>>> b\n`;
const otherRecord = textOf({ ...header, pipeline: 'other' }, theirs);

/** As git does. */
function replaceWith(path: string, content: string): void {
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

function replaceWithLink(path: string): void {
  copyFileSync(path, `${path}.real`);
  unlinkSync(path);
  symlinkSync(`${path}.real`, path);
}

function replaceWithFolder(path: string): void {
  unlinkSync(path);
  mkdirSync(path);
}

/** What the file knows of theirs, and whether it was a record. */
const isRecord = (how: string): boolean => !/emptied|no record|another|link|folder/.test(how);
const hasTheirs = (how: string): boolean => isRecord(how) && how !== 'removed';

const moments = [
  'before the first line',
  'between two commits',
  'during the sync',
  'before the end',
];

describe('a file that another program changes under a run', () => {
  const cases = changes.flatMap(([how, change]) =>
    moments.map((when) => [how, when, change] as const),
  );
  test.each(cases)('%s %s', async (how, when, change) => {
    const path = pathWith(wholeText(header, b));
    const { file, append, calls, ledger } = await openFile(path);
    if (when !== 'before the first line') {
      append(runLine);
      await file.sync();
    }
    const mine = intended('a', 'mine');
    if (when === 'before the end') {
      append(mine);
      await file.sync();
      change(path);
    } else if (when === 'during the sync') {
      const disk = await recordDisk((name) => name === 'p.state.jsonl');
      disk.hold();
      append(mine);
      const committed = file.sync();
      while (disk.waiting === 0) await new Promise(setImmediate);
      change(path);
      disk.release();
      await committed;
    } else {
      change(path);
      append(mine);
      await file.sync();
    }
    if (when !== 'before the end') {
      expect(calls).toContain('read');
      expect(ledger.isAlone(fingerprint('a'), 'mine')).toBe(!hasTheirs(how));
      expect(read(path)).toContain(lineText(ledger.job(fingerprint('a')) ?? mine));
    }
    await file.writeWhole();
    expect(calls.includes('closeBuying')).toBe(!isRecord(how));
    const { ledger: found, isClean } = await load(path);
    const names = found.job(fingerprint('a'))?.attempts.map(({ name }) => name);
    expect(names).toEqual(hasTheirs(how) ? ['mine', 'theirs'] : ['mine']);
    expect({ isClean, of: found.job(b.job)?.attempts.length }).toEqual({ isClean: true, of: 1 });
    const aside = readdirSync(join(path, '..')).filter((name) => name.includes('.conflict-'));
    expect(aside.length).toBe(isRecord(how) ? 0 : 1);
  });

  test('with the same length is noticed by its time', async () => {
    const path = pathWith(wholeText(header, a));
    const { file, append, ledger } = await openFile(path);
    append(runLine);
    await file.sync();
    writeFileSync(path, textOf(header, { ...created('b') }, runLine));
    append(intended('c'));
    await file.sync();
    expect(ledger.job(b.job)?.attempts.length).toBe(1);
  });

  test('in its time only, with no reason, is joined once: some file systems are late with times', async () => {
    const path = pathWith(wholeText(header, a));
    const { file, append, calls } = await openFile(path);
    for (const index of [1, 2, 3]) {
      utimesSync(path, index, index);
      append(intended(`job ${index}`));
      await file.sync();
    }
    expect(calls).toEqual(['read']);
  });

  test('is read again while it is still being written', async () => {
    const path = pathWith(wholeText(header, b));
    const pauses: number[] = [];
    const { file, append, ledger, calls } = await openFile(path, {
      pause: async (ms) => {
        pauses.push(ms);
        if (pauses.length === 2) writeFileSync(path, textOf(header, theirs));
      },
    });
    writeFileSync(path, textOf(header, theirs).slice(0, -50));
    append(runLine);
    await file.sync();
    expect(pauses).toEqual([30, 30]);
    expect(calls).toEqual(['read', 'read', 'read']);
    expect(ledger.job(theirs.job)?.attempts.length).toBe(1);
  });

  test('by no record, twice at one time, keeps both of them', async () => {
    const path = pathWith(wholeText(header, b));
    const { file, append } = await openFile(path);
    for (const content of ['hello', 'there']) {
      replaceWith(path, content);
      append(runLine);
      await file.sync();
    }
    const folder = join(path, '..');
    const aside = readdirSync(folder).filter((name) => name.includes('.conflict-'));
    expect(aside.map((name) => read(join(folder, name))).sort()).toEqual(['hello', 'there']);
  });

  test('joins HEAD, which git changes with it', async () => {
    const path = pathWith(wholeText(header, b));
    const lines = async function* () {
      yield [lineText(theirs)];
    };
    const { file, append, ledger } = await openFile(path, {
      head: async () => ({ name: 'HEAD', lines: lines() }),
    });
    unlinkSync(path);
    append(runLine);
    await file.sync();
    expect(read(path)).toBe(wholeText(header, runLine, b, theirs));
    expect(ledger.job(theirs.job)?.attempts.length).toBe(1);
  });

  test('again and again ends the run instead of going on for ever', async () => {
    const path = pathWith(wholeText(header, b));
    const { file, append } = await openFile(path, {
      head: async () => {
        appendFileSync(path, '\n');
        return undefined;
      },
      holdsLock: () => {
        appendFileSync(path, '\n');
        return true;
      },
    });
    append(runLine);
    await expect(file.sync()).rejects.toMatchObject({ code: 'RECORD_LOST' });
  });
});

describe('after a failure', () => {
  test('of the lock, nothing more is written, and every commit fails', async () => {
    const path = pathWith(wholeText(header, b));
    let isHeld = true;
    const { file, append } = await openFile(path, { holdsLock: () => isHeld });
    append(runLine);
    await file.sync();
    isHeld = false;
    append(a);
    const before = read(path);
    for (const _ of [1, 2]) {
      await expect(file.sync()).rejects.toMatchObject({ code: 'RECORD_LOST' });
      isHeld = true;
    }
    await expect(file.writeWhole()).rejects.toMatchObject({ code: 'RECORD_LOST' });
    expect(read(path)).toBe(before);
  });

  test.runIf(canMount)('a full disk asks for room, line by line, and then fails', async () => {
    const disk = smallDisk(1 << 18);
    const path = join(disk.folder, 'p.state.jsonl');
    let [asked, room] = [0, 1];
    const { file, append, ledger } = await openFile(path, {
      makeRoom: () => {
        asked += 1;
        if (room-- > 0) disk.free();
        return room >= 0;
      },
    });
    append(runLine);
    await file.sync();
    disk.fill();
    const jobs = Array.from({ length: 40 }, (_, index) => created(`job ${index}`));
    append(...jobs);
    await file.sync();
    expect(asked).toBe(1);
    expect((await load(path)).ledger.totals().charged).toBe(200);
    disk.fill();
    append(...Array.from({ length: 40 }, (_, index) => created(`more ${index}`)));
    await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
    disk.free();
    append(created('late'));
    await expect(file.sync()).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(ledger.totals().charged).toBe(405);
    const { ledger: found } = await load(path);
    expect(found.totals().charged).toBeLessThan(405);
  });

  test.runIf(canMount)('a record that cannot be written whole stays as it is', async () => {
    const disk = smallDisk(1 << 16);
    const path = join(disk.folder, 'p.state.jsonl');
    const { file, append } = await openFile(path);
    append(...Array.from({ length: 20 }, (_, index) => intended(`job ${index}`)));
    await file.sync();
    append(...Array.from({ length: 20 }, (_, index) => created(`job ${index}`)));
    await file.sync();
    const before = read(path);
    disk.fill();
    expect(await file.writeWhole()).toMatchObject({ ok: false });
    expect(read(path)).toBe(before);
    expect(existsSync(`${path}.part`)).toBe(false);
  });
});

test('nothing is written through a link in place of the part file', async () => {
  const path = pathWith(textOf(header, a, a));
  const victim = `${path}.victim`;
  writeFileSync(victim, 'mine');
  symlinkSync(victim, `${path}.part`);
  onTestFinished(() => rmSync(victim, { force: true }));
  const { file } = await openFile(path);
  await file.writeWhole();
  expect(read(victim)).toBe('mine');
  expect(read(path)).toBe(wholeText(header, a));
});
