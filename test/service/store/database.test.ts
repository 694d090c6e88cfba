// When a write is durable, and which writes share a transaction.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/service/store/database.ts';

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
  database = openDatabase(join(folder, 'one.sqlite'));
  await database.write(() => database.prepare('CREATE TABLE numbers (n INTEGER)').run());
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const add = (number: number): Promise<unknown> =>
  database.write(() => database.prepare('INSERT INTO numbers VALUES (?)').run(number));
const count = (): unknown =>
  database.prepare('SELECT count(*) AS count FROM numbers').get()?.['count'];
/** After the writes of this turn have been committed. */
const committed = (): Promise<void> => new Promise(setImmediate);

test('a database that another version of shotlist made is refused', async () => {
  await database.close();
  const file = join(folder, 'one.sqlite');
  const other = new DatabaseSync(file);
  other.exec('PRAGMA user_version = 99');
  other.close();
  expect(() => openDatabase(file)).toThrow('another version of shotlist made it');
  database = openDatabase(undefined);
});

test('what can be read is durable when durable() resolves, and each write before it', async () => {
  const ended: string[] = [];
  const write = add(1).then(() => ended.push('write'));
  await committed();
  expect(count()).toBe(1);
  const durable = database.durable();
  expect(durable).toBeDefined();
  await Promise.all([write, durable?.then(() => ended.push('durable'))]);
  expect(ended.sort()).toEqual(['durable', 'write']);
  expect(database.durable()).toBeUndefined();
  // The files as they are have the row.
  const other = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
  cpSync(folder, other, { recursive: true });
  const copy = new DatabaseSync(join(other, 'one.sqlite'));
  expect(copy.prepare('SELECT n FROM numbers').all()).toMatchObject([{ n: 1 }]);
  copy.close();
  rmSync(other, { recursive: true });
});

test('writes that come during a sync wait for its end, and are committed together', async () => {
  const first = add(1);
  await committed();
  const later = [add(2), add(3)];
  await first;
  expect(count()).toBe(1);
  await Promise.all(later);
  expect(count()).toBe(3);
});

test('closing waits for the writes that are pending', async () => {
  const writes = [add(1)];
  await committed();
  writes.push(add(2));
  await database.close();
  await Promise.all(writes);
  database = openDatabase(join(folder, 'one.sqlite'));
  expect(count()).toBe(2);
});

test('a write that throws is undone alone', async () => {
  const failed = database.write(() => {
    database.prepare('INSERT INTO numbers VALUES (9)').run();
    throw new Error('no');
  });
  const other = add(1);
  await expect(failed).rejects.toThrow('no');
  await other;
  expect(count()).toBe(1);
});
