// interface.md, Endpoints and Other endpoints: each row of the table, the sentences around it, and the fields of other
// tools that the document mentions.
// Left out: what the table says is not shown (path parameters, the upload-URL request, other bodies). That all
// endpoints need the bearer header is in authentication.test.ts.
import { describe, expect, test } from 'vitest';
import { isObject, type Json } from '../../../src/base/json.ts';
import { photo } from '../../rig.ts';
import { type Answer, addressIn, download, listAt, send, smallSample, textAt } from '../client.ts';
import {
  creations,
  edited,
  hopeless,
  hopelessTool,
  kinds,
  messageOf,
  otherEndpoints,
  quickTools,
  requestFor,
} from './door.ts';
import { facesIn, oneSlow, reach, type Stage, slow } from './stage.ts';

const isJson = ({ headers }: Answer): boolean =>
  /^application\/json(;|$)/.test(`${headers['content-type']}`);

const posts = [
  ...creations.map(([tool]): [string] => [`/v1/${tool}`]),
  ['/v1/files/generate-upload-urls'] as const,
  ['/v1/files/face-detection'] as const,
];

async function finished(stage: Stage, kind: string): Promise<{ id: string; url: string }> {
  const [record = 'image', tool = ''] = quickTools.find(([of]) => of === kind) ?? [];
  const { id } = await stage.client.create(tool, await requestFor(stage.client, tool));
  return { id, url: addressIn(await reach(stage, record, id, 'complete')) };
}

describe('interface.md, Endpoints: all requests and responses use JSON', () => {
  const shared = oneSlow();

  test.each(creations)('the response of POST /v1/%s', async (tool) => {
    const { client } = shared();
    const answer = await client.ask('POST', `/v1/${tool}`, await requestFor(client, tool));
    expect([answer.status, isJson(answer)]).toEqual([200, true]);
  });

  test.each(otherEndpoints)('a refusal of %s %s', async (method, path) => {
    const { client } = shared();
    const answer = await client.ask(method, path, method === 'POST' ? {} : undefined);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(isJson(answer)).toBe(true);
  });

  test('the responses of uploads, detection and details', async () => {
    const { client } = shared();
    const items = [{ type: 'image', extension: 'png' }];
    const file = await client.upload(await photo(1), 'png');
    const target = { assets: { target_file_path: file } };
    const detection = await client.ask('POST', '/v1/files/face-detection', target);
    const id = await client.swap(file, file);
    const answers = [
      await client.ask('POST', '/v1/files/generate-upload-urls', { items }),
      detection,
      await client.ask('GET', `/v1/files/${textAt(detection.body, 'id')}/face-detection`),
      await client.ask('GET', `/v1/image-projects/${id}`),
    ];
    expect(answers.map((answer) => [answer.status, isJson(answer)])).toEqual(
      answers.map(() => [200, true]),
    );
  });

  test.each(posts)('a request to %s of another content type is refused', async (path) => {
    const { local } = shared();
    const before = local.balance();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const headers = { authorization: `Bearer ${local.key}`, 'content-type': type };
      const sent = { method: 'POST', path, headers, body: '{}' } as const;
      expect(messageOf(await send(local.address, sent), 400)).toContain(type);
    }
    expect(local.balance()).toBe(before);
  });

  test('a request may name its character set', async () => {
    const { local } = shared();
    const headers = {
      authorization: `Bearer ${local.key}`,
      'content-type': 'application/json; charset=utf-8',
    };
    const body = JSON.stringify({ items: [{ type: 'image', extension: 'png' }] });
    const path = '/v1/files/generate-upload-urls';
    expect((await send(local.address, { method: 'POST', path, headers, body })).status).toBe(200);
  });
});

describe('interface.md, Other endpoints', () => {
  const shared = oneSlow();

  test('POST /v1/files/generate-upload-urls: generate asset upload URLs', async () => {
    const { client } = shared();
    const places = await client.uploadAddresses('image', 'png', 'jpg');
    expect(places.map(({ url }) => URL.canParse(url))).toEqual([true, true]);
  });

  test('POST /v1/files/face-detection: detect faces in an asset', async () => {
    const stage = await slow();
    const file = await stage.client.upload(await smallSample(1));
    expect((await facesIn(stage, file)).length).toBeGreaterThan(0);
  });

  test('GET /v1/files/:id/face-detection: get face detection details', async () => {
    const { client } = shared();
    const assets = { target_file_path: await client.upload(await photo(1), 'png') };
    const { body } = await client.ask('POST', '/v1/files/face-detection', { assets });
    const path = `/v1/files/${textAt(body, 'id')}/face-detection`;
    expect((await client.ask('GET', path)).body).toMatchObject({ id: body['id'], faces: [] });
  });

  test.each(kinds)('GET /v1/%s-projects/:id: get the details', async (kind) => {
    const stage = await slow();
    const { id } = await finished(stage, kind);
    expect((await stage.client.ask('GET', `/v1/${kind}-projects/${id}`)).body).toMatchObject({
      id,
    });
  });

  test.each(kinds)('DELETE /v1/%s-projects/:id: delete it', async (kind) => {
    const stage = await slow();
    const path = `/v1/${kind}-projects/${(await finished(stage, kind)).id}`;
    expect((await stage.client.ask('DELETE', path)).status).toBe(204);
    // facts.md: what reading it answers afterwards is not published, 404 or a record that is not enabled.
    const { status, body } = await stage.client.ask('GET', path);
    expect(status === 404 || body['enabled'] === false).toBe(true);
  });

  test.each(creations)('POST /v1/%s: create %s projects', async (tool, kind) => {
    const { client } = shared();
    const { id } = await client.create(tool, await requestFor(client, tool));
    expect((await client.ask('GET', `/v1/${kind}-projects/${id}`)).status).toBe(200);
  });

  test.each(kinds)('the details endpoints return the project record (%s)', async (kind) => {
    const stage = await slow();
    const { id } = await finished(stage, kind);
    const sized = ['width', 'height', 'total_frame_cost'];
    const fields = [
      ...['id', 'status', 'type', 'created_at', 'credits_charged', 'downloads', 'error'],
      ...(kind === 'audio' ? [] : sized),
      ...(kind === 'video' ? ['download'] : []),
    ];
    expect(Object.keys(await stage.client.record(kind, id))).toEqual(
      expect.arrayContaining(fields),
    );
  });

  test.each(kinds)('deleting removes the generated asset from storage (%s)', async (kind) => {
    const stage = await slow();
    const { id, url } = await finished(stage, kind);
    expect((await download(url)).status).toBe(200);
    await stage.client.ask('DELETE', `/v1/${kind}-projects/${id}`);
    expect((await download(url)).status).toBe(404);
  });

  test.each(kinds)('a project in error can be deleted too (%s)', async (kind) => {
    const stage = await slow();
    const { client } = stage;
    const { id } = await client.create(hopelessTool[kind], await hopeless(client, kind));
    await reach(stage, kind, id, 'error');
    expect((await client.ask('DELETE', `/v1/${kind}-projects/${id}`)).status).toBe(204);
  });
});

describe('interface.md, Other endpoints: documented fields of other tools', () => {
  const shared = oneSlow();

  test.each(['gif', 'webm', 'mp4'])(
    'output_format %s on the GIF generator',
    async (output_format) => {
      const { client } = shared();
      const body = { output_format, style: { prompt: 'a cat' } };
      expect((await client.ask('POST', '/v1/ai-gif-generator', body)).status).toBe(200);
    },
  );

  test('output_format of another value is refused, and named', async () => {
    const { client } = shared();
    const body = { output_format: 'avi', style: { prompt: 'a cat' } };
    const message = messageOf(await client.ask('POST', '/v1/ai-gif-generator', body), 400);
    expect(message).toMatch(/output_format.*avi/);
  });

  test('max_fps_limit on lip sync caps the frame rate used for costing', async () => {
    const { client } = shared();
    const body = edited(await requestFor(client, 'lip-sync'), 'end_seconds', 10);
    const charged = async (limit: number | undefined): Promise<number> =>
      Number(
        (await client.create('lip-sync', edited(body, 'max_fps_limit', limit)))['credits_charged'],
      );
    const uncapped = await charged(undefined);
    expect(await charged(12)).toBeLessThan(await charged(24));
    expect(await charged(24)).toBeLessThan(uncapped);
    expect(await charged(240)).toBe(uncapped);
  });

  const fields: readonly (readonly [string, string, string, Json])[] = [
    ['style.tool on the image generator', 'ai-image-generator', 'style.tool', 'general'],
    ['style.intensity on the talking photo', 'ai-talking-photo', 'style.intensity', 1.2],
  ];
  test.each(fields)('%s', async (_, tool, field, value) => {
    const { client } = shared();
    const body = edited(await requestFor(client, tool), field, value);
    expect((await client.ask('POST', `/v1/${tool}`, body)).status).toBe(200);
  });

  test('face_mappings on face swap video', async () => {
    const stage = await slow();
    const body = await requestFor(stage.client, 'face-swap', 1);
    const { assets } = body;
    expect(isObject(assets) && listAt(assets, 'face_mappings').length).toBeGreaterThan(0);
    const { id } = await stage.client.create('face-swap', body);
    expect(await reach(stage, 'video', id, 'complete')).toMatchObject({ error: null });
  });
});
