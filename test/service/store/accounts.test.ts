// Accounts: each with a tier, a balance and files of its own, and keys that permit only what they were made for.
import { request } from 'node:http';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { LocalService } from '../../../src/service/start.ts';
import { photo, service } from '../../rig.ts';
import {
  addressIn,
  Client,
  download,
  listAt,
  pathOf,
  put,
  sample,
  send,
  textAt,
} from '../client.ts';
import { hub } from '../receiver.ts';

/** A client with a key of a new account. */
async function another(
  local: LocalService,
  account: { readonly tier?: string; readonly credits?: number } = {},
): Promise<Client & { readonly account: string }> {
  const { id } = await hub(local.address, '/hub/accounts', { email: 'bo@example.com', ...account });
  const key = await hub(local.address, '/hub/keys', { name: 'bo', account: `${id}` });
  const client = new Client({ address: local.address, key: textAt(key, 'key') });
  return Object.assign(client, { account: `${id}` });
}

describe('an account', () => {
  test('pays for itself only, and its ledger adds up', async () => {
    const local = await service({ credits: 100 });
    const bo = await another(local, { credits: 25 });
    const file = await bo.upload(await photo(1), 'png');
    await bo.settled('image', await bo.swap(file, file));
    await bo.settled('image', await bo.swap(file, file));
    const assets = { target_file_path: file, source_file_path: file };
    const refused = await bo.ask('POST', '/v1/face-swap-photo', { assets });
    expect([refused.status, textAt(refused.body, 'message')]).toEqual([
      402,
      'Payment required: this costs 10 credits, the account has 5.',
    ]);
    expect(local.balance()).toBe(100);
    const ledger = await hub(local.address, `/hub/ledger?account=${bo.account}`);
    expect(ledger['balance']).toBe(5);
    expect(listAt(ledger, 'entries').map(({ kind, credits }) => [kind, credits])).toEqual([
      ['adjustment', 25],
      ['charge', 10],
      ['charge', 10],
    ]);
    expect((await bo.ask('GET', '/v1/account')).body).toEqual({
      ...{ id: bo.account, email: 'bo@example.com', tier: 'pro', credits: 5, subscription: null },
    });
  });

  test('sees no project, detection or upload of another', async () => {
    const local = await service();
    const own = new Client(local);
    const bo = await another(local);
    const file = await own.upload(await photo(1), 'png');
    const id = await own.swap(file, file);
    await own.settled('image', id);
    const faces = await own.faces(file);
    const paths = [`/v1/image-projects/${id}`, `/v1/files/${textAt(faces, 'id')}/face-detection`];
    for (const path of paths) expect((await bo.ask('GET', path)).status).toBe(404);
    expect((await bo.ask('DELETE', paths[0] ?? '')).status).toBe(404);
    const assets = { target_file_path: file, source_file_path: file };
    const refused = await bo.ask('POST', '/v1/face-swap-photo', { assets });
    expect([refused.status, textAt(refused.body, 'message')]).toEqual([
      400,
      expect.stringContaining(`The path "${file}" does not exist`),
    ]);
    expect((await own.ask('GET', paths[0] ?? '')).status).toBe(200);
  });

  test('cannot use an address of another as an asset, though whoever has it may download', async () => {
    const local = await service();
    const own = new Client(local);
    const bo = await another(local);
    const file = await own.upload(await photo(1), 'png');
    const project = await own.settled('image', await own.swap(file, file));
    const [output] = listAt(project, 'downloads').map((entry) => textAt(entry, 'url'));
    const faces = await own.faces(file);
    const [crop] = listAt(faces, 'faces').map((entry) => textAt(entry, 'url'));
    for (const url of [output ?? '', crop ?? '']) {
      expect((await send(local.address, { method: 'GET', path: pathOf(url) })).status).toBe(200);
      const assets = { target_file_path: url, source_file_path: url };
      for (const [path, body] of [
        ['/v1/face-swap-photo', { assets }],
        ['/v1/files/face-detection', { assets: { target_file_path: url } }],
      ] as const) {
        const { status, body: answer } = await bo.ask('POST', path, body);
        expect([path, status, textAt(answer, 'message')]).toEqual([
          path,
          400,
          `assets.target_file_path: The URL "${url}" does not exist.`,
        ]);
        expect((await own.ask('POST', path, body)).status).toBe(200);
      }
    }
    expect((await bo.ask('GET', '/v1/account')).body).toMatchObject({ credits: 10_000 });
  });

  test('can be given credits and another tier, and never falls below zero', async () => {
    const local = await service({ credits: 100 });
    const { address } = local;
    expect(await hub(address, '/hub/accounts/local/credits', { credits: 50 })).toMatchObject({
      credits: 150,
    });
    expect(await hub(address, '/hub/accounts/local/credits', { credits: -1000 })).toMatchObject({
      credits: 0,
    });
    expect(await hub(address, '/hub/accounts/local/tier', { tier: 'free' })).toMatchObject({
      tier: 'free',
    });
    const credits = local.ledger().map((entry) => [entry.kind, entry.credits]);
    expect(credits).toEqual([
      ['adjustment', 100],
      ['adjustment', 50],
      ['adjustment', -150],
    ]);
  });
});

describe('a tier', () => {
  test('decides which resolution is answered with 403', async () => {
    const asks: readonly (readonly [string, string, number])[] = [
      ['free', '480p', 200],
      ['free', '720p', 403],
      ['creator', '720p', 200],
      ['creator', '4k', 200],
      ['pro', '4k', 200],
      ['business', '4k', 200],
    ];
    const local = await service();
    for (const [tier, resolution, status] of asks) {
      const client = await another(local, { tier, credits: 100_000 });
      const answer = await client.ask('POST', '/v1/text-to-video', {
        ...{ end_seconds: 5, resolution, model: resolution === '480p' ? 'ltx-2.3' : 'kling-3.0' },
        style: { prompt: 'a boat' },
      });
      expect([tier, resolution, answer.status]).toEqual([tier, resolution, status]);
      if (status === 403)
        expect(answer.body).toEqual({
          message: expect.stringMatching(`resolution ${resolution} .* the ${tier} plan`),
        });
    }
  });

  test('bounds the longer side of an output: 576 px on a free plan, 1472 on pro', async () => {
    const local = await service();
    const sizes = [];
    for (const tier of ['free', 'pro']) {
      const client = await another(local, { tier });
      const file = await client.upload(sample(3));
      const record = await client.settled('image', await client.swap(file, file));
      const { bytes } = await download(addressIn(record));
      const { width, height } = await sharp(bytes).metadata();
      expect([record['width'], record['height']]).toEqual([width, height]);
      sizes.push(Math.max(width, height));
    }
    expect(sizes[0]).toBe(576);
    expect(sizes[1]).toBeGreaterThan(576);
    expect(sizes[1]).toBeLessThanOrEqual(1472);
  });

  test('decides which model is the default, and so the price', async () => {
    const local = await service();
    const body = { end_seconds: 1, resolution: '480p', style: { prompt: 'a boat' } };
    const free = await another(local, { tier: 'free' });
    const created = await free.create('text-to-video', body);
    expect(created['credits_charged']).toBe(24);
  });

  test('bounds an upload before its bytes come', async () => {
    const local = await service({ tier: 'free' });
    const [place] = await new Client(local).uploadAddresses('video', 'mp4');
    const { port } = new URL(local.address);
    const answer = await new Promise<string>((resolve, reject) => {
      const sending = request({
        ...{ port, method: 'PUT', path: pathOf(place?.url ?? '') },
        headers: { 'content-length': 200_000_001 },
      });
      sending.on('response', (response) => {
        let text = `${response.statusCode} `;
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => {
          sending.destroy();
          resolve(text);
        });
      });
      sending.on('error', reject);
      sending.write('the first bytes');
    });
    expect(answer).toBe(
      '413 {"message":"The file is too large: the free plan takes up to 200 MB."}',
    );
  });
});

describe('a key', () => {
  test('is shown once, listed by its end, and kept as a hash only', async () => {
    const local = await service();
    const made = await hub(local.address, '/hub/keys', { name: 'laptop' });
    const key = textAt(made, 'key');
    const { keys } = await hub(local.address, '/hub/keys');
    expect(JSON.stringify(keys)).not.toContain(key);
    expect(keys).toEqual([
      expect.objectContaining({ name: 'made at start', last4: local.key.slice(-4) }),
      {
        ...{ id: 2, name: 'laptop', last4: key.slice(-4), account: 'local', revoked_at: null },
        permissions: ['upload', 'create', 'read', 'delete'],
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
  });
});

test('an upload address belongs to the account that asked for it', async () => {
  const local = await service();
  const bo = await another(local);
  const [place] = await new Client(local).uploadAddresses('image', 'png');
  const changed = (place?.url ?? '').replace('account=local', `account=${bo.account}`);
  expect((await put(changed, await photo(1))).status).toBe(403);
  expect((await put(place?.url ?? '', await photo(1))).status).toBe(200);
  const without = (place?.url ?? '').replace('&account=local', '');
  expect((await send(local.address, { method: 'PUT', path: pathOf(without) })).status).toBe(403);
});
