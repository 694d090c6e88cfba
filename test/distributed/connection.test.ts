import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../src/core/clock.ts';
import {
  bossDb,
  bossOver,
  connect,
  DatabaseAway,
  DatabaseRefused,
  retryWhileAway,
  type Sql,
} from '../../src/distributed/connection.ts';
import { sharedPostgres } from '../postgres.ts';
import { isRunning } from '../process-tree.ts';
import { until } from '../rig.ts';
import { longTest } from '../sweep.ts';

async function connected(url: string): Promise<Sql> {
  const sql = await connect(url, 4);
  onTestFinished(() => sql.close());
  return sql;
}

describe('a connection to Postgres', { tags: 'postgres' }, () => {
  test('a crash loses what was not committed, and the next call waits for the server', async () => {
    const postgres = await sharedPostgres();
    const sql = await connected(await postgres.newDatabase());
    await sql.query('create table kept(row int); insert into kept values (1)');
    const cut = sql.transaction(async (within) => {
      await within.query('insert into kept values ($1)', [2]);
      await postgres.crash();
    });
    await expect(cut).rejects.toThrow(DatabaseAway);
    const pauses: DatabaseAway[] = [];
    const quit = new AbortController().signal;
    const after = retryWhileAway(
      { clock: realClock, quit, onAway: (error) => pauses.push(error) },
      () => sql.query('select row from kept'),
    );
    await until('the call has found nobody', () => pauses.length > 0);
    await postgres.restart();
    expect(await after).toEqual([{ row: 1 }]);
  });

  test('what throws within a transaction rolls it back', async () => {
    const sql = await connected(await (await sharedPostgres()).newDatabase());
    await sql.query('create table kept(row int)');
    const work = sql.transaction(async (within) => {
      await within.query('insert into kept values (1)');
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await sql.query('select row from kept')).toEqual([]);
  });

  test('two transactions that wait for each other: one of them may be repeated', async () => {
    const sql = await connected(await (await sharedPostgres()).newDatabase());
    await sql.query('create table kept(row int); insert into kept values (1), (2)');
    const has = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const both = [0, 1].map((own) =>
      sql.transaction(async (within) => {
        const lock = 'select row from kept where row = $1 for update';
        await within.query(lock, [1 + own]);
        has[own]?.resolve();
        await has[1 - own]?.promise;
        await within.query(lock, [2 - own]);
      }),
    );
    const ends = await Promise.allSettled(both);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const failed = ends.find((end) => end.status === 'rejected');
    expect(failed?.reason).toBeInstanceOf(DatabaseAway);
  });

  test.each([
    ['a database that is not there', 'postgres', 'nowhere', 'select 1'],
    ['a role that is not there', 'nobody_of_them', 'postgres', 'select 1'],
    ['tables that are not there', 'postgres', 'postgres', 'select 1 from shotlist.run'],
  ])('%s is a matter for a person', async (_, role, database, text) => {
    const { host } = new URL((await sharedPostgres()).url);
    const sql = await connected(`postgres://${role}@${host}/${database}`);
    await expect(sql.query(text)).rejects.toThrow(DatabaseRefused);
  });

  test('the queue works over the same connections, and within a transaction', async () => {
    const sql = await connected(await (await sharedPostgres()).newDatabase());
    const boss = await bossOver(sql, 'queue_of_test');
    await boss.start();
    await boss.createQueue('errands');
    const cut = sql.transaction(async (within) => {
      await boss.send('errands', { do: 'digest' }, { db: bossDb(within) });
      throw new Error('no');
    });
    await expect(cut).rejects.toThrow('no');
    await boss.send('errands', { do: 'upload' });
    expect((await boss.fetch('errands', { batchSize: 9 })).map(({ data }) => data)).toEqual([
      { do: 'upload' },
    ]);
    await boss.stop({ close: false, graceful: false });
  });

  longTest('the server of a test ends with the process that started it', async () => {
    const file = fileURLToPath(new URL('../postgres.ts', import.meta.url));
    const script = `
      import { readFileSync } from 'node:fs';
      const { query, startPostgres } = await import(${JSON.stringify(file)});
      const [{ data_directory: folder }] = await query((await startPostgres()).url, 'show data_directory');
      console.log(JSON.stringify([folder, Number(readFileSync(folder + '/postmaster.pid', 'utf8').split('\\n')[0])]));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said]: readonly Buffer[] = await once(child.stdout, 'data');
    const [folder, pid]: readonly [string, number] = JSON.parse(`${said}`);
    expect(isRunning(pid)).toBe(true);
    child.kill('SIGKILL');
    await until('the server is gone', () => !isRunning(pid) && !existsSync(folder));
  });
});
