// interface.md, Versioning: what the change log says that a server must show.
// Left out: that the interface is a beta, that changes are announced, and that they were breaking or not, are words to
// clients. That a null is not required is tested as "may be omitted"; whether a null is taken is not said.
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../../src/base/json.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import { photo } from '../../rig.ts';
import { listAt, pathOf, send } from '../client.ts';
import {
  creations,
  edited,
  exampleOf,
  filled,
  hopeless,
  hopelessTool,
  kinds,
  otherEndpoints,
  quickTools,
  requestFor,
} from './door.ts';
import { oneSlow, reach, slow } from './stage.ts';

/** The example of a tool with the fields that its schema requires, and nothing else. */
function minimal(schema: unknown, value: Json): Json {
  if (!isObject(schema) || !isObject(value)) return value;
  const { required, properties } = schema;
  const needed = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => needed.includes(name))
      .map(([name, member]) => [
        name,
        minimal(isObject(properties) ? properties[name] : {}, member),
      ]),
  );
}

/** A body with nothing in it that could be left out, but what one of the two must be: a source of the face or clip. */
function barest(tool: string): JsonObject {
  const example = exampleOf(tool);
  const bare = minimal(toolNamed(tool)?.request, example);
  const assets: JsonObject = isObject(example['assets']) ? { assets: example['assets'] } : {};
  return isObject(bare) ? { ...bare, ...assets, ...conditional[tool] } : {};
}

/** models.md, Other tools: fields that are required with some values of others, or one of several. */
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

describe('interface.md, Versioning 1', () => {
  const shared = oneSlow();

  test.each([
    ...creations.map(([tool]): ['POST', string] => ['POST', `/${tool}`]),
    ...otherEndpoints.map(([method, path]) => [method, path.replace('/v1', '')] as const),
  ])('all paths start with /v1: %s %s is nothing', async (method, path) => {
    const { client } = shared();
    for (const version of ['', '/v2', '/beta'])
      expect(
        (await client.ask(method, `${version}${path}`, method === 'POST' ? {} : undefined)).status,
      ).toBe(404);
  });
});

describe('interface.md, Versioning 2: known changes', () => {
  const shared = oneSlow();

  test.each(kinds)('project type fields are strings (%s)', async (kind) => {
    const { client } = shared();
    const tool = quickTools.find(([of]) => of === kind)?.[1] ?? '';
    const { id } = await client.create(tool, await requestFor(client, tool));
    expect(await client.record(kind, id)).toMatchObject({ type: expect.stringMatching(/./) });
  });

  test.each(creations)('credits_charged was added: %s', async (tool, kind) => {
    const { client } = shared();
    const { id, credits_charged } = await client.create(tool, await requestFor(client, tool));
    expect(credits_charged).toSatisfy(Number.isInteger);
    expect(await client.record(kind, id)).toMatchObject({ credits_charged });
  });

  test.each(creations.filter(([, kind]) => kind !== 'audio'))(
    'the deprecated total_frame_cost is still on the record of %s (%s)',
    async (tool, kind) => {
      const { client } = shared();
      const { id, credits_charged } = await client.create(tool, await requestFor(client, tool));
      expect(await client.record(kind, id)).toMatchObject({ total_frame_cost: credits_charged });
    },
  );

  test.each(creations.filter(([, kind]) => kind !== 'audio'))(
    'the deprecated frame cost is still on the creation response of %s (%s)',
    async (tool, kind) => {
      const { client } = shared();
      const created = await client.create(tool, await requestFor(client, tool));
      const field = kind === 'video' ? 'estimated_frame_cost' : 'frame_cost';
      expect(created[field]).toBe(created['credits_charged']);
    },
  );

  test('video project records carry downloads beside the older download field', async () => {
    const stage = await slow();
    const body = await requestFor(stage.client, 'character-replace');
    const { id } = await stage.client.create('character-replace', body);
    const record = await reach(stage, 'video', id, 'complete');
    expect(record['download']).toEqual(listAt(record, 'downloads')[0]);
  });

  test.each(kinds)('an error object was added to project records (%s)', async (kind) => {
    const stage = await slow();
    const { client } = stage;
    const { id } = await client.create(hopelessTool[kind], await hopeless(client, kind));
    expect(await client.record(kind, id)).toHaveProperty('error', null);
    expect(await reach(stage, kind, id, 'error')).toMatchObject({
      error: { code: expect.any(String), message: expect.any(String) },
    });
  });

  test.each(creations)('optional fields must simply be omitted, name too: %s', async (tool) => {
    const { client } = shared();
    const body = await filled(client, barest(tool));
    expect(body).not.toHaveProperty('name');
    const answer = await client.ask('POST', `/v1/${tool}`, body);
    expect([answer.status, answer.body['message']]).toEqual([200, undefined]);
  });

  test.each(['face-swap', 'image-to-video', 'lip-sync', 'video-to-video'])(
    'height and width are not required any more: %s',
    async (tool) => {
      const { client } = shared();
      const body = await requestFor(client, tool);
      for (const field of ['height', 'width']) expect(body).not.toHaveProperty(field);
      expect((await client.ask('POST', `/v1/${tool}`, body)).status).toBe(200);
    },
  );

  test.each([
    [600, 300],
    [300, 600],
  ])('output size is derived from the input: %i × %i', async (width, height) => {
    const stage = await slow();
    const { client } = stage;

    const shaped = await sharp(await photo(1))
      .resize(width, height, { fit: 'fill' })
      .png()
      .toBuffer();
    const assets = { image_file_path: await client.upload(shaped, 'png') };
    const { id } = await client.create('image-to-video', { end_seconds: 3, assets });
    const record = await reach(stage, 'video', id, 'complete');
    expect(Number(record['width']) / Number(record['height'])).toBeCloseTo(width / height, 1);
  });

  test.each(['version', 'prompt_type', 'model'])(
    'video-to-video: style.%s is optional, defaulting to default',
    async (field) => {
      const { client } = shared();
      const body = edited(await requestFor(client, 'video-to-video'), `style.${field}`, undefined);
      const omitted = await client.create('video-to-video', body);
      const given = edited(body, `style.${field}`, 'default');
      expect(await client.create('video-to-video', given)).toMatchObject({
        credits_charged: omitted['credits_charged'],
      });
    },
  );

  test('video-to-video: prompt may be omitted', async () => {
    const { client } = shared();
    const body = edited(await requestFor(client, 'video-to-video'), 'style.prompt', undefined);
    expect((await client.ask('POST', '/v1/video-to-video', body)).status).toBe(200);
  });

  test.each([['v1'], [undefined]])(
    'face swap: style.version v1 selects the older behaviour: %s is taken',
    async (version) => {
      const { client } = shared();
      const body = edited(await requestFor(client, 'face-swap'), 'style', {});
      const versioned = edited(body, 'style.version', version);
      expect((await client.ask('POST', '/v1/face-swap', versioned)).status).toBe(200);
    },
  );
});

describe('interface.md, Versioning 3', () => {
  test('the upload-URL endpoint no longer needs a Content-Type header for uploads', async () => {
    const stage = await slow();
    const { client } = stage;
    const [place] = await client.uploadAddresses('image', 'png');
    const url = place?.url ?? '';
    const sent = { method: 'PUT', path: pathOf(url), body: await photo(1) } as const;
    expect((await send(new URL(url).origin, sent)).status).toBe(200);
    const id = await client.swap(place?.path ?? '', place?.path ?? '');
    expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
  });
});
