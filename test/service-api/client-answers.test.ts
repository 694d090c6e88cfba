// Each call of the client, and what becomes of answers that are odd, are refused, or tell a secret.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';
import { ok } from '../../src/base/result.ts';
import { httpClient } from '../../src/service-api/http-client.ts';
import { FakeClock, temporaryFolder } from '../files/places.ts';
import { until } from '../rig.ts';
import { answer, serve } from './server.ts';

const png = { type: 'image', extension: 'png' } as const;

describe('an account', () => {
  test('is told with what it has', async () => {
    const server = await serve((_, response) => answer(response, 200, { credits: 7, tier: 'pro' }));
    expect(await server.client({ base: `${server.address}///` }).account()).toMatchObject({
      ok: true,
      value: { credits: 7 },
    });
    expect(server.asked).toMatchObject([{ method: 'GET', path: '/v1/account', body: '' }]);
  });

  test('that this deployment does not tell of is no failure, and any other failure is one', async () => {
    const server = await serve(({ headers }, response) =>
      answer(response, headers.authorization === 'Bearer good-key' ? 404 : 401, {}),
    );
    expect(await server.client({ key: 'good-key' }).account()).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await server.client().account()).toMatchObject({ error: { reason: 'unauthorized' } });
  });
});

describe('an upload address', () => {
  test('that does not come may come later', async () => {
    const server = await serve((_, response) => answer(response, 200, { items: [] }));
    expect(await server.client().uploadAddresses([png])).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
  });

  test('is as the service says, however many it has', async () => {
    const item = { upload_url: 'http://s/up', file_path: 'api-assets/x.png' };
    const target = { uploadUrl: item.upload_url, filePath: item.file_path };
    for (const count of [1, 3]) {
      const items = Array.from({ length: count }, () => item);
      const server = await serve((_, response) => answer(response, 200, { items }));
      expect(await server.client().uploadAddresses([png])).toEqual(ok(items.map(() => target)));
    }
  });

  test('that is refused says why', async () => {
    const server = await serve((_, response) => answer(response, 400, { message: 'no png' }));
    expect(await server.client().uploadAddresses([png])).toEqual({
      ok: false,
      error: { reason: 'refused', status: 400, message: 'no png' },
    });
  });
});

test('a deletion that is refused says why', async () => {
  const server = await serve((_, response) => answer(response, 404, { message: 'gone' }));
  expect(await server.client().deleteProject('image', 'p')).toEqual({
    ok: false,
    error: { reason: 'not-found', message: 'gone' },
  });
});

test.each([
  [200, true],
  [299, true],
  [300, false],
])('a status of %i is an answer: %s', async (status, ok) => {
  const server = await serve((_, response) => answer(response, status, { id: 'p' }));
  expect((await server.client().create('face-swap-photo', {})).ok).toBe(ok);
});

test('an answer that is not what the interface says names what is wrong with it', async () => {
  const server = await serve((_, response) => answer(response, 200, { credits_charged: 1 }));
  expect(await server.client().create('face-swap-photo', {})).toMatchObject({
    error: { message: expect.stringMatching(/^the answer is not what the interface says: .*id/) },
  });
});

describe('a secret', () => {
  const key = 'the-very-secret-key';
  /** A folder whose name holds the key, and a file in it. */
  function folderOfKey(): { readonly folder: string; readonly path: string } {
    const folder = join(temporaryFolder(), key);
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.png'), 'x');
    return { folder, path: join(folder, 'a.png') };
  }

  test('is in no answer, and in no failure', async () => {
    const server = await serve(({ path }, response) =>
      path.endsWith('no')
        ? answer(response, 400, { message: `bad ${key}` })
        : answer(response, 200, { id: `p-${key}` }),
    );
    const client = server.client({ key });
    expect(await client.create('yes', {})).toMatchObject({ value: { id: 'p-REDACTED' } });
    expect(await client.create('no', {})).toMatchObject({ error: { message: 'bad REDACTED' } });
  });

  test('is in no failure of a file', async () => {
    const server = await serve((_, response) => response.end('xyz'));
    const { folder } = folderOfKey();
    const path = join(folder, 'none', 'a.part');
    const got = await server.client({ key }).download(server.address, { path });
    expect(got.ok ? '' : got.error.message).toContain('/REDACTED/none does not exist');
  });

  test('is what the redactor knows, where one is given', async () => {
    const server = await serve((_, response) => answer(response, 400, { message: `bad ${key}` }));
    const redactor = new Redactor(['another-secret']);
    expect(await server.client({ key, redactor }).create('a', {})).toMatchObject({
      error: { message: `bad ${key}` },
    });
  });
});

test('a client that is closed holds no connection, neither to the service nor to storage', async () => {
  const open = new Set<unknown>();
  const server = await serve((_, response) => {
    const { socket } = response;
    open.add(socket);
    socket?.once('close', () => open.delete(socket));
    answer(response, 200, { id: 'p' });
  });
  const client = httpClient({ base: server.address, key: 'a-key', clock: new FakeClock() });
  await client.create('a', {});
  await client.download(server.address, { path: join(temporaryFolder(), 'a.part') });
  expect(open.size).toBe(2);
  await client.close();
  await until('both connections are closed', () => open.size === 0);
});
