// The stat cache: a second run reads no media; a cache that cannot be read is thrown away, never believed.
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/base/digest.ts';
import { HashCache } from '../../src/files/hash-cache.ts';
import { temporaryFolder } from './places.ts';

const digest = digestOf('one');
const stats = (file: string) => statSync(file, { bigint: true });
const now = Date.parse('2026-08-05T10:00:00Z');

function aged(file: string, content = 'rose'): string {
  writeFileSync(file, content);
  utimesSync(file, new Date('2020-01-01'), new Date('2020-01-01'));
  return file;
}

describe('the hash of a file', () => {
  test('is remembered by the next process', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const one = new HashCache(join(folder, 'hashes.db'));
    one.set(file, stats(file), digest, now);
    one.close();
    const two = new HashCache(join(folder, 'hashes.db'));
    expect(two.get(file, stats(file))).toBe(digest);
    expect(two.get(join(folder, 'other.png'), stats(file))).toBeUndefined();
    two.close();
  });

  test('is not served once the file changed', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const cache = new HashCache(join(folder, 'hashes.db'));
    cache.set(file, stats(file), digest, now);
    aged(file, 'ruse!');
    expect(cache.get(file, stats(file))).toBeUndefined();
    cache.close();
  });

  test('is not served when only the time of the change tells: same size, same modification time', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const cache = new HashCache(join(folder, 'hashes.db'));
    const before = stats(file);
    cache.set(file, before, digest, now);
    const after = Object.assign(stats(file), { ctimeNs: before.ctimeNs + 1n });
    expect(after.mtimeNs).toBe(before.mtimeNs);
    expect(cache.get(file, after)).toBeUndefined();
    cache.close();
  });

  test('of a file that was just written is for this process only: it may change within one tick', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const one = new HashCache(join(folder, 'hashes.db'));
    one.set(file, stats(file), digest, Date.parse('2020-01-01') + 500);
    expect(one.get(file, stats(file))).toBe(digest);
    one.close();
    const two = new HashCache(join(folder, 'hashes.db'));
    expect(two.get(file, stats(file))).toBeUndefined();
    two.close();
  });

  test('of a file that shotlist wrote itself is remembered at once', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'a.png');
    writeFileSync(file, 'rose');
    const one = new HashCache(join(folder, 'hashes.db'));
    one.trust(file, stats(file), digest);
    one.close();
    const two = new HashCache(join(folder, 'hashes.db'));
    expect(two.get(file, stats(file))).toBe(digest);
    two.close();
  });
});

describe('a cache that cannot be read', () => {
  test.each([
    ['is no database', (file: string) => writeFileSync(file, 'this is no database '.repeat(300))],
    ['is cut off', (file: string) => writeFileSync(file, 'SQLite format 3\u0000')],
    [
      'has other columns',
      (file: string) => {
        const other = new DatabaseSync(file);
        other.exec('CREATE TABLE files (path TEXT, hash TEXT)');
        other.close();
      },
    ],
  ])('because it %s is thrown away, and works again', (_, spoil) => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const database = join(folder, 'hashes.db');
    spoil(database);
    const cache = new HashCache(database);
    expect(cache.get(file, stats(file))).toBeUndefined();
    cache.set(file, stats(file), digest, now);
    expect(cache.get(file, stats(file))).toBe(digest);
    cache.close();
  });

  test('because a page in its middle is damaged is thrown away when that is found out', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const database = join(folder, 'hashes.db');
    const saved = { path: 'out/a.png', sha256: 'a'.repeat(64) };
    const one = new HashCache(database);
    one.set(file, stats(file), digest, now);
    one.close();
    const pageBytes = 4096;
    writeFileSync(database, readFileSync(database).fill(0xff, pageBytes));
    const two = new HashCache(database);
    // Many of one turn are read in a transaction.
    for (const name of ['a', 'b', 'c']) expect(two.get(name, stats(file))).toBeUndefined();
    expect([two.hasSeen(file, saved), two.hasSaved(saved.path)]).toEqual([false, false]);
    two.set(file, stats(file), digest, now);
    expect(two.get(file, stats(file))).toBe(digest);
    two.close();
    const three = new HashCache(database);
    three.set(file, stats(file), digest, now);
    three.close();
    expect(new HashCache(database).get(file, stats(file))).toBe(digest);
  });

  test('because another program has it locked stays as it is', async () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const database = join(folder, 'hashes.db');
    const saved = { path: 'out/a.png', sha256: 'a'.repeat(64) };
    const one = new HashCache(database);
    await one.remember(saved);
    one.close();
    using other = new DatabaseSync(database);
    other.exec(
      "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM saved WHERE path = ''",
    );
    const two = new HashCache(database);
    two.set(file, stats(file), digest, now);
    expect([two.get(file, stats(file)), two.hasSaved(saved.path)]).toEqual([digest, false]);
    two.close();
    other.close();
    const three = new HashCache(database);
    expect(three.hasSaved(saved.path)).toBe(true);
    three.close();
  });

  test('that is not there yet is made, but not its folder, which nobody has claimed', () => {
    const folder = temporaryFolder();
    new HashCache(join(folder, 'hashes.db')).close();
    expect(readdirSync(folder)).toEqual(['hashes.db']);
    new HashCache(join(folder, 'deep', 'hashes.db')).close();
    new HashCache(undefined).close();
    expect(readdirSync(folder)).toEqual(['hashes.db']);
  });
});

describe('the hashes of many files', () => {
  test('are written after each 500, without waiting for the end', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const database = join(folder, 'hashes.db');
    const [one, two] = [new HashCache(database), new HashCache(database)];
    for (let count = 1; count < 500; count++) one.set(`${file}${count}`, stats(file), digest, now);
    expect(two.get(`${file}1`, stats(file))).toBeUndefined();
    expect(one.get(`${file}1`, stats(file))).toBe(digest);
    one.set(`${file}500`, stats(file), digest, now);
    for (const count of [1, 500]) {
      expect(two.get(`${file}${count}`, stats(file))).toBe(digest);
      expect(one.get(`${file}${count}`, stats(file))).toBe(digest);
    }
    one.close();
    two.close();
  });
});

describe('a file that changed shortly before it was read', () => {
  const kept = (now: number): boolean => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const one = new HashCache(join(folder, 'hashes.db'));
    one.set(file, stats(file), digest, now);
    one.close();
    const two = new HashCache(join(folder, 'hashes.db'));
    const known = two.get(file, stats(file)) !== undefined;
    two.close();
    return known;
  };

  test('is remembered from two seconds on', () => {
    expect(kept(Date.parse('2020-01-01') + 1999)).toBe(false);
    expect(kept(Date.parse('2020-01-01') + 2000)).toBe(true);
  });

  test('is remembered by what was said of it last', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const cache = new HashCache(undefined);
    const other = digestOf('two');
    const young = Date.parse('2020-01-01');
    cache.set(file, stats(file), digest, young);
    cache.set(file, stats(file), other, now);
    expect(cache.get(file, stats(file))).toBe(other);
    cache.set(file, stats(file), digest, young);
    expect(cache.get(file, stats(file))).toBe(digest);
    cache.trust(file, stats(file), other);
    expect(cache.get(file, stats(file))).toBe(other);
    cache.close();
  });
});

describe('a cache in a place that cannot hold one', () => {
  test('such as a folder remembers in this process only, and the folder stays', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    mkdirSync(join(folder, 'hashes.db'));
    const cache = new HashCache(join(folder, 'hashes.db'));
    cache.set(file, stats(file), digest, now);
    expect(cache.get(file, stats(file))).toBe(digest);
    cache.close();
    expect(readdirSync(join(folder, 'hashes.db'))).toEqual([]);
  });

  test('that no system knows is a bug', () => {
    expect(() => new HashCache('a\0b')).toThrow();
  });
});

describe('two runs of two pipelines in one folder', () => {
  test('can both remember hashes at the same time', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const one = new HashCache(join(folder, 'hashes.db'));
    const two = new HashCache(join(folder, 'hashes.db'));
    one.set(file, stats(file), digest, now);
    expect(() => two.set(file, stats(file), digest, now)).not.toThrow();
    one.close();
    two.close();
  });
});

describe('an output that this checkout saved', () => {
  const output = { path: 'out/a.png', sha256: 'a'.repeat(64) };

  test('is remembered by the next process, after the file changed and is gone', async () => {
    const folder = temporaryFolder();
    const database = join(folder, 'hashes.db');
    const file = aged(join(folder, 'a.png'));
    const one = new HashCache(database);
    await one.remember(output);
    expect(one.hasSeen(file, output)).toBe(true);
    one.close();
    const two = new HashCache(database);
    two.set(file, stats(file), digest, now);
    expect(two.hasSeen(file, output)).toBe(true);
    two.close();
    const three = new HashCache(database);
    expect(three.hasSeen(file, output)).toBe(true);
    expect(three.hasSeen(file, { ...output, path: 'out/b.png' })).toBe(false);
    expect(three.hasSeen(file, { ...output, sha256: 'b'.repeat(64) })).toBe(false);
    three.close();
  });

  test('is written when it is remembered, before the end of the process', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'a.png');
    const [one, two] = ['one', 'two'].map(() => new HashCache(join(folder, 'hashes.db')));
    const both = [output, { ...output, path: 'out/b.png' }];
    await Promise.all(both.map((each) => one?.remember(each)));
    for (const each of both) expect(two?.hasSeen(file, each)).toBe(true);
    one?.close();
    two?.close();
  });

  test('is written when the process that holds the database lets go of it', async () => {
    const folder = temporaryFolder();
    const database = join(folder, 'hashes.db');
    const file = join(folder, 'a.png');
    const one = new HashCache(database);
    const holder = new DatabaseSync(database);
    holder.exec('BEGIN IMMEDIATE');
    await one.remember(output);
    expect(one.hasSeen(file, output)).toBe(true);
    holder.close();
    await one.remember({ ...output, path: 'out/b.png' });
    const two = new HashCache(database);
    expect(two.hasSeen(file, output)).toBe(true);
    one.close();
    two.close();
  });

  test('is known if it was only hashed here, under its path and with its content', () => {
    const folder = temporaryFolder();
    const file = aged(join(folder, 'a.png'));
    const cache = new HashCache(join(folder, 'hashes.db'));
    cache.set(file, stats(file), digest, now);
    expect(cache.hasSeen(file, { ...output, sha256: digest })).toBe(true);
    expect(cache.hasSeen(join(folder, 'b.png'), { ...output, sha256: digest })).toBe(false);
    cache.close();
  });

  test('is known to a reader, which writes nothing', async () => {
    const folder = temporaryFolder();
    const database = join(folder, 'hashes.db');
    const none = new HashCache(database, 'read');
    expect(none.hasSeen(join(folder, 'a.png'), output)).toBe(false);
    none.close();
    expect(readdirSync(folder)).toEqual([]);
    const one = new HashCache(database);
    await one.remember(output);
    one.close();
    const alone = new HashCache(database, 'read');
    expect(alone.hasSeen(join(folder, 'a.png'), output)).toBe(true);
    alone.close();
    expect(readdirSync(folder)).toEqual(['hashes.db']);
    // While a run has it open.
    const writer = new HashCache(database);
    const beside = new HashCache(database, 'read');
    expect(beside.hasSeen(join(folder, 'a.png'), output)).toBe(true);
    beside.close();
    writer.close();
    writeFileSync(database, 'no database');
    const broken = new HashCache(database, 'read');
    expect(broken.hasSeen(join(folder, 'a.png'), output)).toBe(false);
    broken.close();
  });
});
