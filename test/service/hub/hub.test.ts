// The hub over HTTP: the same facts as JSON and as a page, changes by JSON and by form, and nobody else let in.
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../../src/base/json.ts';
import { photo, service } from '../../rig.ts';
import { type Answer, Client, listAt, send } from '../client.ts';
import { hub } from '../receiver.ts';

const paths = [
  '/hub',
  ...['projects', 'ledger', 'accounts', 'keys', 'webhooks', 'deliveries', 'faults'].map(
    (name) => `/hub/${name}`,
  ),
];

const page = (address: string, path: string): Promise<Answer> =>
  send(address, { method: 'GET', path, headers: { accept: 'text/html,*/*' } });

const form = (address: string, path: string, fields: Readonly<Record<string, string>>) =>
  send(address, {
    ...{ method: 'POST', path, body: new URLSearchParams(fields).toString() },
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
  });

describe('every path', () => {
  test.each(paths)('%s is a page for a browser and JSON for a program', async (path) => {
    const { address } = await service();
    const json = await send(address, { method: 'GET', path });
    expect([json.status, json.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    const html = await page(address, path);
    expect([html.status, html.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html.bytes.toString()).toMatch(/^<!doctype html><html lang="en">/);
    expect(html.bytes.toString()).not.toMatch(/<script|javascript:|style="/);
    expect(html.headers['content-security-policy']).toMatch(/default-src 'none'/);
  });
});

describe('projects', () => {
  test('are listed newest first, in pages, by status and account', async () => {
    const local = await service({ speed: 'realtime' });
    const client = new Client(local);
    const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };
    const ids: string[] = [];
    for (let count = 0; count < 3; count++)
      ids.push((await client.create('ai-voice-generator', voice)).id);
    const listed = async (query: string): Promise<readonly unknown[]> =>
      listAt(await hub(local.address, `/hub/projects${query}`), 'projects').map(({ id }) => id);
    expect(await listed('')).toEqual([...ids].reverse());
    expect(await listed('?limit=2')).toEqual([ids[2], ids[1]]);
    expect(await listed('?before=2')).toEqual([ids[0]]);
    expect(await listed('?status=complete')).toEqual([]);
    expect(await listed('?account=none')).toEqual([]);
  });

  test('show their request and their events', async () => {
    const local = await service();
    const { id } = await new Client(local).create('text-to-video', {
      end_seconds: 3,
      style: { prompt: 'a boat' },
    });
    const details = await hub(local.address, `/hub/projects/${id}`);
    expect(details).toMatchObject({ id, tool: 'text-to-video', account: 'local', deliveries: [] });
    expect(details['body']).toMatchObject({ end_seconds: 3, style: { prompt: 'a boat' } });
  });

  test('that failed say why, in the place of a picture', async () => {
    const local = await service({
      faults: { faults: [{ fault: 'job-error', on: '*', code: 'no_source_face' }] },
    });
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file);
    const { error } = await client.settled('image', id);
    const message = isObject(error) ? `${error['message']}` : 'none';
    for (const path of ['/hub', '/hub/projects']) {
      const html = (await page(local.address, path)).bytes.toString();
      expect(html).toContain(`<span class="why">${message}</span>`);
    }
  });

  test('can be canceled until they end: refunded, or not', async () => {
    const local = await service({ speed: 'realtime', credits: 1000 });
    const client = new Client(local);
    const clip = { end_seconds: 1, resolution: '480p', model: 'ltx-2.3', style: { prompt: 'x' } };
    const first = await client.create('text-to-video', clip);
    const second = await client.create('text-to-video', clip);
    expect(local.balance()).toBe(1000 - 24 - 24);
    await hub(local.address, `/hub/projects/${first.id}/cancel`, {});
    expect(local.balance()).toBe(1000 - 24);
    await hub(local.address, `/hub/projects/${second.id}/cancel`, { refund: false });
    expect(local.balance()).toBe(1000 - 24);
    expect(await client.record('video', first.id)).toMatchObject({
      ...{ status: 'canceled', credits_charged: 0, downloads: [], error: null },
    });
    expect((await client.record('video', second.id))['credits_charged']).toBe(24);
    const again = await send(local.address, {
      method: 'POST',
      path: `/hub/projects/${first.id}/cancel`,
    });
    expect([again.status, again.body]).toEqual([
      409,
      { message: 'The project has already ended: canceled.' },
    ]);
  });
});

test('looking at pictures in the hub uses up no fault', async () => {
  const local = await service({ faults: { faults: [{ fault: 'unavailable', on: 'GET /down*' }] } });
  const client = new Client(local);
  const file = await client.upload(await photo(1), 'png');
  const id = await client.swap(file, file);
  await client.settled('image', id);
  const html = (await page(local.address, `/hub/projects/${id}`)).bytes.toString();
  const [, picture = ''] = /<img src="([^"]+)"/.exec(html) ?? [];
  const answer = await send(local.address, { method: 'GET', path: picture });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/png']);
  for (const other of ['1', '-1', '00000000', 'x', '0%2f..%2f..%2fservice.sqlite']) {
    const path = `/hub/projects/${id}/outputs/${other}`;
    expect([other, (await send(local.address, { method: 'GET', path })).status]).toEqual([
      other,
      404,
    ]);
  }
  const [state] = listAt(await hub(local.address, '/hub/faults'), 'faults');
  expect(state).toMatchObject({ matched: 0 });
});

describe('a form', () => {
  test('makes a key, which its page shows once', async () => {
    const { address } = await service();
    const made = await form(address, '/hub/keys', { name: 'laptop', permissions: 'read' });
    expect(made.status).toBe(201);
    const key = /sl_[\w-]{32}/.exec(made.bytes.toString())?.[0] ?? '';
    const client = new Client({ address, key });
    expect((await client.ask('GET', '/v1/account')).status).toBe(200);
    expect((await client.ask('DELETE', '/v1/image-projects/x')).status).toBe(403);
    expect((await page(address, '/hub/keys')).bytes.toString()).not.toContain(key);
  });

  test('leads back to the page when it is done', async () => {
    const { address } = await service();
    const given = await form(address, '/hub/accounts/local/credits', { credits: '5' });
    expect([given.status, given.headers['location']]).toEqual([303, '/hub/accounts']);
    const faults = 'faults:\n  - { fault: job-hang }\n';
    expect((await form(address, '/hub/faults', { faults })).status).toBe(303);
    expect(listAt(await hub(address, '/hub/faults'), 'faults')).toHaveLength(1);
  });

  test('that is wrong says what is', async () => {
    const { address } = await service();
    const wrong = await form(address, '/hub/accounts/local/credits', { credits: 'many' });
    expect([wrong.status, wrong.headers['content-type']]).toEqual([
      400,
      'text/html; charset=utf-8',
    ]);
    expect(wrong.bytes.toString()).toContain(
      'Invalid request: credits must be integer, not &quot;many&quot;.',
    );
    const faults = await form(address, '/hub/faults', { faults: 'faults:\n  - { fault: fire }\n' });
    expect(faults.bytes.toString()).toMatch(/line 2: faults\[0\]\.fault must be one of/);
    const missing = await page(address, '/hub/nothing');
    expect([missing.status, missing.bytes.toString()]).toEqual([
      404,
      expect.stringContaining('<h1>Not Found</h1>'),
    ]);
    const program = await send(address, { method: 'GET', path: '/hub/nothing' });
    expect([program.status, program.body]).toEqual([404, { message: 'Not Found' }]);
  });
});

describe('the hub lets in', () => {
  const elsewhere = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  test.skipIf(elsewhere === undefined)(
    'nobody from another machine, wherever it listens (skipped where this one has no other address)',
    async () => {
      const local = await service({ host: '0.0.0.0' });
      const outside = local.address.replace('127.0.0.1', elsewhere ?? '');
      const headers = { host: 'localhost' };
      expect((await send(outside, { method: 'GET', path: '/hub/keys', headers })).status).toBe(403);
      expect(
        (await new Client({ ...local, address: outside }).ask('GET', '/v1/account')).status,
      ).toBe(200);
    },
  );
});
