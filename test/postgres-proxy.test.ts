// The two sides of a commit: the client sees the same error, and the row is there or it is not.
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  openPostgresProxy,
  type PostgresProxy,
  type PostgresProxyOptions,
  type WireMoment,
} from '../torture/postgres-proxy.ts';
import { sharedPostgres } from './postgres.ts';
import { until } from './rig.ts';

interface Wired {
  readonly proxy: PostgresProxy;
  /** Connected by way of the proxy. */
  readonly client: Client;
  /** The rows of the table, as another connection sees them. */
  rows(): Promise<readonly number[]>;
  /** The same database by way of another proxy, and its table without rows. */
  again(options: PostgresProxyOptions): Promise<Wired>;
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // A cut ends the connection; the query in flight says so.
  client.on('error', () => undefined);
  onTestFinished(() => client.end());
  await client.connect();
  return client;
}

async function wired(options: PostgresProxyOptions): Promise<Wired> {
  const url = await (await sharedPostgres()).newDatabase();
  const direct = await connected(url);
  await direct.query('create table kept(row int)');
  const again = async (other: PostgresProxyOptions): Promise<Wired> => {
    await direct.query('truncate kept');
    const proxy = await openPostgresProxy(url, other);
    onTestFinished(() => proxy.close());
    const rows = async (): Promise<readonly number[]> =>
      (await direct.query<{ row: number }>('select row from kept')).rows.map(({ row }) => row);
    return { proxy, client: await connected(proxy.url), rows, again };
  };
  return await again(options);
}

async function insert(client: Client, row: number, commit: () => Promise<unknown>): Promise<void> {
  await client.query('begin');
  await client.query('insert into kept values ($1)', [row]);
  await commit();
}

const cutting =
  (at: WireMoment['at'], commit: number) =>
  (moment: WireMoment): 'pass' | 'cut' =>
    moment.at === at && moment.commit === commit ? 'cut' : 'pass';

/** The ways in which a client commits: as a text, and in the extended protocol. */
const ways = {
  'a simple query': (client: Client) => () => client.query('commit'),
  'a prepared statement': (client: Client) => () =>
    client.query({ name: 'done', text: 'END WORK;', values: [] }),
  'several statements': (client: Client) => () =>
    client.query('insert into kept values (7); commit;'),
} as const;

describe('a wire to Postgres', { tags: 'postgres' }, () => {
  describe.each(Object.entries(ways))('with a commit by %s', (_, way) => {
    test('that is cut before the server sees it: the row is absent', async () => {
      const { proxy, client, rows } = await wired({ script: cutting('commit', 2) });
      await insert(client, 1, way(client));
      await expect(insert(client, 2, way(client))).rejects.toThrow(/ECONNRESET|terminated/);
      expect(await rows()).not.toContain(2);
      expect(await rows()).toContain(1);
      expect(proxy.commits()).toEqual({ sent: 2, done: 1 });
    });

    test('that is cut before its answer: the row is present, and the client has the same error', async () => {
      const { proxy, client, rows } = await wired({ script: cutting('committed', 2) });
      await insert(client, 1, way(client));
      await expect(insert(client, 2, way(client))).rejects.toThrow(/ECONNRESET|terminated/);
      expect(await rows()).toEqual(expect.arrayContaining([1, 2]));
      expect(proxy.commits()).toEqual({ sent: 2, done: 2 });
    });
  });

  test('is delayed as long as the script says', async () => {
    const held = Promise.withResolvers<'pass'>();
    const { proxy, client, rows } = await wired({ script: () => held.promise });
    const inserted = insert(client, 1, () => client.query('commit'));
    await until('the commit is sent', () => proxy.commits().sent === 1);
    expect(await rows()).toEqual([]);
    held.resolve('pass');
    await inserted;
    expect(await rows()).toEqual([1]);
  });

  test('passes nothing while it is frozen', async () => {
    const { proxy, client } = await wired({});
    proxy.freeze();
    const before = proxy.passed();
    const asked = client.query('select 1 as one');
    const other = await connected((await sharedPostgres()).url);
    await other.query('select 1');
    expect(proxy.passed()).toEqual(before);
    proxy.thaw();
    expect((await asked).rows).toEqual([{ one: 1 }]);
    proxy.cut();
    await expect(client.query('select 1')).rejects.toThrow();
  });

  test('does not take for a commit what is none', async () => {
    const { proxy, client } = await wired({});
    await client.query("do $$ begin perform 'commit'; end $$");
    await client.query('begin');
    await client.query('select nothing').catch(() => undefined);
    expect((await client.query('commit')).command).toBe('ROLLBACK');
    expect(proxy.commits()).toEqual({ sent: 1, done: 0 });
    await client.query('select $1::int', [1]);
    await insert(client, 1, () => client.query('COMMIT AND NO CHAIN'));
    expect(proxy.commits()).toEqual({ sent: 2, done: 1 });
  });

  test.each(['server', 'client'] as const)(
    'is cut at any byte on the way to the %s: the client has an error, whether the row is kept or not',
    async (to) => {
      const measured = await wired({});
      const start = measured.proxy.passed()[to];
      await insert(measured.client, 1, () => measured.client.query('commit'));
      const bytes = measured.proxy.passed()[to] - start;
      let kept = 0;
      for (let byte = start; byte < start + bytes; byte += 7) {
        const { client, rows } = await measured.again({ cutAt: { to, byte } });
        await expect(insert(client, 1, () => client.query('commit'))).rejects.toThrow();
        kept += (await rows()).length;
      }
      // Towards the server, the last byte that is missing is one of the commit.
      if (to === 'server') expect(kept).toBe(0);
      else expect(kept).toBeGreaterThan(0);
      const { client, rows } = await measured.again({ cutAt: { to, byte: start + bytes } });
      await insert(client, 1, () => client.query('commit'));
      expect(await rows()).toEqual([1]);
    },
  );
});
