import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type EngineDatabase,
  engineAddress,
  type RecordRow,
} from '../../src/distributed/database.ts';
import { Refusal } from '../../src/language/load/refusal.ts';
import { query, sharedPostgres, startPostgres } from '../postgres.ts';
import { acquired, lapse, openEngine } from './engine.ts';

const row = (key: string, line = key, attempts = 0) => ({ key, line, attempts });

async function rowsOf(database: EngineDatabase, run: string) {
  const rows: RecordRow[] = [];
  for await (const page of database.rows(run)) rows.push(...page);
  return rows;
}

test.each([
  ['postgres://db.example/shotlist', 'db.example/shotlist'],
  ['postgresql://me@db.example:5433/runs?sslmode=verify-full', 'db.example:5433/runs'],
  ['postgres:///runs?host=/run/postgresql', '/run/postgresql/runs'],
  ['postgres://me:secret@db.example/runs', undefined],
  ['postgres://db.example/runs?password=secret', undefined],
  ['postgres://db.example', undefined],
  ['mysql://db.example/runs', undefined],
  ['runs', undefined],
])('the address %s is shown as %s', (text, shown) => {
  const address = engineAddress(text);
  expect(address.ok ? address.value.shown : undefined).toBe(shown);
});

describe('a database of runs', { tags: 'postgres' }, () => {
  test('two coordinators that begin at once make the tables once, and one of them has the run', async () => {
    const url = await (await sharedPostgres()).newDatabase();
    const both = await Promise.all([openEngine(url), openEngine(url)]);
    expect(await Promise.all(both.map((one) => one.hasTables()))).toEqual([false, false]);
    await Promise.all(both.map((one) => one.prepare()));
    expect(await both[0].hasTables()).toBe(true);
    const terms = await Promise.all(
      both.map((one, index) => one.acquire('p', 'https://api.example.com', `${index}`)),
    );
    expect(terms.filter((term) => term !== undefined)).toHaveLength(1);
    expect(await both[0].runs('p')).toMatchObject([{ epoch: 1, isHeld: true }]);
  });

  test('a coordinator whose answer was lost acquires again', async () => {
    const database = await openEngine();
    await acquired(database);
    expect(await acquired(database)).toMatchObject({ epoch: 2, marked: 0, attempts: 0 });
  });

  test('who was late finds its term over, and has written nothing', async () => {
    const database = await openEngine();
    const late = await acquired(database, 'late');
    expect(await database.write(late, [row('a', '1', 1), row('b')])).toBeDefined();
    expect(await database.acquire('p', 'https://api.example.com', 'next')).toBeUndefined();
    await lapse(database);
    const next = await acquired(database, 'next');
    expect(next).toMatchObject({ run: late.run, word: late.word, epoch: 2, attempts: 1 });
    expect(await database.write(late, [row('a', '2', 2), row('c')])).toBeUndefined();
    expect(await database.renew(late)).toBe(false);
    expect(await database.mark(late, 7)).toBe(false);
    await database.release(late);
    expect(await rowsOf(database, next.run)).toEqual([row('a', '1', 1), row('b')]);
    expect(await database.runs('p')).toMatchObject([{ coordinator: 'next', isHeld: true }]);
    expect(await database.renew(next)).toBe(true);
  });

  test('a write that begins before a takeover ends before it', async () => {
    const database = await openEngine();
    const late = await acquired(database, 'late');
    await lapse(database);
    const locked = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const writing = database.sql.transaction(async (within) => {
      await within.query('select 1 from shotlist.run where run = $1 for share', [late.run]);
      locked.resolve();
      await written.promise;
    });
    await locked.promise;
    const over = acquired(database, 'next');
    const waits = `select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(() => database.sql.query(waits)).toEqual([{ count: 1 }]);
    written.resolve();
    await writing;
    expect((await over).epoch).toBe(2);
  });

  test('a batch that is written again after a lost answer is there once', async () => {
    const database = await openEngine();
    const term = await acquired(database);
    const batch = Array.from({ length: 7_000 }, (_, index) => row(`job ${index}`, '{}', 1));
    for (let times = 0; times < 2; times++) expect(await database.write(term, batch)).toBeDefined();
    const rows = await rowsOf(database, term.run);
    expect(rows.map(({ key }) => key)).toEqual(batch.map(({ key }) => key).sort());
    await database.release(term);
    expect(await database.runs('p')).toMatchObject([{ coordinator: null, isHeld: false }]);
    expect(await acquired(database, 'next')).toMatchObject({ epoch: 2, attempts: 7_000 });
  });

  test('a role that may not make the tables is refused with the SQL that makes them', async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.newDatabase();
    const name = new URL(url).pathname.slice(1);
    await query(url, `create role "limited in ${name}" login`);
    const limited = await openEngine(url.replace('postgres@', `limited%20in%20${name}@`));
    const refused = await limited.prepare().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Refusal);
    const { message } = refused instanceof Refusal ? refused : { message: '' };
    const [makes = '', grants = ''] = message.match(/(?:create schema|grant usage).*;/g) ?? [];
    await query(url, makes);
    // As the command of pg-boss does it.
    await (await openEngine(url)).prepare();
    await query(url, grants);
    await limited.prepare();
    expect(await limited.write(await acquired(limited), [row('a')])).toBeDefined();
  });

  test('tables of another version are refused', async () => {
    const database = await openEngine();
    await database.sql.query('update shotlist.version set version = 99');
    await expect(database.prepare()).rejects.toThrow(Refusal);
  });

  test('a database that cannot be reached is refused', async () => {
    const nowhere = await openEngine('postgres://127.0.0.1:1/shotlist');
    const refused = await nowhere.prepare().catch((error: unknown) => error);
    expect(refused instanceof Refusal && refused.problem.reason).toBe('unreachable');
  });

  test.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
    'a server with %s = off may forget what was paid, and is refused',
    async (setting) => {
      const postgres = await startPostgres({ [setting]: 'off' });
      onTestFinished(() => postgres.stop());
      const database = await openEngine(postgres.url);
      await expect(database.prepare()).rejects.toThrow(setting);
      expect(await database.hasTables()).toBe(false);
    },
  );
});
