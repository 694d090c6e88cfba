// The record of a run with an engine, in a real database and in real state files.
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EngineDatabase, Term } from '../../src/distributed/database.ts';
import { TermOver } from '../../src/distributed/postgres-file.ts';
import { Promptness } from '../../src/distributed/promptness.ts';
import { Refusal } from '../../src/language/load/refusal.ts';
import { Ledger } from '../../src/model/record/ledger.ts';
import { type Line, lineText, parseLine } from '../../src/model/record/line.ts';
import { RecordLost } from '../../src/state/state-file.ts';
import { sharedPostgres } from '../postgres.ts';
import { created, intended, runLine, time } from '../state/records.ts';
import { checkout, lapse, openEngine } from './engine.ts';

const [a, b, c] = [created('a'), created('b'), created('c')];
const header: Line = { shotlist: 4, pipeline: 'p', service: 'https://api.example.com' };
const ended = (creations: number): Line => ({ ...runLine, ended: time, creations });

const textsOf = (...lines: readonly Line[]): readonly string[] => [...Ledger.of(lines).texts()];

/** The record that the rows make. */
async function rowsOf(database: EngineDatabase, { run }: Term): Promise<readonly string[]> {
  const lines: Line[] = [];
  for await (const page of database.rows(run))
    for (const { line } of page) {
      const parsed = parseLine(line);
      if (!parsed.ok) throw new Error(parsed.error);
      lines.push(parsed.value);
    }
  return textsOf(...lines);
}

const jobsIn = (ledger: Ledger): readonly string[] =>
  [...ledger.jobs()].map(({ job }) => job).sort();

/** The away marks of a state file, without the time. */
const marksIn = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const { mark, at: _, id: __, ...rest } = JSON.parse(line);
    return mark === 'away' ? [{ ...rest, over: rest.over !== undefined }] : [];
  });

describe('the record of a run with an engine', { tags: 'postgres' }, () => {
  test('is rows, and at the end the state file, whole and without its mark; other checkouts join the rows', async () => {
    const database = await openEngine();
    const here = await checkout();
    const first = await here.coordinate(database);
    expect(marksIn(here.lines())).toEqual([{ epoch: 1, creations: 0, over: false }]);
    await expect(here.open('plan')).rejects.toThrow(Refusal);
    first.append(runLine, intended('a'), intended('b'));
    await first.file.sync();
    first.append(b, a);
    await first.file.sync();
    expect(await rowsOf(database, first.term)).toEqual(textsOf(runLine, a, b));
    expect(here.lines()).toHaveLength(2);
    for (let times = 0; times < 2; times++) {
      first.file.remark();
      await first.file.sync();
    }
    expect(marksIn(here.lines())).toEqual([
      { epoch: 1, creations: 0, over: false },
      { epoch: 1, creations: 2, over: false },
    ]);
    first.append(c, ended(3));
    expect(await first.file.writeWhole()).toEqual({ ok: true });
    await first.file.close();
    expect(marksIn(here.lines())).toEqual([{ epoch: 1, creations: 3, over: true }]);
    expect(here.lines().toSpliced(1, 1)).toEqual(textsOf(header, a, b, c, ended(3)));
    await first.die();
    await (await here.open('run'))[Symbol.asyncDispose]();
    await database.release(first.term);

    const there = await checkout();
    const second = await there.coordinate(database);
    expect(marksIn(there.lines())).toEqual([{ epoch: 2, creations: 3, over: false }]);
    expect(jobsIn(second.ledger)).toEqual(jobsIn(Ledger.of([a, b, c])));
  });

  test('has what the state file knows and what the rows know, on both sides', async () => {
    const database = await openEngine();
    const [here, there] = [await checkout(), await checkout()];
    const first = await here.coordinate(database);
    first.append(runLine, a, intended('b'));
    await first.file.sync();
    await database.release(first.term);
    const fault = { code: 'x', message: 'x' };
    const failed = { task: `picture:${'x'.repeat(5_000)}`, at: time, run: 'r2', fault };
    const task: Line = { ...failed, ending: 'failed' };
    const other = { run: 'r2', at: time, ended: time, creations: 0 };
    writeFileSync(there.state, `${textsOf(header, other, task, b, c).join('\n')}\n`);
    const second = await there.coordinate(database);
    const all = textsOf(runLine, other, task, a, b, c);
    expect(await rowsOf(database, second.term)).toEqual(all);
    await second.file.writeWhole();
    expect(there.lines().toSpliced(1, 1)).toEqual([lineText(header), ...all]);
  });

  test('thousands of lines come to the rows, and are not written again', async () => {
    const database = await openEngine();
    const here = await checkout();
    const jobs = Array.from({ length: 5_100 }, (_, index) => created(`${index}`));
    writeFileSync(here.state, `${textsOf(header, runLine, ...jobs).join('\n')}\n`);
    const first = await here.coordinate(database);
    expect(await rowsOf(database, first.term)).toEqual(textsOf(runLine, ...jobs));
    await first.die();
    const versions = 'select xmin::text, count(*)::int from shotlist.job group by xmin order by 1';
    const before = await database.sql.query(versions);
    await lapse(database);
    await here.coordinate(database);
    expect(await database.sql.query(versions)).toEqual(before);
  });

  test('is closed to a coordinator that is late, whose state file keeps what it has paid for, and its mark', async () => {
    const database = await openEngine();
    const [here, there] = [await checkout(), await checkout()];
    const late = await here.coordinate(database, { who: 'late' });
    late.append(runLine, a);
    await late.file.sync();
    await lapse(database);
    const next = await there.coordinate(database, { who: 'next' });
    expect(jobsIn(next.ledger)).toEqual([a.job]);
    const before = here.lines();
    late.append(intended('d'), b);
    await expect(late.file.sync()).rejects.toThrow(TermOver);
    late.append(intended('e'), c, ended(5));
    late.file.remark();
    await expect(late.file.sync()).rejects.toThrow(TermOver);
    await expect(late.file.writeWhole()).rejects.toThrow(TermOver);
    await late.file.close();
    // The projects that it has paid for, and nothing that it did not send any more.
    expect(here.lines()).toEqual([...before, lineText(b), lineText(c)]);
    expect(await rowsOf(database, next.term)).toEqual(textsOf(runLine, a));
    // What it had begun is found again by the next run here, once the other one is over.
    next.append(ended(1));
    await next.file.writeWhole();
    await database.release(next.term);
    await late.die();
    const again = await here.coordinate(database);
    expect(jobsIn(again.ledger)).toEqual(jobsIn(Ledger.of([a, b, c])));
    expect(marksIn(here.lines()).at(-1)).toEqual({ epoch: 3, creations: 3, over: false });
  });

  test('of which a batch was written twice, because its answer was lost, has each line once', async () => {
    const { url, cut } = await wireTo((await sharedPostgres()).url, await openEngine());
    const database = await openEngine(url);
    const here = await checkout();
    const first = await here.coordinate(database);
    first.append(runLine, a, b);
    const isCut = cut();
    await first.file.sync();
    await isCut;
    expect(await rowsOf(database, first.term)).toEqual(textsOf(runLine, a, b));
    first.append(c);
    await first.file.sync();
    expect(await rowsOf(database, first.term)).toEqual(textsOf(runLine, a, b, c));
  });

  test('waits while the database is away', async () => {
    const postgres = await sharedPostgres();
    const database = await openEngine();
    const here = await checkout();
    const away = Promise.withResolvers<void>();
    const { clock } = here;
    const { signal: quit } = new AbortController();
    const patience = {
      clock: {
        chance: clock.chance,
        sleep: async () => new Promise<void>((done) => setTimeout(done, 5)),
      },
      quit,
      onAway: () => away.resolve(),
    };
    const first = await here.coordinate(database, { patience });
    first.append(runLine, a);
    await first.file.sync();
    await postgres.crash();
    first.append(intended('b'));
    const synced = first.file.sync();
    await away.promise;
    first.append(c);
    await postgres.restart();
    await synced;
    expect(await rowsOf(database, first.term)).toContain(lineText(intended('b')));
    await first.file.writeWhole();
    expect(await rowsOf(database, first.term)).toEqual(textsOf(runLine, a, intended('b'), c));
  });

  test('comes back as a whole to a server that was replaced by one that had less', async () => {
    const postgres = await sharedPostgres();
    const database = await openEngine();
    const first = await (await checkout()).coordinate(database);
    first.append(runLine, a, b);
    await first.file.sync();
    await postgres.crash();
    await postgres.restart();
    const lose = "delete from shotlist.job where key <> 'run r' returning 1";
    await expect.poll(() => database.sql.query(lose).catch(() => [])).toHaveLength(2);
    first.append(c);
    await first.file.sync();
    expect(await rowsOf(database, first.term)).toEqual(textsOf(runLine, a, b, c));
  });

  test('is lost to a run that no longer waits for its database, and is found by the next one', async () => {
    const postgres = await sharedPostgres();
    const database = await openEngine();
    const here = await checkout();
    const quit = new AbortController();
    const sleep = async () => quit.abort();
    const patience = { clock: { chance: () => 0, sleep }, quit: quit.signal };
    const first = await here.coordinate(database, { patience });
    first.append(runLine, a);
    await first.file.sync();
    await postgres.crash();
    first.append(intended('b'));
    await expect(first.file.sync()).rejects.toThrow(RecordLost);
    await first.file.close();
    await first.die();
    await postgres.restart();
    await expect(here.open('run')).rejects.toThrow(Refusal);
    await lapse(database);
    const next = await here.coordinate(database, { who: 'next' });
    expect(jobsIn(next.ledger)).toEqual([a.job]);
  });

  test.each(['drop schema shotlist cascade', 'drop table shotlist.job'])(
    'is lost after %s',
    async (text) => {
      const database = await openEngine();
      const first = await (await checkout()).coordinate(database);
      await database.sql.query(text);
      first.append(a);
      await expect(first.file.sync()).rejects.toThrow(RecordLost);
    },
  );

  test('learns what git brings into the state file', async () => {
    const database = await openEngine();
    const here = await checkout();
    const first = await here.coordinate(database);
    first.append(runLine, a);
    await first.file.sync();
    writeFileSync(here.state, `${textsOf(header, b).join('\n')}\n`);
    first.append(c);
    await first.file.sync();
    expect(await rowsOf(database, first.term)).toEqual(textsOf(runLine, a, b, c));
    expect(marksIn(here.lines())).toEqual([{ epoch: 1, creations: 0, over: false }]);
    first.file.remark();
    await first.file.sync();
    expect(marksIn(here.lines()).at(-1)).toEqual({ epoch: 1, creations: 3, over: false });
  });

  test('stays in the database if the state file cannot be written whole', async () => {
    const database = await openEngine();
    const here = await checkout();
    const first = await here.coordinate(database);
    first.append(a, runLine);
    await first.file.sync();
    mkdirSync(`${here.state}.part`);
    await expect(first.file.writeWhole()).rejects.toThrow(RecordLost);
    await first.file.close();
    await first.die();
    rmdirSync(`${here.state}.part`);
    expect(marksIn(here.lines())).toEqual([{ epoch: 1, creations: 0, over: false }]);
    const next = await here.coordinate(database);
    expect(await next.file.writeWhole()).toEqual({ ok: true });
    expect(marksIn(here.lines())).toEqual([{ epoch: 2, creations: 1, over: true }]);
  });

  test('is told of each intent, so that its creation is sent in time or not at all', async () => {
    const here = await checkout();
    const promptness = new Promptness(here.clock);
    const first = await here.coordinate(await openEngine(), { promptness });
    first.append(intended('a'), intended('b'), c);
    await first.file.sync();
    expect(promptness.isInTime('a')).toBe(true);
    here.clock.pass(8_001);
    expect(['b', 'c'].map((name) => promptness.isInTime(name))).toEqual([false, false]);
  });
});

describe('a database that is older than the mark in a state file', { tags: 'postgres' }, () => {
  test.each([
    ['fewer coordinators have begun there', true],
    ['it has fewer creations', false],
  ])('is refused, however often it is tried: %s', async (_, isEpoch) => {
    const postgres = await sharedPostgres();
    const url = await postgres.newDatabase();
    const database = await openEngine(url);
    await database.prepare();
    const here = await checkout();
    const first = await here.coordinate(database);
    first.append(runLine, a);
    await first.file.sync();
    await first.die();
    const restored = await postgres.newDatabase(url);
    const now = await openEngine(url);
    const second = await here.coordinate(now);
    if (!isEpoch) {
      // The mark of the same coordinator, later.
      second.append(b);
      second.file.remark();
      await second.file.sync();
    }
    await second.die();
    const old = await openEngine(restored);
    if (!isEpoch) await old.sql.query('update shotlist.run set marked = 2');
    for (let times = 0; times < 4; times++)
      await expect(here.coordinate(old)).rejects.toThrow(Refusal);
    const repaired = await here.rig.command([
      'repair',
      here.rig.file,
      '--hosted',
      '--service',
      'https://api.example.com',
      '--accept',
    ]);
    expect(repaired).toMatchObject({ code: 0, stderr: '' });
    const third = await here.coordinate(old);
    expect(marksIn(here.lines()).at(-1)).toMatchObject({ epoch: 3, over: false });
    expect(jobsIn(third.ledger)).toEqual([a.job]);
  });

  test('or does not have the run, is refused', async () => {
    const [database, other] = [await openEngine(), await openEngine()];
    const here = await checkout();
    await (await here.coordinate(database)).die();
    await expect(here.coordinate(other)).rejects.toThrow(Refusal);
    await expect(here.coordinate(other)).rejects.toThrow(Refusal);
    await lapse(database);
    await here.coordinate(database);
  });
});

/** A wire to the database of another connection, which can be cut between a statement and its answer. */
async function wireTo(server: string, { address }: EngineDatabase) {
  let isCutting: (() => void) | undefined;
  const sockets: Socket[] = [];
  const wire = createServer((near) => {
    const far = dial(Number(new URL(server).port), '127.0.0.1');
    sockets.push(near, far);
    near.on('data', (bytes) => far.write(bytes)).on('close', () => far.destroy());
    far.on('close', () => near.destroy()).on('error', () => near.destroy());
    near.on('error', () => far.destroy());
    far.on('data', (bytes) => {
      // The answer to the statement that writes lines.
      if (isCutting === undefined || !bytes.includes('count')) return void near.write(bytes);
      near.destroy();
      isCutting();
      isCutting = undefined;
    });
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  const url = new URL(address.url);
  const at: AddressInfo | string | null = wire.address();
  if (typeof at === 'string' || at === null) throw new Error('no port');
  url.port = `${at.port}`;
  const cut = () =>
    new Promise<void>((resolve) => {
      isCutting = resolve;
    });
  return { url: url.href, cut };
}
