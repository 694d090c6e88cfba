// Every credit that moves is in the ledger, and none moves twice.
import { describe, expect, test } from 'vitest';
import type { LocalService } from '../../../src/service/start.ts';
import { photo, service } from '../../rig.ts';
import { Client, listAt, send, textAt } from '../client.ts';

/** What the ledger adds up to. */
function sumOf(local: LocalService): number {
  return local
    .ledger()
    .reduce((sum, { kind, credits }) => sum + (kind === 'charge' ? -credits : credits), 0);
}

describe('a creation', () => {
  test('is charged when it is answered, before anything is rendered', async () => {
    const local = await service({ speed: 'realtime', after: () => () => {}, credits: 100 });
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file, 'Ann');
    expect(local.balance()).toBe(90);
    expect(local.ledger()).toEqual([
      expect.objectContaining({ seq: 1, kind: 'adjustment', credits: 100, project: null }),
      {
        seq: 2,
        account: 'local',
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        project: id,
        tool: 'face-swap-photo',
        name: 'Ann',
        kind: 'charge',
        credits: 10,
      },
    ]);
  });

  test('stays charged once when its project is complete, read and deleted', async () => {
    const local = await service({ credits: 100 });
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file);
    await client.settled('image', id);
    await client.record('image', id);
    await client.ask('DELETE', `/v1/image-projects/${id}`);
    expect(local.balance()).toBe(90);
    expect(local.ledger().map(({ kind }) => kind)).toEqual(['adjustment', 'charge']);
  });

  test('with the same name as another is a project of its own, charged on its own', async () => {
    const local = await service({ credits: 100 });
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    expect(await client.swap(file, file, 'Ann')).not.toBe(await client.swap(file, file, 'Ann'));
    expect(local.balance()).toBe(80);
  });

  test('made fifty times at once is charged exactly fifty times', async () => {
    const local = await service({ credits: 10_000 });
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const names = Array.from({ length: 50 }, (_, number) => `p${number}`);
    const ids = await Promise.all(names.map((name) => client.swap(file, file, name)));
    expect(new Set(ids).size).toBe(50);
    for (const id of ids)
      expect(await client.settled('image', id)).toMatchObject({ status: 'complete' });
    const charges = local.ledger().filter(({ kind }) => kind === 'charge');
    expect(charges.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(new Set(charges.map(({ project }) => project))).toEqual(new Set(ids));
    expect(local.balance()).toBe(9500);
    expect(sumOf(local)).toBe(9500);
    expect(local.ledger()).toHaveLength(51);
  });

  test('never takes the balance below zero, however many come at once', async () => {
    const local = await service({ credits: 95 });
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const body = { assets: { target_file_path: file, source_file_path: file } };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.ask('POST', '/v1/face-swap-photo', body)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(11);
    expect(local.balance()).toBe(5);
  });
});

describe('a picture that is none', () => {
  test.each([
    ['text', Buffer.from('I am no picture')],
    ['nothing', Buffer.alloc(0)],
    ['noise', Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) % 256))],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
  ])('made of %s ends its project in error, and the charge is refunded', async (_, content) => {
    const local = await service({ credits: 100 });
    const client = new Client(local);
    const good = await client.upload(await photo(1), 'png');
    const id = await client.swap(await client.upload(content, 'png'), good, 'Ann');
    const record = await client.settled('image', id);
    expect(record).toMatchObject({
      status: 'error',
      error: { code: 'invalid_file_format', message: expect.stringContaining('target_file_path') },
      credits_charged: 0,
      total_frame_cost: 0,
      downloads: [],
    });
    expect(local.balance()).toBe(100);
    expect(local.ledger().slice(1)).toMatchObject([
      { kind: 'charge', credits: 10, project: id, name: 'Ann' },
      { kind: 'refund', credits: 10, project: id, name: 'Ann' },
    ]);
  });

  test('that was cut short is refunded too', async () => {
    const local = await service({ credits: 100 });
    const client = new Client(local);
    const good = await client.upload(await photo(1), 'png');
    const half = (await photo(2)).subarray(0, 20);
    const id = await client.swap(await client.upload(half, 'png'), good);
    expect(await client.settled('image', id)).toMatchObject({ status: 'error' });
    expect(local.balance()).toBe(100);
  });

  test('is refunded once, also when its project is then deleted', async () => {
    const local = await service({ credits: 100 });
    const client = new Client(local);
    const bad = await client.upload(Buffer.from('no picture'), 'png');
    const id = await client.swap(bad, bad);
    await client.settled('image', id);
    expect((await client.ask('DELETE', `/v1/image-projects/${id}`)).status).toBe(204);
    expect(local.balance()).toBe(100);
    expect(local.ledger()).toHaveLength(3);
  });

  test('ends a face detection in error, which costs nothing', async () => {
    const local = await service({ credits: 100 });
    const client = new Client(local);
    const bad = await client.upload(Buffer.from('no picture'), 'png');
    expect(await client.faces(bad)).toMatchObject({ status: 'error', faces: [] });
    expect(local.ledger()).toHaveLength(1);
  });
});

test('the final charge of a video is its estimate and what the ledger adjusted', async () => {
  const local = await service({ credits: 10_000 });
  const client = new Client(local);
  const created = await client.create('image-to-video', {
    end_seconds: 4,
    assets: { image_file_path: await client.upload(await photo(1), 'png') },
  });
  const record = await client.settled('video', created.id);
  const [charge, ...others] = local.ledger().filter(({ project }) => project === created.id);
  expect(charge).toMatchObject({ kind: 'charge', credits: created['credits_charged'] });
  expect(others.every(({ kind }) => kind === 'adjustment')).toBe(true);
  const paid = others.reduce((sum, { credits }) => sum - credits, charge?.credits ?? 0);
  expect(record).toMatchObject({ credits_charged: paid, total_frame_cost: paid });
  expect(local.balance()).toBe(10_000 - paid);
});

test('ledger, balance, account and GET /hub/ledger agree after a busy time', async () => {
  const local = await service({ credits: 2000 });
  const client = new Client(local);
  const good = await client.upload(await photo(1), 'png');
  const bad = await client.upload(Buffer.from('no picture'), 'png');
  const clip = await client.upload(Buffer.from('a clip'), 'mp4', 'video');
  const images = await Promise.all(
    Array.from({ length: 20 }, (_, i) => client.swap(i % 3 === 0 ? bad : good, good, `p${i}`)),
  );
  const videos = await Promise.all(
    Array.from({ length: 3 }, (_, i) =>
      client.create('character-replace', {
        name: `v${i}`,
        end_seconds: 1 + i,
        assets: { video_file_path: clip, image_file_path: good },
      }),
    ),
  );
  const records = [
    ...(await Promise.all(images.map((id) => client.settled('image', id)))),
    ...(await Promise.all(videos.map(({ id }) => client.settled('video', id)))),
  ];
  const paid = records.reduce((sum, record) => sum + Number(record['credits_charged']), 0);
  expect(records.filter(({ status }) => status === 'error')).toHaveLength(7);
  expect(local.balance()).toBe(2000 - paid);
  expect(sumOf(local)).toBe(local.balance());
  const hub = await send(local.address, { method: 'GET', path: '/hub/ledger' });
  expect(hub.body).toEqual({ account: 'local', balance: local.balance(), entries: local.ledger() });
  expect((await client.ask('GET', '/v1/account')).body['credits']).toBe(local.balance());
  for (const record of records) {
    const own = listAt(hub.body, 'entries').filter(({ project }) => project === record['id']);
    const moved = own.reduce(
      (sum, entry) =>
        sum + (textAt(entry, 'kind') === 'charge' ? 1 : -1) * Number(entry['credits']),
      0,
    );
    expect(moved).toBe(record['credits_charged']);
  }
});
