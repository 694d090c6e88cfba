// interface.md, Authentication: each numbered sentence, on every endpoint that it is about.
// Left out: that the user of the hub is signed in (this hub is open to its own machine only), that keys are kept out of
// client-side code, and that usage analytics are for usage-based plans only: no document says which plans those are.
// The list of permission options is not shown; those tested are this service's own.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { LocalService } from '../../../src/service/start.ts';
import { photo } from '../../rig.ts';
import { Client, listAt, send, textAt } from '../client.ts';
import { creations, hub, isoTime, messageOf, otherEndpoints, requestFor } from './door.ts';
import { oneSlow, slow } from './stage.ts';

type Method = 'GET' | 'POST' | 'DELETE';

const every: readonly (readonly [Method, string])[] = [
  ...creations.map(([tool]): [Method, string] => ['POST', `/v1/${tool}`]),
  ...otherEndpoints,
];

/** A new key: what the hub answered, and a client that uses it. */
async function newKey(local: LocalService, name: string, permissions?: readonly string[]) {
  const asked: JsonObject = permissions === undefined ? { name } : { name, permissions };
  const answer = await hub(local, 'POST', '/hub/keys', asked);
  expect(answer.status).toBe(201);
  const key = textAt(answer.body, 'key');
  const client = new Client({ address: local.address, key });
  return { key, id: Number(answer.body['id']), row: answer.body, client };
}

const knock = (local: LocalService, method: Method, path: string, authorization?: string) =>
  send(local.address, {
    method,
    path,
    headers: authorization === undefined ? {} : { authorization },
  });

describe('interface.md, Authentication 1: the header', () => {
  const shared = oneSlow();

  test.each(every)(
    'every request carries Authorization: Bearer <API_KEY>: %s %s',
    async (method, path) => {
      const { local } = shared();
      expect(messageOf(await knock(local, method, path), 401)).toBe('Unauthorized');
      const letIn = await knock(local, method, path, `Bearer ${local.key}`);
      expect([400, 404]).toContain(letIn.status);
    },
  );
});

describe('interface.md, Authentication 2: making a key', () => {
  test('is created in the developer hub, with a descriptive name and chosen permissions', async () => {
    const { local } = await slow();
    const { row, client } = await newKey(local, 'nightly batch', ['read', 'create']);
    expect(row).toMatchObject({ name: 'nightly batch' });
    expect(new Set(Array.isArray(row['permissions']) ? row['permissions'] : [])).toEqual(
      new Set(['read', 'create']),
    );
    expect((await client.ask('GET', '/v1/account')).status).toBe(200);
  });

  test('needs a name', async () => {
    const { local } = await slow();
    expect(messageOf(await hub(local, 'POST', '/hub/keys', {}), 400)).toMatch(/name/);
  });

  test.each([
    ['upload', 'POST', '/v1/files/generate-upload-urls'],
    ['upload', 'POST', '/v1/files/face-detection'],
    ['create', 'POST', '/v1/face-swap-photo'],
    ['create', 'POST', '/v1/character-replace'],
    ['read', 'GET', '/v1/image-projects/none'],
    ['read', 'GET', '/v1/files/none/face-detection'],
    ['delete', 'DELETE', '/v1/image-projects/none'],
  ] as const)('its permissions are chosen: %s opens %s %s', async (permission, method, path) => {
    const { local } = await slow();
    const others = ['upload', 'create', 'read', 'delete'].filter((name) => name !== permission);
    const [allowed, denied] = [
      await newKey(local, 'with it', [permission]),
      await newKey(local, 'without it', others),
    ];
    messageOf(await denied.client.ask(method, path), 403);
    expect([400, 404]).toContain((await allowed.client.ask(method, path)).status);
  });

  test('the full key is displayed once only', async () => {
    const { local } = await slow();
    const { key, id } = await newKey(local, 'shown once');
    for (const path of ['/hub', '/hub/keys', `/hub/keys/${id}`]) {
      const page = { method: 'GET', path, headers: { accept: 'text/html' } } as const;
      for (const { bytes } of [await hub(local, 'GET', path), await send(local.address, page)])
        expect(bytes.toString()).not.toContain(key);
    }
  });

  test('a lost key cannot be recovered; a new key is created', async () => {
    const { local } = await slow();
    const [lost, again] = [await newKey(local, 'batch'), await newKey(local, 'batch')];
    expect(again.key).not.toBe(lost.key);
    expect((await again.client.ask('GET', '/v1/account')).status).toBe(200);
  });
});

describe('interface.md, Authentication 3: the key list', () => {
  test('shows the name, the last 4 characters and the creation time of each key', async () => {
    const { local, clock } = await slow();
    const made = [await newKey(local, 'one'), await newKey(local, 'two')];
    const { body } = await hub(local, 'GET', '/hub/keys');
    for (const { key, row } of made)
      expect(listAt(body, 'keys').find(({ name }) => name === row['name'])).toMatchObject({
        last4: key.slice(-4),
        created_at: new Date(clock.now()).toISOString(),
      });
    for (const row of listAt(body, 'keys'))
      expect(row).toMatchObject({ last4: expect.stringMatching(/^.{4}$/), created_at: isoTime });
  });
});

describe('interface.md, Authentication 4: revoking', () => {
  test('a key can be deleted (revoked), and stops working immediately', async () => {
    const { local } = await slow();
    const { id, client } = await newKey(local, 'soon gone');
    expect((await client.ask('GET', '/v1/account')).status).toBe(200);
    expect((await hub(local, 'POST', `/hub/keys/${id}/revoke`, {})).status).toBe(200);
    expect((await client.ask('GET', '/v1/account')).status).toBe(401);
  });

  test('requests made with a revoked key get authentication errors, and cost nothing', async () => {
    const { local, client: owner } = await slow({ credits: 100 });
    const { id, client } = await newKey(local, 'soon gone');
    const body = await requestFor(owner, 'photo-colorizer');
    await client.create('photo-colorizer', body);
    await hub(local, 'POST', `/hub/keys/${id}/revoke`, {});
    const refused = await client.ask('POST', '/v1/photo-colorizer', body);
    expect(messageOf(refused, 401)).toBe('Unauthorized');
    expect(local.balance()).toBe(90);
  });
});

describe('interface.md, Authentication 5: HTTP 401 with the message Unauthorized', () => {
  test.each([
    ['a missing key', undefined],
    ['an empty header', ''],
    ['a badly formed header: only the scheme', 'Bearer'],
    ['a badly formed header: the key alone', 'KEY'],
    ['a badly formed header: another scheme', 'Basic KEY'],
    ['a badly formed header: two keys', 'Bearer KEY KEY'],
    ['a badly formed header: a comma', 'Bearer KEY,'],
    ['an invalid key', 'Bearer sl_this_was_never_made'],
    ['an invalid key: too short', 'Bearer SHORT'],
    ['an invalid key: another case', 'Bearer UPPER'],
  ])('%s', async (_, header) => {
    const { local } = await slow();
    const authorization = header
      ?.replaceAll('KEY', local.key)
      .replace('SHORT', local.key.slice(0, -1))
      .replace('UPPER', local.key.toUpperCase());
    for (const [method, path] of every)
      expect(messageOf(await knock(local, method, path, authorization), 401)).toBe('Unauthorized');
  });

  test('a revoked key', async () => {
    const { local } = await slow();
    const { id, key } = await newKey(local, 'gone');
    await hub(local, 'POST', `/hub/keys/${id}/revoke`, {});
    for (const [method, path] of every) {
      const answer = await knock(local, method, path, `Bearer ${key}`);
      expect(messageOf(answer, 401)).toBe('Unauthorized');
    }
  });
});

describe('interface.md, Authentication 6 and 7', () => {
  test('rotation: create a new key, switch applications over, revoke the old key', async () => {
    const { local } = await slow();
    const old = await newKey(local, 'old');
    const file = await old.client.upload(await photo(1), 'png');
    const id = await old.client.swap(file, file);
    const { client } = await newKey(local, 'new');
    for (const either of [old.client, client])
      expect(await either.record('image', id)).toMatchObject({ id });
    await hub(local, 'POST', `/hub/keys/${old.id}/revoke`, {});
    expect((await old.client.ask('GET', `/v1/image-projects/${id}`)).status).toBe(401);
    // The account is the same: its projects and uploads are there for the new key.
    expect(await client.record('image', id)).toMatchObject({ id });
    expect(await client.swap(file, file)).not.toBe(id);
  });

  test('usage analytics (credit use) are shown in the developer hub', async () => {
    const { local, client } = await slow({ credits: 100 });
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file);
    const { body } = await hub(local, 'GET', '/hub/ledger');
    expect(body['balance']).toBe(90);
    expect(listAt(body, 'entries').find(({ project }) => project === id)).toMatchObject({
      kind: 'charge',
      credits: 10,
    });
  });
});
