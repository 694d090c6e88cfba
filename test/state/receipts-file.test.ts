// The receipts' database where it is absent, damaged, not ours or not writable: a command goes on, and says so.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { chanceOf } from '../../src/base/chance.ts';
import type { Job } from '../../src/model/record/line.ts';
import { listReceipts } from '../../src/state/receipts.ts';
import { misplacedReceipts, receiptsFile } from '../../src/state/receipts-file.ts';
import { makeNamedPipe } from '../named-pipe.ts';
import { canMount, makeReadOnly, smallDisk } from '../small-disk.ts';
import { partOf } from '../sweep.ts';
import { after, freshFolder, intent, jobNamed, movesTo, side } from './paying.ts';

const paid = (number: number): Job => after(`job ${number}`, movesTo('complete', `n${number}`));
const range = (size: number): readonly number[] => Array.from({ length: size }, (_, n) => n);
const freshFile = (): string => join(freshFolder(), 'shotlist', 'receipts.db');
const swap = after('swap', [intent('mine')]);
const plan = { writes: false };

/** Receipts of a state file, closed. */
function filled(count: number, file = freshFile()): string {
  mkdirSync(dirname(file), { recursive: true });
  const { receipts } = side(file, 'payer');
  receipts.add(range(count).map(paid));
  receipts.close();
  return file;
}

const known = ({ receipts }: ReturnType<typeof side>, count: number): number =>
  range(count).filter((number) => receipts.get(jobNamed(`job ${number}`)) !== undefined).length;

const sql =
  (text: string) =>
  (file: string): void => {
    const database = new DatabaseSync(file);
    database.exec(text);
    database.close();
  };

test('the folder is the user’s own, or the absolute one that the environment names', () => {
  const home = { XDG_STATE_HOME: '/state' };
  expect(receiptsFile(home)).toBe('/state/shotlist/receipts.db');
  expect(receiptsFile({ ...home, SHOTLIST_RECEIPTS: '/r' })).toBe('/r/receipts.db');
  expect(receiptsFile({ ...home, SHOTLIST_RECEIPTS: 'r' })).toBe('/state/shotlist/receipts.db');
  const warns = ['', '/r', 'r'].map((given) => misplacedReceipts({ SHOTLIST_RECEIPTS: given }));
  expect(warns.map((warning) => warning !== undefined)).toEqual([false, false, true]);
});

test('nothing is made where nothing is bought', () => {
  const file = join(freshFolder(), 'shotlist', 'receipts.db');
  for (const options of [plan, {}]) {
    const { receipts, warnings } = side(file, '../x', options);
    expect(receipts.get(jobNamed('swap'))).toBeUndefined();
    expect([...receipts.ownLines()]).toEqual([]);
    expect(receipts.flush()).toBe(true);
    receipts.close();
    expect(warnings).toEqual([]);
  }
  expect([...listReceipts(file)]).toEqual([]);
  expect(existsSync(dirname(file))).toBe(false);
});

test('only its user can read what is made', () => {
  const file = freshFile();
  expect(side(file, '../x').receipts.claim(swap, 'mine').is).toBe('go');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
});

type Plant = (file: string) => void;

test.each<readonly [string, Plant, string]>([
  ['a folder', (file) => mkdirSync(file), 'not-a-file'],
  ['a named pipe', makeNamedPipe, 'not-a-file'],
  ['a link', (file) => symlinkSync(filled(1), file), 'not-a-file'],
  ['a link to nothing', (file) => symlinkSync('/nowhere/at/all', file), 'not-a-file'],
  [
    'a log that is a link',
    (file) => symlinkSync('/dev/null', `${filled(1, file)}-wal`),
    'not-a-file',
  ],
  [
    'a file that the group can write',
    (file) => chmodSync(filled(1, file), 0o660),
    'open-to-others',
  ],
  ['a file that all can write', (file) => chmodSync(filled(1, file), 0o602), 'open-to-others'],
  ['a database of another program', sql('CREATE TABLE invoices (id INTEGER)'), 'other-program'],
  ['a newer version', (file) => sql('PRAGMA user_version = 3')(filled(1, file)), 'newer'],
])('%s in its place is left as it is, and said once', (_name, plant, reason) => {
  const file = freshFile();
  mkdirSync(dirname(file), { recursive: true });
  plant(file);
  const before = readdirSync(dirname(file)).sort();
  const planned = side(file, '../x', plan);
  expect([known(planned, 1), planned.warnings]).toEqual([0, [reason]]);
  const { receipts, warnings } = side(file, '../x');
  expect(receipts.claim(swap, 'mine')).toEqual({ is: 'go' });
  receipts.note(after('swap', movesTo('created', 'mine')));
  receipts.close();
  expect(warnings).toEqual([reason]);
  expect(readdirSync(dirname(file)).sort()).toEqual(before);
});

test.skipIf(process.getuid?.() !== 0)('a file of another user is not used', () => {
  const file = filled(1);
  lchownSync(file, 65_534, 65_534);
  const { receipts, warnings } = side(file, '../x');
  expect(receipts.get(jobNamed('job 0'))).toBeUndefined();
  expect(receipts.claim(swap, 'mine').is).toBe('go');
  expect(warnings).toEqual(['other-user']);
});

test('on a network drive, nothing is made or read', () => {
  for (const file of [freshFile(), filled(1)]) {
    const isThere = existsSync(file);
    const { receipts, warnings } = side(file, '../x', { fileSystemOf: () => 0x6969 });
    expect(receipts.get(jobNamed('job 0'))).toBeUndefined();
    expect(receipts.claim(swap, 'mine').is).toBe('go');
    receipts.note(after('swap', movesTo('created', 'mine')));
    receipts.close();
    expect(warnings).toEqual(['network']);
    expect(existsSync(file)).toBe(isThere);
  }
});

function anOlder(file: string): void {
  rmSync(file);
  sql('PRAGMA application_id = 0x73686f74; PRAGMA user_version = 1; CREATE TABLE creation (id)')(
    file,
  );
  chmodSync(file, 0o600);
}

test.each<readonly [string, Plant, string]>([
  ['garbage', (file) => writeFileSync(file, 'x'.repeat(10_000)), 'damaged'],
  ['a text', (file) => writeFileSync(file, 'these are no receipts'), 'damaged'],
  ['the header', (file) => truncateSync(file, 4096), 'damaged'],
  ['the first half', (file) => truncateSync(file, statSync(file).size / 2), 'damaged'],
  ['zeros', (file) => writeFileSync(file, Buffer.alloc(statSync(file).size)), 'damaged'],
  ['one table', sql('DROP TABLE payer'), 'damaged'],
  ['a table without a column', sql('ALTER TABLE receipt DROP COLUMN writer'), 'damaged'],
  ['a line that is no job', sql("UPDATE receipt SET line = '{}'"), 'damaged'],
  ['lines of other jobs', sql("UPDATE receipt SET line = replace(line, '0', '1')"), 'damaged'],
  ['parties without a name', sql("UPDATE receipt SET parties = '[{}]'"), 'damaged'],
  ['an early version', anOlder, 'older'],
])(
  'a file of which %s is left is set aside, and what the state file has is noted in a new one',
  (_name, damage, reason) => {
    const file = filled(300);
    damage(file);
    const bytes = readFileSync(file);
    const planned = side(file, '../x', plan);
    expect([known(planned, 1), planned.warnings]).toEqual([0, [reason]]);
    planned.receipts.close();
    expect(readFileSync(file)).toEqual(bytes);

    const { receipts, warnings } = side(file, '../x', { jobs: () => [paid(1_000)] });
    expect(receipts.get(jobNamed('job 6'))).toBeUndefined();
    expect(receipts.claim(swap, 'mine')).toEqual({ is: 'go' });
    receipts.close();
    expect(warnings).toEqual([reason]);
    const other = side(file, '../y');
    expect(other.receipts.get(jobNamed('job 1000'))).toBeDefined();
    expect(other.receipts.claim(after('swap', [intent('theirs')]), 'theirs').is).toBe('known');
    expect(other.warnings).toEqual([]);
    const aside = readdirSync(dirname(file)).filter((name) => name.includes(`.${reason}-`));
    expect(aside.map((name) => statSync(join(dirname(file), name)).size)).toContain(bytes.length);
  },
);

test('an empty file is none, however old it looks, and what the state file has is noted', () => {
  const file = freshFile();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '', { mode: 0o600 });
  expect(known(side(file, '../x', plan), 1)).toBe(0);
  const { receipts, warnings } = side(file, '../x', { jobs: () => [paid(0)] });
  expect(receipts.claim(swap, 'mine').is).toBe('go');
  expect(known(side(file, '../y'), 1)).toBe(1);
  expect(warnings).toEqual([]);
});

test('of a file that goes away under a run, everybody notes what it has in the next one', () => {
  const file = filled(1);
  const sides = ['../x', '../y'].map((name, number) =>
    side(file, name, { jobs: () => [paid(10 + number)] }),
  );
  for (const one of sides) expect(known(one, 1)).toBe(1);
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  expect(sides.map(({ receipts }) => receipts.claim(swap, 'mine').is)).toEqual(['go', 'go']);
  const claims = sides.map(({ receipts }, number) =>
    receipts.claim(after('other', [intent(`n-${number}`)]), `n-${number}`),
  );
  expect(claims.map(({ is }) => is)).toEqual(['go', 'known']);
  const third = side(file, '../z');
  expect([10, 11].map((number) => third.receipts.get(jobNamed(`job ${number}`)))).not.toContain(
    undefined,
  );
});

test('whatever bytes are flipped, no command ends with it, and no receipt says what was not written', () => {
  const bytes = readFileSync(filled(60));
  const chance = chanceOf(29, 1);
  const random = (below: number): number => Math.floor(chance() * below);
  let damaged = 0;
  const rounds = partOf(60);
  for (const _round of range(rounds)) {
    const flipped = Buffer.from(bytes);
    for (const _flip of range(1 + random(8))) flipped[random(flipped.length)] = random(256);
    const file = join(freshFolder(), 'receipts.db');
    const end = random(4) === 0 ? random(flipped.length) : flipped.length;
    writeFileSync(file, flipped.subarray(0, end), { mode: 0o600 });
    const used = side(file, 'x');
    for (const number of range(60)) {
      const job = jobNamed(`job ${number}`);
      expect(used.receipts.get(job)?.line.job ?? job).toBe(job);
    }
    expect(used.receipts.claim(swap, 'mine').is).toMatch(/go|unwritable/);
    if (used.warnings.length > 0) damaged += 1;
  }
  expect(damaged).toBeGreaterThan(rounds / 3);
});

test.skipIf(!canMount)('on a read-only disk, what is known still counts', () => {
  const file = filled(5);
  makeReadOnly(dirname(file));
  const { receipts, warnings } = side(file, '../x');
  expect(receipts.get(jobNamed('job 0'))).toBeDefined();
  expect(warnings).toEqual([]);
  expect(receipts.claim(after('job 0', [intent('mine')]), 'mine').is).toBe('known');
  expect(receipts.claim(swap, 'mine').is).toBe('go');
  receipts.close();
  expect(warnings).toEqual(['unusable']);
  const other = side(file, '../y');
  expect(other.receipts.claim(after('job 0', [intent('mine')]), 'mine').is).toBe('known');
});

test.skipIf(!canMount)(
  'a full disk ends buying, and notes are written when there is room',
  async () => {
    const { folder, fill, free } = smallDisk(1 << 20);
    const file = join(folder, 'receipts.db');
    copyFileSync(filled(20), file);
    chmodSync(file, 0o600);
    mkdirSync(join(folder, 'x'));
    const full = side(file, 'x');
    expect(known(full, 20)).toBe(20);
    fill();
    for (const number of range(63)) full.receipts.note(paid(1_000 + number));
    await full.wake();
    expect(full.warnings).toEqual(['full']);
    const claims = range(63).map((number) =>
      full.receipts.claim(paid(2_000 + number), `n${2_000 + number}`),
    );
    expect(claims.at(-1)?.is).toBe('unwritable');
    expect(known(full, 20)).toBe(20);
    free();
    expect(full.slept).toEqual([250, 30_000]);
    expect(full.receipts.claim(swap, 'mine').is).toBe('go');
    expect(side(file, 'y').receipts.get(jobNamed('job 1000'))).toBeDefined();
    expect(full.warnings).toEqual(['full']);
  },
);

const buyer = fileURLToPath(new URL('opening.ts', import.meta.url));

test('of processes that make the database at once and claim the same, each job has one', async () => {
  const file = freshFile();
  const runs = ['x', 'y', 'z'].map(async (name) => {
    const process_ = spawn(process.execPath, [buyer, file, name, '40'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    process_.stdout.on('data', (data) => {
      text += data;
    });
    await once(process_, 'close');
    return text.split('\n').slice(0, -1);
  });
  const lines = (await Promise.all(runs)).flat();
  expect(lines.filter((line) => !/^\d+ (go|known)$/.test(line))).toEqual([]);
  const won = lines.filter((line) => line.endsWith('go')).map((line) => Number.parseInt(line, 10));
  expect(won.sort((a, b) => a - b)).toEqual(range(40));
  expect(lines).toHaveLength(120);
});
