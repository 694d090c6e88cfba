import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sharedPostgres, startPostgres } from './postgres.ts';
import { isRunning } from './process-tree.ts';
import { until } from './rig.ts';
import { longTest } from './sweep.ts';

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // A crash ends the connection: the test expects it.
  client.on('error', () => undefined);
  onTestFinished(() => client.end());
  await client.connect();
  return client;
}

describe('a Postgres for tests', { tags: 'postgres' }, () => {
  test('keeps a committed row, and no other, through a crash', async () => {
    const postgres = await sharedPostgres();
    const url = await postgres.newDatabase();
    const before = await connected(url);
    await before.query('create table kept(row int)');
    await before.query('insert into kept values (1)');
    await before.query('begin; insert into kept values (2)');
    await postgres.crash();
    await expect(before.query('commit')).rejects.toThrow();
    await expect(connected(url)).rejects.toThrow('ECONNREFUSED');
    await postgres.restart();
    const after = await connected(url);
    expect((await after.query('select row from kept')).rows).toEqual([{ row: 1 }]);
    const settings = await after.query(
      "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') order by name",
    );
    expect(settings.rows).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
    ]);
  });

  test('has databases that are separate', async () => {
    const postgres = await sharedPostgres();
    const [one, other] = [await postgres.newDatabase(), await postgres.newDatabase()];
    await (await connected(one)).query('create table only_here(row int)');
    const asked = (await connected(other)).query('select * from only_here');
    await expect(asked).rejects.toThrow('relation "only_here" does not exist');
  });

  longTest('wants its password if it has one, and leaves nothing behind', async () => {
    const password = 'one: two/three';
    const postgres = await startPostgres({ password });
    onTestFinished(() => postgres.stop());
    const client = await connected(await postgres.newDatabase());
    const { rows } = await client.query(
      "select setting from pg_settings where name = 'data_directory'",
    );
    const withoutPassword = postgres.url.replace(`:${encodeURIComponent(password)}`, '');
    await expect(connected(withoutPassword)).rejects.toThrow('password');
    const folder = `${rows[0]?.setting}`;
    expect(existsSync(folder)).toBe(true);
    await postgres.stop();
    expect(existsSync(folder)).toBe(false);
  });

  longTest('ends when the process that started it is killed', async () => {
    const file = fileURLToPath(new URL('postgres.ts', import.meta.url));
    const script = `
      import { Client } from 'pg';
      import { readFileSync } from 'node:fs';
      const { startPostgres } = await import(${JSON.stringify(file)});
      const client = new Client({ connectionString: (await startPostgres()).url });
      await client.connect();
      const { rows } = await client.query('show data_directory');
      const folder = rows[0].data_directory;
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
