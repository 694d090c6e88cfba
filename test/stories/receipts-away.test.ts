// Receipts that are absent, locked, damaged or unwritable are no reason to stop: the run pays once, and says what is missing.
// On a read-only disk, and without a home folder: test/e2e/receipts-away.test.ts.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { listReceipts } from '../../src/state/receipts.ts';
import { type Told, World, type WorldOptions } from '../kit/world.ts';

/** Pictures of such a thing. */
const pictures = (count: number, thing = 'boats', options: WorldOptions = {}): World =>
  new World(
    `pipeline: ${thing}
items: { values: [${Array.from({ length: count }, (_, index) => `{ key: ${thing}${index} }`).join(', ')}] }
steps:
  picture: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.key }}" } } }
  save: { uses: download, with: { of: picture, to: "\${{ item.key }}.png" } }
`,
    {},
    options,
  );

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-receipts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const aboutReceipts = ({ events }: Told): number =>
  events.filter((event) => event.type === 'warning' && /receipts|RECEIPTS/.test(event.message))
    .length;

/** How far the creations are, as a database says. */
const statesIn = (file: string): readonly string[] =>
  [...listReceipts(file)]
    .flatMap(({ line }) => line.attempts.map(({ state }) => state))
    .filter((state) => state !== 'refused');

const rowsIn = (file: string): number => statesIn(file).length;

const receiptsIn = (folder: string) => ({ env: { SHOTLIST_RECEIPTS: folder } });

/** A database with one creation. */
async function withOne(): Promise<string> {
  const file = join(freshFolder(), 'receipts.db');
  await pictures(1).run(receiptsIn(dirname(file)));
  return file;
}

test.each<[string, () => string, number]>([
  ['a relative folder', () => 'receipts', 1],
  ['an empty text', () => '', 0],
  ['a folder that does not exist', () => join(freshFolder(), 'a/b'), 0],
  [
    'a file',
    () => {
      const given = join(freshFolder(), 'file');
      writeFileSync(given, '');
      return given;
    },
    1,
  ],
  [
    'a folder with a folder in the place of the database',
    () => {
      const given = freshFolder();
      mkdirSync(join(given, 'receipts.db'));
      return given;
    },
    1,
  ],
])('with %s for the receipts, a run pays once and says what is missing', async (_, place, says) => {
  const world = pictures(1);
  const env = { SHOTLIST_RECEIPTS: place(), XDG_STATE_HOME: freshFolder() };
  const told = await world.run({ env });
  expect([told.outcome, aboutReceipts(told)]).toEqual(['done', says]);
  expect((await world.run({ env })).charged).toBe(0);
  expect(world.service.charged).toBe(10);
  expect(existsSync(join(world.folder, 'receipts'))).toBe(false);
});

test('with receipts that another process keeps locked, nothing is bought until they are free', async () => {
  const file = await withOne();
  const locks = new DatabaseSync(file);
  onTestFinished(() => locks.close());
  locks.exec('BEGIN EXCLUSIVE');
  const world = pictures(2, 'trams');
  const told = await world.run(receiptsIn(dirname(file)));
  expect([told.outcome, told.charged, told.summary?.stoppedBy]).toEqual(['failed', 0, 'machine']);
  expect(told.summary?.stopped).toContain(file);
  locks.exec('ROLLBACK');
  const again = await world.run(receiptsIn(dirname(file)));
  expect([again.outcome, again.charged, rowsIn(file)]).toEqual(['done', 20, 3]);
});

test('what cannot be written during a run is written by the next one', async () => {
  const folder = freshFolder();
  const env = receiptsIn(folder);
  const world = pictures(1);
  const file = join(folder, 'receipts.db');
  const locks: DatabaseSync[] = [];
  onTestFinished(() => {
    for (const lock of locks) lock.close();
  });
  world.onLine = (line) => {
    if (!line.includes('"state":"created"') || locks.length > 0) return;
    const lock = new DatabaseSync(file);
    lock.exec('BEGIN EXCLUSIVE');
    locks.push(lock);
  };
  const told = await world.run(env);
  expect([told.outcome, aboutReceipts(told)]).toEqual(['done', 2]);
  expect(statesIn(file)).toEqual(['intended']);
  locks[0]?.exec('ROLLBACK');
  expect((await world.run(env)).charged).toBe(0);
  expect(statesIn(file)).toEqual(['complete']);
});

test('receipts that were damaged are set aside, with a warning', async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'receipts.db'), 'x'.repeat(9_000), { mode: 0o600 });
  const told = await pictures(1).run(receiptsIn(folder));
  expect([told.outcome, aboutReceipts(told)]).toEqual(['done', 1]);
  expect(rowsIn(join(folder, 'receipts.db'))).toBe(1);
  expect(readdirSync(folder).length).toBeGreaterThan(1);
});

test('what can be read of damaged receipts counts: a state file that is lost then pays for nothing that is known', async () => {
  const folder = freshFolder();
  const env = receiptsIn(folder);
  const world = pictures(2, 'boats', { disk: 'folder' });
  await world.run(env);
  const damaged = new DatabaseSync(join(folder, 'receipts.db'));
  damaged.exec("UPDATE receipt SET line = '{}' WHERE rowid = 1");
  damaged.close();
  world.state = '';
  const again = await world.run(env);
  expect([again.outcome, again.charged]).toEqual(['done', 10]);
  expect(readdirSync(folder).some((name) => name.includes('damaged'))).toBe(true);
});

test('no database comes into being in a plan, or in a run with nothing to do', async () => {
  const world = pictures(2);
  const folder = freshFolder();
  const mine = receiptsIn(join(folder, 'mine'));
  await world.plan(mine);
  expect(readdirSync(folder)).toEqual([]);
  await world.run(mine);
  expect(rowsIn(join(folder, 'mine/receipts.db'))).toBe(2);
  rmSync(join(folder, 'mine'), { recursive: true });
  await world.run(mine);
  await world.plan(mine);
  expect(readdirSync(folder)).toEqual([]);
});

test('no key and no signed address is in the receipts, during a run and after it', async () => {
  const world = pictures(1);
  const folder = freshFolder();
  const seen: string[] = [];
  const look = (): void => {
    for (const name of readdirSync(folder)) seen.push(readFileSync(join(folder, name), 'latin1'));
  };
  world.onLine = look;
  const env = { SHOTLIST_API_KEY: 'sl_a_key_that_no_receipt_may_hold', SHOTLIST_RECEIPTS: folder };
  await world.run({ env });
  look();
  expect(seen.some((bytes) => bytes.includes('ai-meme-generator'))).toBe(true);
  for (const secret of ['sl_a_key', 'storage.example'])
    expect(seen.filter((bytes) => bytes.includes(secret)).length, secret).toBe(0);
});
