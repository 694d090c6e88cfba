// What the service says no to, in which words, and that a refusal costs nothing and opens nothing.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { LocalService } from '../../../src/service/start.ts';
import { photo, service } from '../../rig.ts';
import { addressIn, Client, download, pathOf, put, send, textAt } from '../client.ts';

const swapPath = '/v1/face-swap-photo';

function expectNothingCharged(local: LocalService): void {
  expect(local.ledger().map(({ kind }) => kind)).toEqual(['adjustment']);
}

describe('without a key', () => {
  const wrong: readonly (readonly [string, string | undefined])[] = [
    ['no header', undefined],
    ['an empty header', ''],
    ['only the scheme', 'Bearer'],
    ['another scheme', 'Basic KEY'],
    ['the key alone', 'KEY'],
    ['a wrong key', 'Bearer sl_wrong'],
    ['more than the key', 'Bearer KEYx'],
    ['the key and another word', 'Bearer KEY x'],
    ['two keys', 'Bearer KEY, Bearer KEY'],
  ];

  test.each(wrong)('%s is answered with Unauthorized on every path', async (_, header) => {
    const local = await service();
    const headers: Record<string, string> =
      header === undefined ? {} : { authorization: header.replaceAll('KEY', local.key) };
    const asked = [
      ['POST', swapPath],
      ['POST', '/v1/files/generate-upload-urls'],
      ['POST', '/v1/files/face-detection'],
      ['GET', '/v1/files/x/face-detection'],
      ['GET', '/v1/image-projects/x'],
      ['DELETE', '/v1/video-projects/x'],
      ['GET', '/v1/account'],
    ] as const;
    for (const [method, path] of asked) {
      const answer = await send(local.address, { method, path, headers });
      expect([path, answer.status, answer.body]).toEqual([path, 401, { message: 'Unauthorized' }]);
    }
  });

  test('nothing of a request is looked at, and nothing is charged', async () => {
    const local = await service();
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const valid = {
      assets: { target_file_path: file, source_file_path: file, face_swap_mode: 'all-faces' },
    };
    for (const body of [JSON.stringify(valid), '{"assets":', '', 'x'.repeat(3_000_000)])
      expect(await send(local.address, { method: 'POST', path: swapPath, body })).toMatchObject({
        status: 401,
        body: { message: 'Unauthorized' },
      });
    expectNothingCharged(local);
  });

  test('an unknown path under /v1 does not say that it is unknown', async () => {
    const { address } = await service();
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/nothing',
      '/v1?x',
      '/v1/%',
      '/v1/image-projects/%E0%A4%A',
    ])
      expect((await send(address, { method: 'GET', path })).status, path).toBe(401);
  });

  test.each([
    '/%76%31/account',
    '/v%31/account',
    '/v1%2faccount',
    '//v1/account',
    '/V1/account',
    '/./v1/account',
    '/x/../v1/account',
    '/v1//account',
    '/v1;/account',
    '/v1/account;x',
  ])('the account is not shown under the spelling %s', async (path) => {
    const { address } = await service();
    expect([401, 404]).toContain((await send(address, { method: 'GET', path })).status);
  });

  test('nothing is created under another spelling of a path', async () => {
    const local = await service();
    const body = json({ end_seconds: 3, style: { prompt: 'x' } });
    for (const path of ['/%76%31/text-to-video', '/v1/text%2dto-video', '/v%31/text-to-video'])
      await send(local.address, { method: 'POST', path, body });
    expectNothingCharged(local);
  });
});

test('the scheme Bearer may be written in small letters', async () => {
  const { address, key } = await service();
  const headers = { authorization: `bearer ${key}` };
  expect((await send(address, { method: 'GET', path: '/v1/account', headers })).status).toBe(200);
});

describe('a creation is refused with 400 and nothing is charged when', () => {
  const asset = 'https://example.com/a.png';
  const swap = { target_file_path: asset, source_file_path: asset, face_swap_mode: 'all-faces' };
  const replace = { video_file_path: 'https://example.com/a.mp4', image_file_path: asset };
  const bodies: readonly (readonly [string, string, string, RegExp])[] = [
    ['there is no body', swapPath, '', /body is missing/],
    ['the body is no JSON', swapPath, '{"assets": {', /not valid JSON/],
    ['the body is a word', swapPath, 'hello', /not valid JSON/],
    ['the body reaches for a prototype', swapPath, '{"__proto__": {"x": 1}}', /JSON/],
    ['the body is a list', swapPath, '[]', /JSON object/],
    ['the body is null', swapPath, 'null', /JSON object/],
    ['the body is a text', swapPath, '"x"', /JSON object/],
    ['the body is empty', swapPath, '{}', /assets is missing/],
    ['assets is no object', swapPath, json({ assets: 'x' }), /assets must be object/],
    ['a field is missing', swapPath, json({ assets: {} }), /assets\.target_file_path is missing/],
    [
      'a field has another type',
      swapPath,
      json({ assets: { ...swap, target_file_path: 5 } }),
      /assets\.target_file_path must be string, not 5/,
    ],
    [
      'an asset is empty',
      swapPath,
      json({ assets: { ...swap, target_file_path: '' } }),
      /assets\.target_file_path/,
    ],
    [
      'the name is null',
      swapPath,
      json({ name: null, assets: swap }),
      /name must be string, not null/,
    ],
    [
      'a value is not on its list',
      swapPath,
      json({ assets: { ...swap, face_swap_mode: 'some-faces' } }),
      /assets\.face_swap_mode must be one of all-faces, individual-faces, not "some-faces"/,
    ],
    [
      'all faces are to be swapped with none',
      swapPath,
      json({ assets: { target_file_path: asset, face_swap_mode: 'all-faces' } }),
      /source_file_path/,
    ],
    [
      'chosen faces are to be swapped and none is chosen',
      swapPath,
      json({
        assets: { target_file_path: asset, face_swap_mode: 'individual-faces', face_mappings: [] },
      }),
      /face_mappings/,
    ],
    [
      'a clip has no end',
      '/v1/character-replace',
      json({ assets: replace }),
      /end_seconds is missing/,
    ],
    [
      'a clip ends before it starts',
      '/v1/character-replace',
      json({ start_seconds: 3, end_seconds: 2, assets: replace }),
      /end_seconds \(2\) must be greater than start_seconds \(3\)/,
    ],
    [
      'a clip starts below zero',
      '/v1/character-replace',
      json({ start_seconds: -1, end_seconds: 2, assets: replace }),
      /start_seconds.*-1/,
    ],
    [
      'a clip is too short',
      '/v1/character-replace',
      json({ end_seconds: 0.05, assets: replace }),
      /end_seconds.*0\.05/,
    ],
    [
      'points are to be used and there are none',
      '/v1/character-replace',
      json({ end_seconds: 1, assets: replace, style: { selection_mode: 'point' } }),
      /points/,
    ],
    [
      'a resolution is unknown',
      '/v1/character-replace',
      json({ end_seconds: 1, assets: replace, resolution: '4k' }),
      /resolution must be one of 480p, 720p, not "4k"/,
    ],
    [
      'a URL has no known extension',
      '/v1/photo-colorizer',
      json({ assets: { image_file_path: 'https://example.com/a' } }),
      /assets\.image_file_path: .*known extension/,
    ],
    [
      'a URL is none',
      '/v1/photo-colorizer',
      json({ assets: { image_file_path: 'http://[' } }),
      /assets\.image_file_path: .*not a valid URL/,
    ],
  ];

  test.each(bodies)('%s', async (_, path, body, message) => {
    const local = await service();
    const answer = await send(local.address, {
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${local.key}`, 'content-type': 'application/json' },
      body,
    });
    expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['message']]);
    expect(answer.body['message']).toMatch(message);
    expectNothingCharged(local);
  });

  test.each([
    '/v1/files/generate-upload-urls',
    '/v1/files/upload-urls',
    '/v1/files/face-detection',
    '/v1/face-detection',
    '/v1/text-to-video',
  ])('there is no body, at %s too', async (path) => {
    const client = new Client(await service());
    const answer = await client.ask('POST', path);
    expect(answer.status).toBe(400);
    expect(answer.body['message']).toMatch(/body is missing/);
  });

  test('an asset path is not in storage, and says where paths come from', async () => {
    const local = await service();
    const client = new Client(local);
    const [place] = await client.uploadAddresses('image', 'png');
    const here = await client.upload(await photo(1), 'png');
    // Never uploaded; given out and not yet uploaded to; of another place.
    const missing = ['api-assets/no/no.png', place?.path ?? '', 'photos/a.png', `/${here}`];
    for (const path of missing) {
      const mapping = { original_face: here, new_face: path };
      const bodies: readonly Json[] = [
        { assets: { target_file_path: path, source_file_path: here } },
        { assets: { target_file_path: here, source_file_path: path } },
        { assets: { target_file_path: here, face_mappings: [mapping] } },
      ];
      for (const body of bodies) {
        const answer = await client.ask('POST', swapPath, body);
        expect([path, answer.status]).toEqual([path, 400]);
        const message = textAt(answer.body, 'message');
        expect(message).toContain(`"${path}" does not exist`);
        expect(message).toMatch(/file_path that POST \/v1\/files\/generate-upload-urls/);
        expect(message).toMatch(/PUT/);
      }
    }
    const detection = await client.ask('POST', '/v1/files/face-detection', {
      assets: { target_file_path: 'api-assets/no/no.png' },
    });
    expect(detection.status).toBe(400);
    expectNothingCharged(local);
  });

  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  test.each([
    ['the whole body', swapPath, nested(100_000)],
    ['a field of another type', swapPath, `{"name": ${nested(100_000)}}`],
    ['an unknown field', '/v1/text-to-video', withMore(nested(100_000))],
    ['an unknown field, less deep', '/v1/text-to-video', withMore(nested(3000))],
    ['a list of items', '/v1/files/generate-upload-urls', `{"items": ${nested(100_000)}}`],
  ])('the body is nested deeper than anything needs: %s', async (_, path, body) => {
    const local = await service();
    const headers = { authorization: `Bearer ${local.key}` };
    const { status } = await send(local.address, { method: 'POST', path, headers, body });
    expect(status).toBe(400);
    expectNothingCharged(local);
  });
});

test('a body that is too large is refused with a message', async () => {
  const local = await service();
  const { status, body } = await new Client(local).ask('POST', '/v1/text-to-video', {
    end_seconds: 1,
    style: { prompt: 'x'.repeat(2_000_000) },
  });
  expect([status, body]).toEqual([400, { message: 'Request body is too large' }]);
  expectNothingCharged(local);
});

const anUpload = json({ items: [{ type: 'image', extension: 'png' }] });

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/problem+json'])(
  'a body is read as JSON when it is called %s',
  async (type) => {
    const local = await service();
    const headers = { authorization: `Bearer ${local.key}`, 'content-type': type };
    const path = '/v1/files/generate-upload-urls';
    const { status } = await send(local.address, { method: 'POST', path, headers, body: anUpload });
    expect(status).toBe(200);
  },
);

test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ';', '"'])(
  'a body that is called %s is refused, and the message says so',
  async (type) => {
    const local = await service();
    const headers = { authorization: `Bearer ${local.key}`, 'content-type': type };
    const path = '/v1/files/generate-upload-urls';
    const { status, body } = await send(local.address, {
      ...{ method: 'POST', path, headers, body: anUpload },
    });
    expect([status, body]).toEqual([
      400,
      {
        message: `The Content-Type of the body must be application/json, not ${JSON.stringify(type)}.`,
      },
    ]);
  },
);

test.each([
  ['an unknown extension', 'image', 'exe'],
  ['an extension of another type', 'image', 'mp3'],
  ['a sound as a clip', 'video', 'weba'],
  ['a clip as a sound', 'audio', 'mp4'],
])('upload addresses for %s are refused with 422', async (_, type, extension) => {
  const client = new Client(await service());
  const items = [
    { type: 'image', extension: 'png' },
    { type, extension },
  ];
  const answer = await client.ask('POST', '/v1/files/generate-upload-urls', { items });
  expect([answer.status, answer.body['message']]).toEqual([
    422,
    `items.1.extension "${extension}" is not accepted for the type ${type}.`,
  ]);
});

test.each(['weba', 'oga', 'amr', 'webm'])(
  'upload addresses are given for .%s audio',
  async (extension) => {
    const client = new Client(await service());
    expect(await client.uploadAddresses('audio', extension)).toHaveLength(1);
  },
);

describe('upload addresses are refused with 400', () => {
  const item = { type: 'image', extension: 'png' };
  test.each([
    ['for no file', { items: [] }, /items/],
    ['without items', {}, /items is missing/],
    ['for an unknown type', { items: [{ ...item, type: 'text' }] }, /items\.0\.type.*"text"/],
    ['for a missing extension', { items: [{ type: 'image' }] }, /items\.0\.extension is missing/],
    ['for an extension with a dot', { items: [{ ...item, extension: '.png' }] }, /extension/],
    ['for a way out of the folder', { items: [{ ...item, extension: '../../x' }] }, /extension/],
    ['for an encoded way out', { items: [{ ...item, extension: '%2e%2e%2fx' }] }, /extension/],
    ['for a name with an end of line', { items: [{ ...item, extension: 'png\n' }] }, /extension/],
  ])('%s', async (_, body, message) => {
    const client = new Client(await service());
    const answer = await client.ask('POST', '/v1/files/generate-upload-urls', body);
    expect(answer.status).toBe(400);
    expect(answer.body['message']).toMatch(message);
  });
});

describe('without enough credits', () => {
  test('a creation is answered with 402, and nothing is charged', async () => {
    const local = await service({ credits: 15 });
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    await client.swap(file, file);
    const answer = await client.ask('POST', swapPath, {
      assets: { target_file_path: file, source_file_path: file },
    });
    expect([answer.status, Object.keys(answer.body)]).toEqual([402, ['message']]);
    expect(answer.body['message']).toMatch(/10 credits.*5/);
    expect(local.balance()).toBe(5);
    expect(local.ledger().map(({ kind }) => kind)).toEqual(['adjustment', 'charge']);
  });

  test('a request that is wrong as well is answered with what is wrong', async () => {
    const client = new Client(await service({ credits: 0 }));
    expect((await client.ask('POST', swapPath, {})).status).toBe(400);
  });
});

describe('Not Found is the answer', () => {
  test('to paths and methods that nobody answers to', async () => {
    const client = new Client(await service());
    const asked = [
      ['GET', '/'],
      ['GET', '/v1'],
      ['GET', '/v1/nothing'],
      ['POST', '/v1/face-swap-photos'],
      ['POST', '/v1/face-swap-photo/'],
      ['GET', swapPath],
      ['PUT', swapPath],
      ['DELETE', swapPath],
      ['POST', '/v1/image-projects/x'],
      ['GET', '/v1/image-projects'],
      ['GET', '/v2/account'],
      ['POST', '/v1/account'],
    ] as const;
    for (const [method, path] of asked) {
      const answer = await client.ask(method, path, method === 'GET' ? undefined : {});
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        404,
        { message: 'Not Found' },
      ]);
    }
  });

  test('to ids that do not exist, and to those of another kind of project', async () => {
    const client = new Client(await service());
    const file = await client.upload(await photo(1), 'png');
    const id = await client.swap(file, file);
    const paths = [
      '/v1/image-projects/none',
      '/v1/video-projects/none',
      '/v1/audio-projects/none',
      `/v1/video-projects/${id}`,
      `/v1/audio-projects/${id}`,
    ];
    for (const path of paths)
      for (const method of ['GET', 'DELETE'] as const)
        expect(await client.ask(method, path)).toMatchObject({
          status: 404,
          body: { message: 'Not Found' },
        });
    for (const path of [`/v1/files/${id}/face-detection`, `/v1/face-detection/${id}`])
      expect((await client.ask('GET', path)).status).toBe(404);
    expect((await client.ask('GET', `/v1/image-projects/${id}`)).status).toBe(200);
  });
});

describe('the data folder', () => {
  const outs = [
    '../secret.png',
    '../../secret.png',
    '..%2fsecret.png',
    '%2e%2e/secret.png',
    '%2e%2e%2fsecret.png',
    '%252e%252e%252fsecret.png',
    '..\\secret.png',
    '..%5csecret.png',
    'api-assets/../../secret.png',
    'api-assets/..%2f..%2fsecret.png',
    'service.sqlite',
    'api-assets/../service.sqlite',
    '%00',
    'x%00.png',
    '....//secret.png',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    '%',
    '%E0%A4%A',
    'x'.repeat(5000),
  ];

  /** A service whose data folder lies beside a file that nobody may see. */
  async function beside(): Promise<{ local: LocalService; parent: string }> {
    const parent = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    writeFileSync(join(parent, 'secret.png'), 'the secret');
    mkdirSync(join(parent, 'data'));
    return { local: await service({ data: join(parent, 'data') }), parent };
  }

  test('is never left by an id, an address or an asset path, however it is written', async () => {
    const { local, parent } = await beside();
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const [place] = await client.uploadAddresses('image', 'png');
    const record = await client.settled('image', await client.swap(file, file));
    const signedUpload = new URL(place?.url ?? '').search;
    const signedDownload = new URL(addressIn(record)).search;
    for (const out of outs) {
      const asked = [
        ['GET', `/v1/image-projects/${out}`],
        ['DELETE', `/v1/image-projects/${out}`],
        ['GET', `/v1/files/${out}/face-detection`],
        ['GET', `/v1/face-detection/${out}`],
        ['GET', `/downloads/${out}`],
        ['GET', `/downloads/${out}${signedDownload}`],
        ['HEAD', `/downloads/${out}${signedDownload}`],
        ['PUT', `/uploads/${out}`],
        ['PUT', `/uploads/${out}${signedUpload}`],
      ] as const;
      for (const [method, path] of asked) {
        const headers = { authorization: `Bearer ${local.key}` };
        const sent =
          method === 'PUT'
            ? { method, path, headers, body: 'mine now' }
            : { method, path, headers };
        const answer = await send(local.address, sent);
        expect(answer.status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
        expect(answer.status, `${method} ${path}`).toBeLessThan(500);
        expect(answer.bytes.toString()).not.toContain('the secret');
      }
      for (const path of [
        out,
        decodeURIComponentOr(out),
        `${local.address}/downloads/${out}${signedDownload}`,
      ]) {
        const answer = await client.ask('POST', '/v1/photo-colorizer', {
          assets: { image_file_path: path },
        });
        if (answer.status === 400) continue;
        // Taken for a URL: one of somebody else's is never fetched, one of the service's own does not work. Were the
        // file read, the project would say that it is no picture.
        const { status, error } = await client.settled('image', textAt(answer.body, 'id'));
        if (status !== 'complete')
          expect(error).toMatchObject({
            message: expect.stringContaining('its address no longer works'),
          });
      }
    }
    expect(readdirSync(parent).sort()).toEqual(['data', 'secret.png']);
    expect(readdirSync(join(parent, 'data', 'incoming'))).toEqual([]);
    expect((await client.ask('GET', '/v1/account')).status).toBe(200);
  });

  test('gives out no file by an address of another one', async () => {
    const { local } = await beside();
    const client = new Client(local);
    const [one, other] = [await photo(1), await photo(2)];
    const first = await client.settled(
      'image',
      await client.swap(await client.upload(one, 'png'), await client.upload(other, 'png')),
    );
    const second = await client.settled(
      'image',
      await client.swap(await client.upload(other, 'png'), await client.upload(one, 'png')),
    );
    const mixed = new URL(addressIn(first));
    mixed.search = new URL(addressIn(second)).search;
    expect((await download(mixed.href)).status).toBe(403);
  });

  test('takes no file at an address that was given for a download', async () => {
    const { local } = await beside();
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    const url = addressIn(await client.settled('image', await client.swap(file, file)));
    const upload = `${local.address}${pathOf(url).replace('/downloads/', '/uploads/')}`;
    expect((await put(upload, Buffer.from('mine now'))).status).toBe(403);
    expect((await download(url)).bytes.length).toBeGreaterThan(100);
  });
});

/** A valid request with a field that is not known, which is passed on. */
function withMore(value: string): string {
  return `{"end_seconds": 3, "style": {"prompt": "x"}, "more": ${value}}`;
}

function json(value: Json): string {
  return JSON.stringify(value);
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
