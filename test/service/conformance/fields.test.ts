// interface.md: each row of fields.txt, sent to one service, and what every creation endpoint has in common.
// Left out, because it is about clients or not shown: other values of face_swap_mode, the default of style.mode, what a
// point outside the frame does, rate limits, file sizes, the voice tool of 200 characters, and the complete list of codes.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { asJson, isObject, type Json, type JsonObject } from '../../../src/base/json.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import { type Answer, addressIn, type Client, send, textAt } from '../client.ts';
import {
  assetsIn,
  creations,
  edited,
  exampleOf,
  filled,
  messageOf,
  otherEndpoints,
  requestFor,
  valueAt,
} from './door.ts';
import { oneSlow, reach, slow } from './stage.ts';

const rows = readFileSync(new URL('fields.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' | '));

/** `field=JSON; field=` as fields and values; `"x*1000"` is a text of a thousand letters. */
function changesIn(text: string): readonly (readonly [string, Json | undefined])[] {
  return text.split('; ').map((change) => {
    const [field = '', value = ''] = change.split(/=(.*)/s);
    const repeated = /^"x\*(\d+)"$/.exec(value)?.[1];
    if (repeated !== undefined) return [field, 'x'.repeat(Number(repeated))];
    return [field, value === '' ? undefined : asJson(JSON.parse(value))];
  });
}

const shared = oneSlow({ credits: 1_000_000_000 });
const poor = oneSlow({ credits: 0 });

describe('interface.md, the tables of fields', () => {
  test.each(rows)('%s with %s is answered with %s', async (tool = '', text = '', status = '') => {
    const { client, local } = shared();
    const changes = changesIn(text);
    const changed = changes.reduce(
      (body, [field, value]) => edited(body, field, value),
      exampleOf(tool),
    );
    const body = await filled(client, changed);
    const before = local.balance();
    const answer = await client.ask('POST', `/v1/${tool}`, body);
    expect([answer.status, answer.body['message']]).toEqual([
      Number(status),
      status === '200'
        ? undefined
        : expect.stringContaining(`${changes.at(-1)?.[0].split('.').at(-1)}`),
    ]);
    if (status !== '200') expect(local.balance()).toBe(before);
  });
});

/** The fields that an example must have, and nothing else. */
function minimal(schema: unknown, value: Json): Json {
  if (!isObject(schema) || !isObject(value)) return value;
  const { required, properties } = schema;
  const needed = Array.isArray(required) ? required.map(String) : [];
  const members = Object.entries(value).filter(([name]) => needed.includes(name));
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      minimal(isObject(properties) ? properties[name] : {}, member),
    ]),
  );
}

/** models.md, Other tools: what is required with some values of other fields, or one of several. */
const conditional: Readonly<Record<string, JsonObject>> = {
  animation: {
    style: {
      art_style: 'Painterly Illustration',
      camera_effect: 'Simple Zoom In',
      prompt_type: 'ai_choose',
      transition_speed: 5,
    },
  },
  'auto-subtitle-generator': { style: { template: 'karaoke' } },
};

function barest(tool: string): JsonObject {
  const example = exampleOf(tool);
  const bare = minimal(toolNamed(tool)?.request, example);
  const assets: JsonObject = isObject(example['assets']) ? { assets: example['assets'] } : {};
  return isObject(bare) ? { ...bare, ...assets, ...conditional[tool] } : {};
}

const isJson = ({ headers }: Answer): boolean =>
  /^application\/json(;|$)/.test(`${headers['content-type']}`);

async function posted(
  client: Client,
  path: string,
  body: string,
  type = 'application/json',
): Promise<Answer> {
  const headers = { authorization: `Bearer ${client.door.key}`, 'content-type': type };
  return await send(client.door.address, { method: 'POST', path, headers, body });
}

describe.each(creations)('POST /v1/%s', (tool, kind) => {
  const path = `/v1/${tool}`;

  test('answers at once with an id and the credits that it took, and is queued as a project of its kind', async () => {
    const { client, local } = shared();
    const before = local.balance();
    const answer = await client.ask('POST', path, await requestFor(client, tool));
    expect([answer.status, isJson(answer)]).toEqual([200, true]);
    const { id, credits_charged } = answer.body;
    expect([id, credits_charged]).toEqual([
      expect.stringMatching(/./),
      expect.toSatisfy(Number.isInteger),
    ]);
    expect(before - local.balance()).toBe(credits_charged);
    // The price list has one tool of no cost (facts.md, Prices).
    expect(Number(credits_charged) > 0).toBe(tool !== 'ai-qr-code-generator');
    // The clock stands still: nothing was rendered before the answer.
    const record = await client.record(kind, `${id}`);
    expect(record).toMatchObject({
      id,
      status: 'queued',
      credits_charged,
      downloads: [],
      error: null,
    });
    for (const other of ['video', 'image', 'audio'].filter((name) => name !== kind))
      expect((await client.ask('GET', `/v1/${other}-projects/${id}`)).status).toBe(404);
    if (kind === 'audio') return;
    // Deprecated, and still there.
    expect(record['total_frame_cost']).toBe(credits_charged);
    const frames = kind === 'video' ? 'estimated_frame_cost' : 'frame_cost';
    expect(answer.body[frames]).toBe(credits_charged);
  });

  test('takes a body without anything optional', async () => {
    const { client } = shared();
    const body = await filled(client, barest(tool));
    expect(body).not.toHaveProperty('name');
    const answer = await client.ask('POST', path, body);
    expect([answer.status, answer.body['message']]).toEqual([200, undefined]);
  });

  test('refuses what is invalid, unauthenticated or not paid for, and nothing of it costs', async () => {
    const { client, local } = shared();
    const body = await requestFor(client, tool);
    const before = local.balance();
    expect(messageOf(await client.ask('POST', path), 400)).toMatch(/body is missing/);
    expect(messageOf(await client.ask('POST', path, { ...body, name: 7 }), 400)).toMatch(/name.*7/);
    expect(messageOf(await posted(client, path, '{"name": '), 400)).toMatch(/JSON/);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])
      expect(messageOf(await posted(client, path, '{}', type), 400)).toContain(type);
    for (const authorization of ['', 'Bearer sl_wrong']) {
      const headers = { authorization };
      const request = { method: 'POST', path, headers, body: JSON.stringify(body) } as const;
      expect(messageOf(await send(local.address, request), 401)).toBe('Unauthorized');
    }
    expect(messageOf(await client.ask('POST', `${path}/more`, body), 404)).toBe('Not Found');
    for (const version of ['', '/v2', '/beta'])
      expect((await client.ask('POST', `${version}/${tool}`, body)).status).toBe(404);
    expect(local.balance()).toBe(before);
    if (tool === 'ai-qr-code-generator') return;
    const unpaid = await poor().client.ask('POST', path, await requestFor(poor().client, tool));
    expect(messageOf(unpaid, 402)).toMatch(/./);
    expect(poor().local.balance()).toBe(0);
  });

  const fields = assetsIn(exampleOf(tool));
  test.runIf(fields.length > 0)(
    'rejects a path that is not in storage, by its name, and a file of another kind',
    async () => {
      const { client, local } = shared();
      const body = await requestFor(client, tool);
      const before = local.balance();
      const missing = 'api-assets/none/nothing.png';
      for (const field of fields) {
        const message = messageOf(
          await client.ask('POST', path, edited(body, field, missing)),
          400,
        );
        for (const words of [
          missing,
          'does not exist',
          'file_path',
          '/v1/files/generate-upload-urls',
          'PUT',
        ])
          expect(message, field).toContain(words);
      }
      const [first = ''] = fields;
      const isAudio = valueAt(exampleOf(tool), first) === 'asset:audio';
      const wrong = await client.upload(
        Buffer.from('no such medium'),
        isAudio ? 'png' : 'mp3',
        isAudio ? 'image' : 'audio',
      );
      const message = messageOf(await client.ask('POST', path, edited(body, first, wrong)), 422);
      expect(message).toMatch(/could not be created|cannot be created/);
      expect(local.balance()).toBe(before);
    },
  );
});

test.each(otherEndpoints)(
  '%s %s answers in JSON, is under /v1 alone, and says Not Found',
  async (method, path) => {
    const { client } = shared();
    const body = method === 'POST' ? {} : undefined;
    const answer = await client.ask(method, path, body);
    expect([answer.status, isJson(answer)]).toEqual([method === 'POST' ? 400 : 404, true]);
    if (method !== 'POST') expect(messageOf(answer, 404)).toBe('Not Found');
    for (const version of ['', '/v2'])
      expect((await client.ask(method, `${version}${path.slice('/v1'.length)}`, body)).status).toBe(
        404,
      );
  },
);

test.each([
  ['face-swap', 'assets.video_file_path', 'https://example.com/a.mp4'],
  ['face-swap-photo', 'assets.target_file_path', 'https://example.com/a.png'],
  ['face-swap-photo', 'assets.source_file_path', 'https://example.com/a.png'],
  ['character-replace', 'assets.image_file_path', 'https://example.com/a.png'],
  ['character-replace', 'assets.video_file_path', 'https://example.com/a.mp4'],
])('%s takes a direct URL for %s', async (tool, field, url) => {
  const { client } = shared();
  const body = edited(await requestFor(client, tool), field, url);
  expect((await client.ask('POST', `/v1/${tool}`, body)).status).toBe(200);
});

test('the download address of an earlier project is a direct URL, too', async () => {
  const stage = await slow();
  const body = await requestFor(stage.client, 'photo-colorizer');
  const { id } = await stage.client.create('photo-colorizer', body);
  const url = addressIn(await reach(stage, 'image', id, 'complete'));
  const assets = { image_file_path: url };
  const again = await stage.client.create('photo-colorizer', { assets });
  expect(await reach(stage, 'image', again.id, 'complete')).toMatchObject({ error: null });
});

test('a path that was given out and not yet uploaded to does not exist', async () => {
  const { client } = shared();
  const [place] = await client.uploadAddresses('image', 'png');
  const answer = await client.ask('POST', '/v1/photo-colorizer', {
    assets: { image_file_path: place?.path ?? '' },
  });
  expect(messageOf(answer, 400)).toContain(place?.path);
});

test('an image editor takes 10 images', async () => {
  const { client } = shared();
  const ask = async (count: number) =>
    await client.ask(
      'POST',
      '/v1/ai-image-editor',
      await filled(client, {
        assets: { image_file_paths: Array.from({ length: count }, () => 'asset:image') },
        style: { prompt: 'side by side' },
      }),
    );
  expect((await ask(10)).status).toBe(200);
  expect(messageOf(await ask(11), 400)).toMatch(/image_file_paths/);
});

test('max_fps_limit of a lip sync caps the frame rate that is paid for, and a longer clip costs more', async () => {
  const { client } = shared();
  const example = edited(await requestFor(client, 'lip-sync'), 'max_fps_limit', undefined);
  const body = edited(example, 'end_seconds', 10);
  const price = async (changed: JsonObject): Promise<number> =>
    Number((await client.create('lip-sync', changed))['credits_charged']);
  const uncapped = await price(body);
  const capped = [12, 24].map(async (limit) => await price(edited(body, 'max_fps_limit', limit)));
  const [low = 0, high = 0] = await Promise.all(capped);
  expect([low < high, high < uncapped]).toEqual([true, true]);
  expect(await price(edited(body, 'max_fps_limit', 240))).toBe(uncapped);
  expect(await price(edited(body, 'end_seconds', 20))).toBeGreaterThan(uncapped);
});

test('the defaults of character replace are filled in, and points are ignored where nothing asks for them', async () => {
  const { client, local } = shared();
  const point = { position_x: 12, position_y: 8, time_seconds: 0.5 };
  const body = edited(await requestFor(client, 'character-replace'), 'style', { points: [point] });
  const bare = ['start_seconds', 'resolution', 'name'].reduce(
    (all, field) => edited(all, field, undefined),
    body,
  );
  const { id, credits_charged } = await client.create('character-replace', bare);
  const shown = await send(local.address, { method: 'GET', path: `/hub/projects/${id}` });
  expect(shown.body['body']).toMatchObject({
    start_seconds: 0,
    resolution: '480p',
    style: { selection_mode: 'auto' },
  });
  const name = textAt(await client.record('video', id), 'name');
  expect(name).toMatch(/^Character Replace - \d/);
  expect(Number.isNaN(Date.parse(name.slice('Character Replace - '.length)))).toBe(false);
  expect(
    (await client.create('character-replace', edited(bare, 'style', {})))['credits_charged'],
  ).toBe(credits_charged);
});
