// One contract for both runners and both journals: in this process with a file, and distributed over a database.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EngineDatabase,
  engineOver,
  openEngine,
} from '../../src/distributed/database/database.ts';
import { colour, InMemory, photo, pipeline } from '../old/run/in-memory.ts';
import { sharedPostgres } from '../postgres.ts';
import { isMissing } from '../programs.ts';
import { startPglite } from './database/pglite.ts';

const save = '  save: { uses: download, with: { of: one, to: "${{ item.key }}.png" } }\n';
const tidy = '  tidy: { uses: delete, with: { of: one } }\n';
const whole = pipeline(photo + colour('one', 'a') + save + tidy);
const twice = pipeline(photo + colour('one', 'a') + colour('two', 'a'));

const grounds: readonly {
  readonly where: string;
  readonly open: () => Promise<EngineDatabase | undefined>;
}[] = [
  { where: 'in this process', open: async () => undefined },
  { where: 'over PGlite', open: async () => await engineOver(await startPglite()) },
  {
    where: 'over Postgres',
    open: async () => {
      const url = await (await sharedPostgres()).newDatabase();
      return await openEngine(url, { application: 'shotlist test', connections: 4 });
    },
  },
];

// A server costs less time than Postgres inside the process, whose own tests are with the database: without a server, or
// with `EVERY=1`, that one is tried too.
const isTried = (where: string): boolean => {
  if (where === 'over Postgres') return !isMissing('postgres');
  return where !== 'over PGlite' || isMissing('postgres') || process.env['EVERY'] === '1';
};

describe.each(grounds.filter(({ where }) => isTried(where)))('a run $where', ({ open }) => {
  let engine: EngineDatabase | undefined;
  beforeAll(async () => {
    engine = await open();
    await engine?.migrate();
  });
  afterAll(async () => await engine?.close());

  const memory = (): InMemory => new InMemory(engine);

  test('does every step of every item, and the next run does nothing', async () => {
    const world = memory();
    const { endings, events, charged, walk } = await world.run(whole, 'fine', ['a', 'b']);
    expect([...endings].sort()).toEqual(
      ['one', 'photo', 'save', 'tidy'].flatMap((step) => [`${step}:a done`, `${step}:b done`]),
    );
    expect([charged, walk.tally.itemsOver]).toEqual([100, 2]);
    expect([...events].sort()).toEqual([
      ...['created', 'created', 'deleted', 'deleted', 'ended', 'intent', 'intent'],
      ...['output', 'output', 'run', 'settled', 'settled', 'supplied', 'supplied'],
    ]);
    const again = await world.run(whole, 'fine', ['a', 'b']);
    expect(again.endings.every((ending) => ending.endsWith(' reused'))).toBe(true);
    expect([again.events, again.charged]).toEqual([[], 0]);
  });

  test('pays once for two tasks with the same content', async () => {
    const { endings, charged } = await memory().run(twice);
    expect([...endings].sort()).toEqual(['one:a done', 'photo:a done', 'two:a reused']);
    expect(charged).toBe(50);
  });

  test('leaves a lost answer in doubt, and never sends the creation again', async () => {
    const world = memory();
    const { endings, charged } = await world.run(whole, 'lost');
    expect(endings).toEqual(['photo:a done', 'one:a doubt', 'save:a blocked', 'tidy:a blocked']);
    expect([charged, world.ledger.total.reserved]).toEqual([50, 50]);
    const again = await world.run(whole);
    expect(again.endings).toContain('one:a doubt');
    expect([again.charged, world.service.projects.size]).toEqual([0, 1]);
  });

  test('fails what ends in error, refunded', async () => {
    const world = memory();
    const { endings } = await world.run(whole, 'error');
    expect(endings).toEqual(['photo:a done', 'one:a failed', 'save:a blocked', 'tidy:a blocked']);
    expect(world.ledger.total.charged - world.ledger.total.refunded).toBe(0);
  });

  test('leaves a project that does not end to the next run, which pays nothing', async () => {
    const world = memory();
    const { endings, charged } = await world.run(whole, 'endless');
    expect(endings).toContain('one:a pending');
    expect(charged).toBe(50);
    const again = await world.run(whole);
    expect(again.endings).toEqual(['photo:a reused', 'one:a done', 'save:a done', 'tidy:a done']);
    expect(again.charged).toBe(0);
  });

  test('never exceeds its budget', async () => {
    const { endings, charged } = await memory().run(whole, 'fine', ['a', 'b'], { budget: 50 });
    expect(charged).toBe(50);
    const ones = endings.flatMap((ending) => ending.match(/^one:. (\w+)$/)?.[1] ?? []);
    expect(ones.sort()).toEqual(['done', 'pending']);
  });

  test('that is interrupted begins nothing more, and the next run goes on', async () => {
    const world = memory();
    const { walk, charged } = await world.run(whole, 'fine', ['a'], {}, (event, running) => {
      if (event.type === 'task') running.halt({ what: 'interrupt', why: 'by hand' });
    });
    expect([walk.stopped.interrupted, charged]).toEqual([true, 0]);
    const again = await world.run(whole);
    expect([again.charged, again.walk.tally.itemsOver]).toEqual([50, 1]);
  });

  test('reads a large file before it uses it', async () => {
    const world = memory();
    world.disk.unread.add('a.png');
    const { endings } = await world.run(whole);
    expect(endings).toEqual(['photo:a done', 'one:a done', 'save:a done', 'tidy:a done']);
  });
});
