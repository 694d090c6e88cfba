// The receipts' database where it is absent, unwritable, locked, damaged or not ours: a command goes on, and says so.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ReceiptStore } from '../../../../src/state/receipts/receipt-store.ts';
import { makeNamedPipe } from '../../../named-pipe.ts';
import { canBeNobody, nobody } from '../../../nobody.ts';
import { canMount, makeReadOnly, smallDisk } from '../../../small-disk.ts';
import { partOf, sampleOf } from '../../../sweep.ts';
import { jobOf, receipt, service } from './receipts.ts';

function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'shotlist', 'receipts.db');
}

interface Opened {
  readonly store: ReceiptStore;
  readonly warnings: string[];
  /** Passes time. */
  wait(ms: number): void;
}

type Options = Partial<ConstructorParameters<typeof ReceiptStore>[0]>;

function open(file: string, options: Options = {}): Opened {
  const warnings: string[] = [];
  let now = 1_800_000_000_000;
  const store = new ReceiptStore({
    ...{ file, now: () => now, onWarning: (message) => void warnings.push(message) },
    ...options,
  });
  onTestFinished(() => store.close());
  return {
    ...{ store, warnings },
    wait: (ms) => {
      now += ms;
    },
  };
}

/** A database with so many receipts, which nobody has open. */
function filled(count: number): string {
  const file = freshFile();
  const { store } = open(file);
  expect(store.put(range(count).map((number) => receipt(number, 'complete')))).toBe(true);
  store.close();
  return file;
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);
const minePlease = (): undefined => undefined;
const paid = (store: ReceiptStore, number: number): number | undefined =>
  store.of(service, jobOf(number))?.length;
const allPaid = (store: ReceiptStore, count: number): number =>
  range(count).filter((number) => paid(store, number) === 1).length;

const script = fileURLToPath(new URL('process.ts', import.meta.url));

function child(...args: readonly string[]): ChildProcess {
  const started = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  return started;
}

async function linesOf(process: ChildProcess): Promise<readonly string[]> {
  let text = '';
  process.stdout?.on('data', (data) => {
    text += data;
  });
  await once(process, 'close');
  return text.split('\n').slice(0, -1);
}

async function locked(file: string): Promise<ChildProcess> {
  const holder = child('lock', file);
  await once(holder.stdout ?? holder, 'data');
  return holder;
}

test('no database comes into being where nothing is written', () => {
  const file = freshFile();
  for (const readOnly of [true, false]) {
    const { store, warnings } = open(file, { readOnly });
    expect(store.of(service, jobOf(1))).toBeUndefined();
    expect(store.takesOf(service, jobOf(1))).toBeUndefined();
    expect([...store.ofState('/x')]).toEqual([]);
    expect(store.saltTo('read')).toBeUndefined();
    expect(warnings).toEqual([]);
  }
  expect(existsSync(dirname(file))).toBe(false);
});

test('what was written is read again, in a file that only its user can read', () => {
  const { store } = open(freshFile());
  expect(store.claim(receipt(1, 'intended'), minePlease)).toBe('ours');
  expect(store.put([receipt(1, 'complete'), receipt(2, 'created')])).toBe(true);
  expect(store.of(service, jobOf(1))).toEqual([receipt(1, 'complete')]);
  expect(statSync(store.file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(store.file)).mode & 0o777).toBe(0o700);
});

test('another record changes nothing but what went on: no payment is undone, no request under way is freed', () => {
  const { store } = open(freshFile());
  store.put([receipt(0, 'complete'), receipt(1, 'doubt'), receipt(2, 'created')]);
  store.claim(receipt(3, 'intended'), minePlease);
  const told = [
    receipt(0, 'failed'),
    receipt(1, 'failed'),
    receipt(2, 'failed'),
    { ...receipt(3, 'intended'), holder: undefined },
    receipt(1, 'complete'),
  ];
  expect(store.add(told)).toEqual({ added: 0, changed: 1 });
  const found = range(4).map((number) => store.of(service, jobOf(number))?.[0]);
  expect(found.map((one) => one?.line.state)).toEqual([
    'complete',
    'complete',
    'created',
    'intended',
  ]);
  expect(found[1]?.saved).toHaveLength(1);
  expect(found[3]?.holder).toBe('1 host');
  expect(store.add([...told, receipt(4, 'complete')])).toEqual({ added: 1, changed: 0 });
});

type Plant = (file: string) => void;
const emptyFile: Plant = (file) => {
  writeFileSync(file, '', { mode: 0o600 });
  utimesSync(file, 0, 0);
};
const foreignDatabase: Plant = (file) => {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE invoices (id INTEGER) STRICT');
  database.close();
};

test.each<readonly [string, Plant, RegExp]>([
  ['a folder', (file) => mkdirSync(file), /are not a file/],
  ['a named pipe', makeNamedPipe, /are not a file/],
  ['a link', (file) => symlinkSync(filled(1), file), /are not a file/],
  ['a link to nothing', (file) => symlinkSync('/nowhere/at/all', file), /are not a file/],
  [
    'a log that is a link',
    (file) => symlinkSync('/dev/null', `${writtenAt(file)}-wal`),
    /not a file/,
  ],
  ['a file that the group can write', (file) => chmodSync(writtenAt(file), 0o660), /other users/],
  ['a file that all can write', (file) => chmodSync(writtenAt(file), 0o602), /other users/],
  ['a database of another program', foreignDatabase, /another program/],
  [
    'a newer version',
    (file) => changed('PRAGMA user_version = 2')(writtenAt(file)),
    /newer version/,
  ],
])('%s in its place is refused, left as it is, and said once', (_name, plant, words) => {
  const file = freshFile();
  mkdirSync(dirname(file), { recursive: true });
  plant(file);
  const before = readdirSync(dirname(file)).toSorted();
  for (const readOnly of [true, false]) {
    const { store, warnings, wait } = open(file, { readOnly });
    for (const number of range(4)) {
      expect(store.of(service, jobOf(number))).toBeUndefined();
      expect(store.claim(receipt(number, 'intended'), minePlease)).toBeUndefined();
      wait(20_000);
    }
    expect(warnings.length).toBe(readOnly ? 1 : 2);
    expect(warnings[0]).toMatch(words);
  }
  expect(readdirSync(dirname(file)).toSorted()).toEqual(before);
});

function writtenAt(file: string): string {
  const { store } = open(file);
  store.put([receipt(1)]);
  store.close();
  return file;
}

test.skipIf(process.getuid?.() !== 0)('a file of another user is refused', () => {
  const file = filled(1);
  lchownSync(file, 65_534, 65_534);
  const { store, warnings } = open(file);
  expect(paid(store, 0)).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining('belong to another user')]);
});

test.each<readonly [string, Plant, number]>([
  ['garbage', (file) => writeFileSync(file, 'x'.repeat(10_000)), 0],
  ['a text', (file) => writeFileSync(file, 'these are no receipts'), 0],
  ['nothing', emptyFile, 0],
  ['its header only', (file) => truncateSync(file, 4096), 0],
  ['the first half', (file) => truncateSync(file, statSync(file).size / 2), 1],
  ['zeros', (file) => writeFileSync(file, Buffer.alloc(statSync(file).size)), 0],
  ['no tables', changed('DROP TABLE saved'), 0],
  ['a line that is no job', changed("UPDATE creation SET line = '{}' WHERE id = 7"), 299],
  [
    'a number above all numbers',
    changed('UPDATE saved SET bytes = 1 << 62 WHERE creation = 7'),
    300,
  ],
  [
    'a line of another job',
    changed(`UPDATE creation SET line = replace(line, '${jobOf(6)}', '${jobOf(9)}') WHERE id = 7`),
    299,
  ],
])(
  'a database of which %s is left is set aside, and the rest of it is kept',
  (_name, damage, kept) => {
    const file = filled(300);
    damage(file);
    const bytes = readFileSync(file);
    const plan = open(file, { readOnly: true });
    expect(paid(plan.store, 6)).toBeUndefined();
    expect(plan.warnings.length).toBe(1);
    plan.store.close();
    expect(readFileSync(file)).toEqual(bytes);

    const { store, warnings } = open(file);
    paid(store, 6);
    expect(warnings).toEqual([expect.stringContaining('set aside')]);
    expect(store.claim(receipt(1_000, 'intended'), minePlease)).toBe('ours');
    expect(allPaid(store, 300)).toBeGreaterThanOrEqual(kept);
    const aside = readdirSync(dirname(file)).find((name) => /damaged-[^.]*$/.test(name)) ?? '';
    expect(readFileSync(join(dirname(file), aside)).length).toBe(bytes.length);
    store.close();
    const again = open(file);
    expect(paid(again.store, 1_000)).toBe(1);
    expect(again.warnings).toEqual([]);
  },
);

function changed(sql: string): Plant {
  return (file) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
}

test('whatever byte is flipped, no command ends with it, and no receipt says what was not written', () => {
  const whole = filled(120);
  const bytes = readFileSync(whole);
  const random = randomFrom(29);
  let damaged = 0;
  const rounds = partOf(60);
  for (const _round of range(rounds)) {
    const file = join(mkdtempSync(join(tmpdir(), 'shotlist-flipped-')), 'receipts.db');
    const flipped = Buffer.from(bytes);
    for (const _flip of range(1 + random(8))) {
      const at = random(flipped.length);
      flipped[at] = random(256);
    }
    const end = random(4) === 0 ? random(flipped.length) : flipped.length;
    writeFileSync(file, flipped.subarray(0, end), { mode: 0o600 });
    const used = open(file);
    for (const number of range(120))
      for (const one of used.store.of(service, jobOf(number)) ?? [])
        expect(one.line.job).toBe(jobOf(number));
    if (used.warnings.length > 0) damaged += 1;
    used.store.close();
    rmSync(dirname(file), { recursive: true });
  }
  expect(damaged).toBeGreaterThan(rounds / 3);
});

/** A linear congruential generator: the same numbers each time. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('what two processes find damaged is set aside once, and neither loses what it writes then', () => {
  const file = filled(3);
  const [one, other] = [open(file), open(file)];
  expect(paid(one.store, 0)).toBe(1);
  expect(paid(other.store, 0)).toBe(1);
  changed("UPDATE creation SET line = '{}' WHERE id = 2")(file);
  expect(paid(one.store, 1)).toBe(0);
  expect(one.store.put([receipt(10)])).toBe(true);
  expect(paid(other.store, 1)).toBe(0);
  expect(other.store.put([receipt(11)])).toBe(true);
  expect(readdirSync(dirname(file)).filter((name) => /damaged-[^.]*-\d+$/.test(name)).length).toBe(
    1,
  );
  for (const { store } of [one, other, open(file)])
    expect([0, 2, 10, 11].map((number) => paid(store, number))).toEqual([1, 1, 1, 1]);
});

test('a database that another process has locked is waited for once, read meanwhile, and written as soon as it is free', async () => {
  const file = filled(3);
  const holder = await locked(file);
  const { store, warnings, wait } = open(file);
  const claims = range(50).map((number) =>
    store.claim(receipt(100 + number, 'intended'), minePlease),
  );
  expect(new Set(claims)).toEqual(new Set([undefined]));
  expect(store.rests).toBe(true);
  expect(allPaid(store, 3)).toBe(3);
  wait(20_000);
  expect(store.put([receipt(100)])).toBe(false);
  expect(warnings).toEqual([expect.stringContaining('locked')]);
  holder.kill('SIGKILL');
  await once(holder, 'close');
  expect(store.put([receipt(100)])).toBe(false);
  store.retry();
  expect(store.put([receipt(100)])).toBe(true);
  expect(paid(store, 100)).toBe(1);
  expect(warnings.length).toBe(1);
});

test('what was recorded survives a process that is killed while it writes, many times', async () => {
  const file = freshFile();
  let recorded = 0;
  const random = randomFrom(7);
  for (const round of range(2)) {
    const writer = child('write', file, String(round * 10_000), String((round + 1) * 10_000));
    const killAfter = 1 + random(60);
    const lines: string[] = [];
    let rest = '';
    writer.stdout?.on('data', (data) => {
      rest += data;
      const parts = rest.split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      if (lines.length >= killAfter) writer.kill('SIGKILL');
    });
    await once(writer, 'close');
    const { store, warnings } = open(file);
    expect(lines.filter((line) => Number.isNaN(Number(line)))).toEqual([]);
    expect(
      lines.filter(
        (line) => store.of(service, jobOf(Number(line)))?.[0]?.line.state !== 'complete',
      ),
    ).toEqual([]);
    expect(warnings).toEqual([]);
    store.close();
    recorded += lines.length;
  }
  expect(recorded).toBeGreaterThan(2);
  const database = new DatabaseSync(file);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
});

const nfs = 0x6969;
const disks = [
  ['a local disk', 'wal', 0xef53],
  ['NFS', 'truncate', nfs],
  ['SMB', 'truncate', 0xfe534d42],
] as const;

test.each(sampleOf(disks, disks.length))(
  'on %s the database has the log "%s", and of processes that begin the same creations at once each has its own',
  async (_name, log, type) => {
    const file = freshFile();
    const claimed = range(2).map(() => linesOf(child('claim', file, '0', '60', String(type))));
    const all = (await Promise.all(claimed)).flat();
    const ours = all
      .filter((line) => line.endsWith('ours'))
      .map((line) => Number(line.split(' ')[0]));
    expect(new Set(ours).size, 'given to two').toBe(ours.length);
    expect(all.filter((line) => line.startsWith('warning'))).toEqual([]);
    expect(ours.toSorted((a, b) => a - b)).toEqual(range(60));
    expect(all.length).toBe(120);
    const database = new DatabaseSync(file);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({
      journal_mode: log === 'wal' ? 'wal' : 'delete',
    });
    database.close();
    const { store } = open(file, { fileSystemOf: () => type });
    store.put([receipt(900)]);
    expect(existsSync(`${file}-wal`)).toBe(log === 'wal');
    expect(existsSync(`${file}-journal`)).toBe(log === 'truncate');
  },
);

/** What a run can do with receipts that it cannot write: it knows what was paid for. */
function expectReadable(file: string, count: number): void {
  for (const readOnly of [true, false]) {
    const { store, warnings } = open(file, { readOnly });
    expect(allPaid(store, count)).toBe(count);
    expect(warnings).toEqual([]);
    expect(store.claim(receipt(500, 'intended'), minePlease)).toBeUndefined();
    expect(warnings.length).toBe(readOnly ? 0 : 1);
    // The failed write takes no answers away.
    expect(allPaid(store, count)).toBe(count);
    store.close();
  }
}

test.skipIf(!canMount)(
  'receipts on a read-only disk are read, and said to be so when they would be written',
  () => {
    const file = filled(5);
    makeReadOnly(dirname(file));
    expectReadable(file, 5);
  },
);

test.skipIf(!canMount)('a full disk stops no reading, and what is written later is written', () => {
  const { folder, fill, free } = smallDisk(1 << 20);
  const file = join(folder, 'receipts.db');
  copyFileSync(filled(20), file);
  chmodSync(file, 0o600);
  fill(1 << 16);
  const { store, warnings } = open(file);
  expect(allPaid(store, 20)).toBe(20);
  expect(store.put(range(300).map((number) => receipt(1_000 + number)))).toBe(false);
  expect(warnings).toEqual([expect.stringContaining('disk is full')]);
  expect(allPaid(store, 20)).toBe(20);
  free();
  store.retry();
  expect(store.put([receipt(1_000)])).toBe(true);
  expect(allPaid(store, 20)).toBe(20);
});

// Only root can become another user, who must be able to enter the checkout.
test.skipIf(nobody.uid === undefined || !canBeNobody)(
  'another user, who may only read the file, is told whose it is',
  async () => {
    const file = filled(2);
    chmodSync(dirname(dirname(file)), 0o755);
    chmodSync(dirname(file), 0o755);
    chmodSync(file, 0o644);
    const args = ['claim', file, '0', '1'];
    const theirs = spawn(process.execPath, [script, ...args], {
      ...nobody,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await linesOf(theirs)).toEqual([
      expect.stringContaining('belong to another user'),
      '0 undefined',
    ]);
    const { store } = open(file);
    expect(allPaid(store, 2)).toBe(2);
  },
);
