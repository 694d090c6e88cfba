// interface.md, Asset reference: what may stand where an input file is named, and how a file is uploaded.
// Left out: "Upload-URL record: not shown beyond the items[].file_path field" names nothing else to test.
import { describe, expect, test } from 'vitest';
import { photo } from '../../rig.ts';
import { addressIn, listAt, pathOf, put, send, textAt } from '../client.ts';
import {
  assetsIn,
  creations,
  edited,
  exampleOf,
  filled,
  messageOf,
  requestFor,
  valueAt,
} from './door.ts';
import { oneSlow, reach, slow } from './stage.ts';

/** Every tool with every field of its first example that names a file. */
const assetFields = creations.flatMap(([tool]) =>
  assetsIn(exampleOf(tool)).map((field): [string, string] => [tool, field]),
);

const extensions: Readonly<Record<string, string>> = {
  'asset:image': 'png',
  'asset:video': 'mp4',
  'asset:audio': 'mp3',
};

describe('interface.md, Asset reference', () => {
  const stage = oneSlow();

  test.each(assetFields)(
    'is the file_path returned by the upload-URL endpoint: %s takes one for %s',
    async (tool, field) => {
      const { client } = stage();
      const body = await filled(client, exampleOf(tool));
      expect(JSON.stringify(body)).toContain('api-assets/');
      expect((await client.ask('POST', `/v1/${tool}`, body)).status, field).toBe(200);
    },
  );

  test.each(
    assetFields.filter(([tool]) =>
      ['face-swap', 'face-swap-photo', 'character-replace'].includes(tool),
    ),
  )('or a direct URL to the file: %s takes one for %s', async (tool, field) => {
    const { client } = stage();
    const kind = valueAt(exampleOf(tool), field);
    const url = `https://example.com/files/one.${extensions[`${kind}`]}`;
    const body = edited(await requestFor(client, tool), field, url);
    expect((await client.ask('POST', `/v1/${tool}`, body)).status).toBe(200);
  });

  test('or a direct URL to the file: the download address of an earlier project', async () => {
    const own = await slow();
    const { client } = own;
    const file = await client.upload(await photo(1), 'png');
    const url = addressIn(await reach(own, 'image', await client.swap(file, file), 'complete'));
    const id = await client.swap(url, file);
    expect(await reach(own, 'image', id, 'complete')).toMatchObject({ error: null });
  });

  test.each(assetFields)(
    'a path that does not exist in storage is rejected with an error naming the path: %s, %s',
    async (tool, field) => {
      const { local, client } = stage();
      const before = local.balance();
      const path = 'api-assets/none/nothing.png';
      const body = edited(await requestFor(client, tool), field, path);
      const message = messageOf(await client.ask('POST', `/v1/${tool}`, body), 400);
      expect(message).toContain(path);
      expect(message).toContain('does not exist');
      expect(local.balance()).toBe(before);
    },
  );

  test('a path that was given out and not yet uploaded to does not exist', async () => {
    const { client } = await slow();
    const [place] = await client.uploadAddresses('image', 'png');
    const body = { assets: { image_file_path: place?.path ?? '' } };
    const message = messageOf(await client.ask('POST', '/v1/photo-colorizer', body), 400);
    expect(message).toContain(place?.path);
  });

  test('that error says to use the file_path values of the upload-URL endpoint and to PUT the file', async () => {
    const { client } = await slow();
    const body = { assets: { image_file_path: 'api-assets/none/nothing.png' } };
    const message = messageOf(await client.ask('POST', '/v1/photo-colorizer', body), 400);
    expect(message).toMatch(/file_path/);
    expect(message).toContain('/v1/files/generate-upload-urls');
    expect(message).toMatch(/PUT/);
  });
});

describe('interface.md, Asset reference: the upload flow', () => {
  test('call the endpoint, PUT each file to the address returned, then use the returned file_path', async () => {
    const stage = await slow();
    const { client } = stage;
    const items = [
      { type: 'image', extension: 'png' },
      { type: 'image', extension: 'png' },
    ];
    const { body } = await client.ask('POST', '/v1/files/generate-upload-urls', { items });
    const places = listAt(body, 'items');
    expect(places).toHaveLength(2);
    for (const [number, place] of places.entries())
      expect((await put(textAt(place, 'upload_url'), await photo(number))).status).toBe(200);
    const [target = '', source = ''] = places.map((place) => textAt(place, 'file_path'));
    const id = await client.swap(target, source);
    expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
  });

  test.each([
    ['none', undefined],
    ['image/png', 'image/png'],
    ['application/octet-stream', 'application/octet-stream'],
    ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
    ['application/json', 'application/json'],
  ])('a Content-Type header on the upload is optional: %s', async (_, type) => {
    const stage = await slow();
    const { client } = stage;
    const [place] = await client.uploadAddresses('image', 'png');
    const url = place?.url ?? '';
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const sent = { method: 'PUT', path: pathOf(url), headers, body: await photo(1) } as const;
    expect((await send(new URL(url).origin, sent)).status).toBe(200);
    const id = await client.swap(place?.path ?? '', place?.path ?? '');
    expect(await reach(stage, 'image', id, 'complete')).toMatchObject({ error: null });
  });

  test('the upload-URL record has items[].file_path, one for each file, in their order', async () => {
    const { client } = await slow();
    const places = [
      ...(await client.uploadAddresses('image', 'png', 'jpg')),
      ...(await client.uploadAddresses('video', 'mp4')),
      ...(await client.uploadAddresses('audio', 'mp3')),
    ];
    expect(places.map(({ path }) => path.split('.').at(-1))).toEqual(['png', 'jpg', 'mp4', 'mp3']);
    expect(new Set(places.map(({ path }) => path)).size).toBe(4);
  });
});
