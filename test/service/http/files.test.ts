// Presigned addresses: what they give and take, for how long, and in which parts.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RecordKind } from '../../../src/contract/api/project.ts';
import { photo, service, until } from '../../rig.ts';
import { addressIn, Client, download, pathOf, put, send, smallSample } from '../client.ts';
import { clockwork } from '../clockwork.ts';

const day = 24 * 3_600_000;

/** A finished swap: its download address and its bytes. */
async function finished(client: Client): Promise<{ id: string; url: string; bytes: Buffer }> {
  const file = await client.upload(await photo(1), 'png');
  const id = await client.swap(file, file);
  const url = addressIn(await client.settled('image', id));
  return { id, url, bytes: (await download(url)).bytes };
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('an address', () => {
  test('that has expired takes no upload', async () => {
    const clock = clockwork();
    const client = new Client(await service({ now: clock.now, addressLifetimeMs: 1000 }));
    const [place] = await client.uploadAddresses('image', 'png');
    clock.pass(1000);
    const late = await put(place?.url ?? '', await photo(1));
    expect([late.status, late.body]).toEqual([
      403,
      { message: 'This upload address has expired.' },
    ]);
    const answer = await client.ask('POST', '/v1/photo-colorizer', {
      assets: { image_file_path: place?.path ?? '' },
    });
    expect(answer.status).toBe(400);
  });

  test('that has expired and is named as an input ends the project in error, refunded', async () => {
    const clock = clockwork();
    const local = await service({ now: clock.now, addressLifetimeMs: 1000, credits: 100 });
    const client = new Client(local);
    const { url } = await finished(client);
    clock.pass(1000);
    const { id } = await client.create('photo-colorizer', { assets: { image_file_path: url } });
    expect(await client.settled('image', id)).toMatchObject({
      status: 'error',
      credits_charged: 0,
      error: { message: expect.stringContaining('address no longer works') },
    });
    expect(local.balance()).toBe(90);
  });

  const changes: readonly (readonly [string, (url: URL) => void])[] = [
    ['no query', (url) => (url.search = '')],
    ['no signature', (url) => url.searchParams.delete('signature')],
    ['no end', (url) => url.searchParams.delete('expires')],
    ['an empty signature', (url) => url.searchParams.set('signature', '')],
    ['another signature', (url) => url.searchParams.set('signature', 'A'.repeat(43))],
    ['a later end', (url) => url.searchParams.set('expires', '99999999999999')],
    ['no number as its end', (url) => url.searchParams.set('expires', 'never')],
    ['another name', (url) => (url.pathname = url.pathname.replace(/.\.png$/, '_.png'))],
    ['two signatures', (url) => url.searchParams.append('signature', 'x')],
    ['two ends', (url) => url.searchParams.append('expires', '99999999999999')],
  ];

  test.each(changes)('with %s is not valid, for a download or an upload', async (_, change) => {
    const client = new Client(await service());
    const { url } = await finished(client);
    const [place] = await client.uploadAddresses('image', 'png');
    const [down, up] = [new URL(url), new URL(place?.url ?? '')];
    change(down);
    change(up);
    expect(await download(down.href)).toMatchObject({
      status: 403,
      body: { message: 'This download address is not valid.' },
    });
    expect(await put(up.href, await photo(1))).toMatchObject({
      status: 403,
      body: { message: 'This upload address is not valid.' },
    });
    const answer = await client.ask('POST', '/v1/photo-colorizer', {
      assets: { image_file_path: place?.path ?? '' },
    });
    expect(answer.status).toBe(400);
  });

  test('of one service opens nothing at another', async () => {
    const { url } = await finished(new Client(await service()));
    const { address } = await service();
    expect((await send(address, { method: 'GET', path: pathOf(url) })).status).toBe(403);
  });
});

describe('an upload', () => {
  test('is kept byte for byte, whatever its type is called', async () => {
    const client = new Client(await service());
    const clip = Buffer.alloc(3_000_000, 'frames ');
    for (const type of ['video/mp4', 'application/json', 'text/plain', 'multipart/form-data']) {
      const [place] = await client.uploadAddresses('video', 'mp4');
      const path = pathOf(place?.url ?? '');
      const headers = { 'content-type': type };
      const sent = await send(client.door.address, { method: 'PUT', path, headers, body: clip });
      expect([type, sent.status]).toEqual([type, 200]);
      const { id } = await client.create('auto-subtitle-generator', {
        start_seconds: 0,
        end_seconds: 1,
        style: { template: 'karaoke' },
        assets: { video_file_path: place?.path ?? '' },
      });
      const [output = Buffer.alloc(0)] = await client.outputs(await client.settled('video', id));
      expect(hash(output)).toBe(hash(clip));
    }
  });

  test('is replaced by another one to the same address', async () => {
    const client = new Client(await service());
    const [place] = await client.uploadAddresses('image', 'png');
    await put(place?.url ?? '', Buffer.from('no picture'));
    await put(place?.url ?? '', await photo(1));
    const path = place?.path ?? '';
    const record = await client.settled('image', await client.swap(path, path));
    expect(record).toMatchObject({ status: 'complete' });
  });

  test('is kept for seven days', async () => {
    const clock = clockwork();
    const client = new Client(await service({ now: clock.now }));
    const file = await client.upload(await photo(1), 'png');
    const body = { assets: { image_file_path: file } };
    clock.pass(7 * day - 1);
    expect((await client.ask('POST', '/v1/photo-colorizer', body)).status).toBe(200);
    clock.pass(1);
    const late = await client.ask('POST', '/v1/photo-colorizer', body);
    expect([late.status, late.body['message']]).toEqual([
      400,
      expect.stringContaining('does not exist'),
    ]);
  });

  test('is kept as long as is asked for, and removed from disk by a later one', async () => {
    const clock = clockwork();
    const data = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const local = await service({ now: clock.now, data, assetLifetimeMs: 2 * day });
    const client = new Client(local);
    const kept = (): number => readdirSync(data, { recursive: true }).filter(isPng).length;
    const file = await client.upload(await photo(1), 'png');
    clock.pass(2 * day - 1);
    await client.upload(await photo(2), 'png');
    expect(kept()).toBe(2);
    clock.pass(1);
    const body = { assets: { image_file_path: file } };
    expect((await client.ask('POST', '/v1/photo-colorizer', body)).status).toBe(400);
    clock.pass(3_600_000);
    await client.upload(await photo(3), 'png');
    expect(kept()).toBe(2);
  });

  const isPng = (name: string | Buffer): boolean => String(name).endsWith('.png');
});

test.each(['DELETE', 'cancel'])(
  'a project that is rendered while it goes (%s) leaves no file behind, and no complaint',
  async (way) => {
    const data = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => complaints.mockRestore());
    // One slot: when the last project has ended, all before it have.
    const local = await service({ data, slots: 1 });
    const client = new Client(local);
    const file = await client.upload(await smallSample(6));
    for (let count = 0; count < 6; count++) {
      const id = await client.swap(file, file);
      await until('it is being rendered', () => existsSync(join(data, 'outputs', id)));
      const path = `/hub/projects/${id}/cancel`;
      const stopped = way === 'cancel' && (await client.ask('POST', path, {})).status === 200;
      // A project that was quicker than this test is deleted all the same.
      if (!stopped) await client.ask('DELETE', `/v1/image-projects/${id}`);
    }
    const last = await client.swap(file, file);
    await client.settled('image', last);
    expect(readdirSync(join(data, 'outputs'))).toEqual([last]);
    expect(complaints.mock.calls).toEqual([]);
  },
);

describe('a download', () => {
  test('says how long it is and what it is', async () => {
    const client = new Client(await service());
    const clip = await client.upload(Buffer.from('a clip'), 'mp4', 'video');
    const asked: readonly (readonly [RecordKind, string, Promise<{ id: string }>])[] = [
      [
        'image',
        'image/png',
        client.create('ai-image-generator', { image_count: 1, style: { prompt: 'x' } }),
      ],
      ['image', 'video/webm', client.create('ai-gif-generator', { style: { prompt: 'x' } })],
      [
        'video',
        'video/mp4',
        client.create('auto-subtitle-generator', {
          start_seconds: 0,
          end_seconds: 1,
          style: { template: 'karaoke' },
          assets: { video_file_path: clip },
        }),
      ],
      [
        'audio',
        'audio/wav',
        client.create('ai-voice-generator', { style: { prompt: 'x', voice_name: 'y' } }),
      ],
    ];
    for (const [kind, type, created] of asked) {
      const url = addressIn(await client.settled(kind, (await created).id));
      const { status, headers, bytes } = await download(url);
      expect([status, headers['content-type'], headers['content-length']]).toEqual([
        200,
        type,
        `${bytes.length}`,
      ]);
      const path = pathOf(url);
      const head = await send(client.door.address, { method: 'HEAD', path });
      expect([head.status, head.headers['content-type'], head.headers['content-length']]).toEqual([
        200,
        type,
        `${bytes.length}`,
      ]);
      expect(head.bytes.length).toBe(0);
    }
  });

  test('that is empty is answered with 200 and no bytes', async () => {
    const client = new Client(await service());
    const { id } = await client.create('auto-subtitle-generator', {
      start_seconds: 0,
      end_seconds: 1,
      style: { template: 'karaoke' },
      assets: { video_file_path: await client.upload(Buffer.alloc(0), 'mp4', 'video') },
    });
    const record = await client.settled('video', id);
    const whole = await download(addressIn(record));
    expect([whole.status, whole.headers['content-length'], whole.bytes.length]).toEqual([
      200,
      '0',
      0,
    ]);
  });

  test('that was cut off goes on where it stopped', async () => {
    const { url, bytes } = await finished(new Client(await service()));
    const pieces: Buffer[] = [];
    let have = 0;
    while (have < bytes.length) {
      const piece = await download(url, { range: `bytes=${have}-${have + 499}` });
      pieces.push(piece.bytes);
      have += piece.bytes.length;
    }
    expect(hash(Buffer.concat(pieces))).toBe(hash(bytes));
  });

  test('by many at once gives each the whole', async () => {
    const { url, bytes } = await finished(new Client(await service()));
    const got = await Promise.all(Array.from({ length: 30 }, () => download(url)));
    expect(got.every((one) => one.bytes.equals(bytes))).toBe(true);
  });
});
