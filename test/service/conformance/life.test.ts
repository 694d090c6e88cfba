// interface.md, What the service does, Project record, States and transitions, Asset reference, Face detection record:
// one life of a project of each kind, told from creation to deletion, on a clock that the test moves.
// Left out: what is about clients (backoff, polling, retries), and that observed medians are no guarantee.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { RecordKind } from '../../../src/contract/api/project.ts';
import { tiers } from '../../../src/contract/api/tier.ts';
import { timingOf } from '../../../src/service/jobs/timing.ts';
import { photo } from '../../rig.ts';
import { sampleOf } from '../../sweep.ts';
import {
  addressIn,
  download,
  eventually,
  listAt,
  pathOf,
  send,
  smallSample,
  textAt,
} from '../client.ts';
import {
  creations,
  creditsOf,
  edited,
  hopeless,
  hopelessTool,
  isoTime,
  messageOf,
  quickTools,
  requestFor,
} from './door.ts';
import { facesIn, reach, type Stage, slow } from './stage.ts';

const day = 24 * 3_600_000;

describe.each(quickTools)('a %s project', (kind, tool) => {
  test('is queued, rendered and complete, can be downloaded for a day, and is deleted with its files', async () => {
    const stage = await slow({ credits: 1000 });
    const { client, clock, local } = stage;
    const begun = clock.now();
    const body = await requestFor(client, tool);
    const { id, credits_charged: estimate } = await client.create(tool, body);
    const record = (status: string) => reach(stage, kind, id, status);
    expect(await record('queued')).toMatchObject({
      id,
      type: expect.stringMatching(/./),
      created_at: isoTime,
      credits_charged: estimate,
      downloads: [],
      error: null,
    });
    expect(await record('rendering')).toMatchObject({
      credits_charged: estimate,
      downloads: [],
      error: null,
    });
    const complete = await record('complete');
    expect(complete).toMatchObject({ id, error: null, credits_charged: 1000 - local.balance() });
    expect(Date.parse(textAt(complete, 'created_at'))).toBe(begun);
    expect(await creditsOf(client)).toBe(local.balance());
    for (const side of kind === 'audio' ? [] : ['width', 'height', 'total_frame_cost'])
      expect(complete[side], side).toSatisfy((value: unknown) => Number.isInteger(value));
    expect(listAt(complete, 'downloads').length).toBeGreaterThan(0);
    for (const item of listAt(complete, 'downloads'))
      expect(item).toEqual({ url: expect.stringMatching(/^http/), expires_at: isoTime });
    // The older field of videos.
    if (kind === 'video') expect(complete['download']).toEqual(listAt(complete, 'downloads')[0]);

    const address = addressIn(complete);
    const { status, bytes } = await download(address);
    expect(status).toBe(200);
    expect(Date.parse(textAt(listAt(complete, 'downloads')[0] ?? {}, 'expires_at'))).toBe(
      clock.now() + day,
    );
    clock.pass(day - 1);
    expect((await download(address)).status).toBe(200);
    clock.pass(1);
    expect((await download(address)).status).toBe(403);
    // Complete is final, and the details give a fresh address.
    clock.pass(30 * day);
    const later = await client.record(kind, id);
    expect(later).toMatchObject({
      status: 'complete',
      credits_charged: complete['credits_charged'],
    });
    const fresh = addressIn(later);
    expect((await download(fresh)).bytes.equals(bytes)).toBe(true);

    const path = `/v1/${kind}-projects/${id}`;
    const before = local.balance();
    expect((await client.ask('DELETE', path)).status).toBe(204);
    // facts.md: what reading it answers afterwards is not published, 404 or a record that is not enabled.
    const read = await client.ask('GET', path);
    expect(read.status === 404 || read.body['enabled'] === false).toBe(true);
    expect((await download(fresh)).status).toBe(404);
    expect(local.balance()).toBe(before);
  });

  test('that cannot be rendered ends in error, is refunded, and can be deleted', async () => {
    const stage = await slow({ credits: 1000 });
    const { client } = stage;
    const { id, credits_charged } = await client.create(
      hopelessTool[kind],
      await hopeless(client, kind),
    );
    expect(credits_charged).toBeGreaterThan(0);
    await reach(stage, kind, id, 'rendering');
    expect(await reach(stage, kind, id, 'error')).toMatchObject({
      error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/./) },
      credits_charged: 0,
      downloads: [],
    });
    expect(await creditsOf(client)).toBe(1000);
    expect((await client.ask('DELETE', `/v1/${kind}-projects/${id}`)).status).toBe(204);
  });

  test('can be made on every plan', async () => {
    for (const tier of tiers) {
      const { client } = await slow({ tier });
      expect((await client.ask('GET', '/v1/account')).body).toMatchObject({ tier });
      expect(await client.create(tool, await requestFor(client, tool))).toHaveProperty('id');
    }
  });
});

test('ids are unique, and type names the tool', async () => {
  const { client } = await slow();
  const types = new Map<string, string>();
  const ids = new Set<string>();
  for (const [tool, kind] of creations) {
    const { id } = await client.create(tool, await requestFor(client, tool));
    ids.add(id);
    types.set(`${kind} ${textAt(await client.record(kind, id), 'type')}`, tool);
  }
  expect([ids.size, types.size]).toEqual([creations.length, creations.length]);
});

test('a face swap costs 10 credits a photo, taken when the request is made; what renders nothing costs nothing', async () => {
  const { client } = await slow({ credits: 25 });
  const file = await client.upload(await photo(1), 'png');
  await client.ask('POST', '/v1/files/face-detection', { assets: { target_file_path: file } });
  await client.swap(file, file);
  const id = await client.swap(file, file, 'Ann for Bob');
  expect(await client.record('image', id)).toMatchObject({ name: 'Ann for Bob', status: 'queued' });
  expect(await creditsOf(client)).toBe(5);
  const body = await requestFor(client, 'face-swap-photo');
  messageOf(await client.ask('POST', '/v1/face-swap-photo', body), 402);
  expect(await creditsOf(client)).toBe(5);
});

/** Of an image of 800 × 1200 pixels: what comes back for an account on this plan. */
async function sizeOn(
  tier: 'free' | 'pro',
  tool: string,
  fields: (file: string) => object,
): Promise<number> {
  const stage = await slow({ tier });
  const { client } = stage;
  const large = await sharp(await photo(1))
    .resize(800, 1200, { fit: 'fill' })
    .png()
    .toBuffer();
  const file = await client.upload(large, 'png');
  const kind = creations.find(([name]) => name === tool)?.[1] ?? 'image';
  const { id } = await client.create(tool, JSON.parse(JSON.stringify(fields(file))));
  const record = await reach(stage, kind, id, 'complete');
  const [output] = await client.outputs(record);
  const { width, height } = await sharp(output).metadata();
  expect(record).toMatchObject({ width, height });
  return Math.min(width, height);
}

test('the size of an output depends on the plan: 576 pixels at most on the free one', async () => {
  const swap = (file: string) => ({ assets: { target_file_path: file, source_file_path: file } });
  expect(await sizeOn('free', 'face-swap-photo', swap)).toBeLessThanOrEqual(576);
  expect(await sizeOn('pro', 'face-swap-photo', swap)).toBeGreaterThan(576);
  const { client } = await slow({ tier: 'free' });
  const clip = { ...(await requestFor(client, 'character-replace')), resolution: '720p' };
  expect(messageOf(await client.ask('POST', '/v1/character-replace', clip), 403)).toMatch(/720p/);
});

test.each([
  [600, 300],
  [300, 600],
])('the size of a clip is derived from its input: %i × %i', async (width, height) => {
  const stage = await slow();
  const shaped = await sharp(await photo(1))
    .resize(width, height, { fit: 'fill' })
    .png()
    .toBuffer();
  const assets = { image_file_path: await stage.client.upload(shaped, 'png') };
  const { id } = await stage.client.create('image-to-video', { end_seconds: 3, assets });
  const record = await reach(stage, 'video', id, 'complete');
  expect(Number(record['width']) / Number(record['height'])).toBeCloseTo(width / height, 1);
});

describe('uploads', () => {
  test('have one file_path for each file, in their order', async () => {
    const { client } = await slow();
    const places = [
      ...(await client.uploadAddresses('image', 'png', 'jpg')),
      ...(await client.uploadAddresses('video', 'mp4')),
      ...(await client.uploadAddresses('audio', 'mp3')),
    ];
    expect(places.map(({ path }) => path.split('.').at(-1))).toEqual(['png', 'jpg', 'mp4', 'mp3']);
    expect(new Set(places.map(({ path }) => path)).size).toBe(4);
  });

  test.each([undefined, 'image/png', 'application/octet-stream', 'application/json'])(
    'need no Content-Type header, and take any: %s',
    async (type) => {
      const stage = await slow();
      const [place] = await stage.client.uploadAddresses('image', 'png');
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const url = new URL(place?.url ?? '');
      const request = {
        method: 'PUT',
        path: pathOf(url.href),
        headers,
        body: await photo(1),
      } as const;
      expect((await send(url.origin, request)).status).toBe(200);
      const id = await stage.client.swap(place?.path ?? '', place?.path ?? '');
      expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
    },
  );
});

test('a face detection lists faces as soon as one is found, and a swap takes them as original_face', async () => {
  const stage = await slow();
  const { client, clock } = stage;
  const target = await client.upload(await smallSample(1));
  const asked = await client.ask('POST', '/v1/files/face-detection', {
    assets: { target_file_path: target },
  });
  expect([asked.status, asked.body]).toEqual([
    200,
    expect.objectContaining({ id: expect.any(String) }),
  ]);
  const path = `/v1/files/${textAt(asked.body, 'id')}/face-detection`;
  expect((await client.ask('GET', path)).body).toMatchObject({ id: asked.body['id'], faces: [] });
  // The clock moves once: the detection begins, and cannot end.
  clock.tick();
  const record = await eventually('a face is found', async () => {
    const found = (await client.ask('GET', path)).body;
    return listAt(found, 'faces').length > 0 ? found : undefined;
  });
  expect(record['status']).toBe('rendering');
  const faces = await facesIn(stage, target);
  const new_face = await client.upload(await smallSample(2));
  const face_mappings = faces.map((original_face) => ({ original_face, new_face }));
  const assets = { target_file_path: target, face_swap_mode: 'individual-faces', face_mappings };
  const { id } = await client.create('face-swap-photo', { assets });
  expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
});

/** interface.md, the table of medians: seconds for each creation endpoint. */
const medians: Readonly<Record<string, number>> = {
  'ai-talking-photo': 174,
  'ai-video-editor': 85,
  animation: 596,
  'audio-to-video': 117,
  'auto-subtitle-generator': 45,
  'character-replace': 446,
  'face-swap': 96,
  'image-to-video': 74,
  'lip-sync': 229,
  'text-to-video': 51,
  'video-to-video': 772,
  'ai-clothes-changer': 13,
  'ai-face-editor': 3,
  'ai-gif-generator': 23,
  'ai-headshot-generator': 14,
  'ai-image-editor': 9,
  'ai-image-generator': 5,
  'ai-image-upscaler': 22,
  'ai-meme-generator': 9,
  'ai-qr-code-generator': 7,
  'body-swap': 38,
  'face-swap-photo': 4,
  'head-swap': 18,
  'image-background-remover': 4,
  'photo-colorizer': 9,
  'ai-voice-generator': 21,
  'ai-voice-cloner': 21,
};

const median = (times: readonly number[]): number =>
  [...times].sort((one, other) => one - other)[(times.length - 1) / 2] ?? 0;

describe('how long projects take', () => {
  async function taken(
    stage: Stage,
    kind: RecordKind,
    tool: string,
    body: Awaited<ReturnType<typeof requestFor>>,
  ): Promise<number> {
    const begun = stage.clock.now();
    const { id } = await stage.client.create(tool, body);
    await reach(stage, kind, id, 'complete');
    return (stage.clock.now() - begun) / 1000;
  }

  test.each(sampleOf(creations, 4))(
    'POST /v1/%s takes its published median, more or less',
    async (tool, kind) => {
      // With this seed, three projects are neither quick nor slow together.
      const stage = await slow({ seed: 2 });
      const body = await requestFor(stage.client, tool);
      const times = [];
      for (let count = 0; count < 3; count++) times.push(await taken(stage, kind, tool, body));
      const published = medians[tool] ?? Number.NaN;
      expect(median(times) / published).toBeGreaterThan(0.85);
      expect(median(times) / published).toBeLessThan(1.15);
      // No two projects are alike.
      expect(new Set(times).size).toBe(3);
    },
  );

  test('over a thousand projects of any seed, the medians are those of the table', () => {
    for (const published of new Set(Object.values(medians)))
      for (const seed of [1, 2, 3]) {
        const times = Array.from({ length: 1001 }, (_, sequence) => {
          const { waitMs, workMs } = timingOf('realtime', seed, sequence + 1, published);
          return (waitMs + workMs) / 1000;
        });
        expect(Math.abs(median(times) / published - 1)).toBeLessThan(0.05);
      }
  });

  test.each([
    ['input duration', 'character-replace', 'end_seconds', 2, 60],
    ['resolution', 'character-replace', 'resolution', '480p', '720p'],
    ['model', 'image-to-video', 'model', 'ltx-2.3', 'kling-3.0'],
  ])('varies with %s', async (_, tool, field, one, other) => {
    const times = [one, other].map(async (value) => {
      const stage = await slow();
      const body = edited(await requestFor(stage.client, tool), 'resolution', '720p');
      return await taken(stage, 'video', tool, edited(body, field, value));
    });
    const [first, second] = await Promise.all(times);
    expect(first).not.toBe(second);
  });

  test('varies with the load of the queue', async () => {
    const [busy, free] = [await slow({ slots: 1 }), await slow({ slots: 2 })];
    const times = [busy, free].map(async (stage) => {
      const body = await requestFor(stage.client, 'photo-colorizer');
      await stage.client.create('photo-colorizer', body);
      return await taken(stage, 'image', 'photo-colorizer', body);
    });
    const [waited = 0, alone = 0] = await Promise.all(times);
    expect(waited).toBeGreaterThan(alone);
  });
});
