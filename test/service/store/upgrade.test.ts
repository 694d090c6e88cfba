// A data folder that an earlier version made goes on in this one; one of a later version is refused untouched.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { adoptFolder } from '../../../src/contract/files/owner.ts';
import { startService } from '../../../src/service/start.ts';
import { migrations } from '../../../src/service/store/migrations.ts';
import { service } from '../../rig.ts';
import { Client } from '../client.ts';
import { dataFolder } from '../killable.ts';
import { hub } from '../receiver.ts';

const at = Date.parse('2026-11-01T10:00:00Z');

/** A database as the first version left it: one account, one key, one finished project. */
function firstVersion(data: string, key: string): void {
  const database = new DatabaseSync(join(data, 'service.sqlite'));
  database.exec(migrations[0] ?? '');
  const hash = createHash('sha256').update(key).digest('hex');
  const put = (sql: string, ...values: readonly (string | number)[]): void => {
    database.prepare(sql).run(...values);
  };
  put('INSERT INTO accounts VALUES (?, ?, ?, ?)', 'local', 'you@localhost', 'pro', 90);
  put(
    'INSERT INTO keys (hash, name, last4, created_at) VALUES (?, ?, ?, ?)',
    ...[hash, 'made at start', key.slice(-4), at],
  );
  const entry =
    'INSERT INTO ledger (at, project, tool, name, kind, credits) VALUES (?, ?, ?, ?, ?, ?)';
  database.prepare(entry).run(at, null, null, null, 'adjustment', 100);
  put(entry, at, 'p1', 'photo-colorizer', 'Ann', 'charge', 10);
  put(
    `INSERT INTO projects (id, name, tool, record, type, status, credits, estimated, body, inputs, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[
      'p1',
      'Ann',
      'photo-colorizer',
      'image',
      'PHOTO_COLORIZER',
      'complete',
      10,
      0,
      '{}',
      '[]',
      at,
    ],
  );
  database.close();
}

test('a data folder of the first version keeps its account, key, ledger and projects', async () => {
  const data = dataFolder();
  const key = 'sl_of_the_first_version';
  firstVersion(data, key);
  await expect(startService({ data })).rejects.toThrow(/shotlist trust --folder/);
  adoptFolder(data);
  const local = await service({ data, credits: 5 });
  const client = new Client({ address: local.address, key });
  expect((await client.ask('GET', '/v1/account')).body).toMatchObject({ credits: 90 });
  expect(await client.record('image', 'p1')).toMatchObject({ name: 'Ann', status: 'complete' });
  expect(local.ledger().map(({ account, kind, credits }) => [account, kind, credits])).toEqual([
    ['local', 'adjustment', 100],
    ['local', 'charge', 10],
  ]);
  expect(await hub(local.address, '/hub/webhooks')).toEqual({ webhooks: [] });
  await local.close();
  // And again: what is up to date is left as it is.
  expect((await service({ data })).balance()).toBe(90);
});

test('a data folder of a later version is refused', async () => {
  const data = dataFolder();
  await (await service({ data })).close();
  const database = new DatabaseSync(join(data, 'service.sqlite'));
  database.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  database.close();
  await expect(startService({ data })).rejects.toThrow(/a newer version of shotlist made it/);
});
