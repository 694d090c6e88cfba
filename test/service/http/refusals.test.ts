// What the service says no to, beyond the fields of a creation (conformance/fields.test.ts) and what no client would
// send (siege.test.ts).
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { type LocalService, startService } from '../../../src/service/start.ts';
import { photo, plainly, service } from '../../rig.ts';
import { addressIn, Client, download, pathOf, put, send } from '../client.ts';

/** For what leaves nothing behind. */
let local: LocalService;
beforeAll(async () => {
  local = await startService(plainly);
  return () => local.close();
});

function expectNothingCharged(local: LocalService): void {
  expect(local.ledger().map(({ kind }) => kind)).toEqual(['adjustment']);
}

const png = { type: 'image', extension: 'png' };
const uploads = '/v1/files/generate-upload-urls';

describe('without a key', () => {
  test('nothing of a request is looked at, and nothing is charged', async () => {
    for (const path of ['/v1/face-swap-photo', '/v1/nothing', '/v1', '/v1/%', '/v1?x'])
      for (const body of ['{"assets":', '', 'x'.repeat(3_000_000)]) {
        const answer = await send(local.address, { method: 'POST', path, body });
        expect([path, answer.status, answer.body]).toEqual([
          path,
          401,
          { message: 'Unauthorized' },
        ]);
      }
    expectNothingCharged(local);
  });

  test.each([
    '/%76%31/account',
    '/v1%2faccount',
    '//v1/account',
    '/V1/account',
    '/x/../v1/account',
    '/v1;/account',
  ])('the account is not shown under the spelling %s', async (path) => {
    expect([401, 404]).toContain((await send(local.address, { method: 'GET', path })).status);
  });
});

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  ['is a list', '[]', /JSON object/],
  ['is null', 'null', /JSON object/],
  ['reaches for a prototype', '{"__proto__": {"x": 1}}', /JSON/],
  ['is nested deeper than anything needs', nested(100_000), /./],
  [
    'has an unknown field that is',
    `{"end_seconds":3,"style":{"prompt":"x"},"more":${nested(3000)}}`,
    /./,
  ],
  ['is too large', JSON.stringify({ style: { prompt: 'x'.repeat(2_000_000) } }), /too large/],
])('a body that %s is refused, and nothing is charged', async (_, body, message) => {
  const headers = { authorization: `Bearer ${local.key}`, 'content-type': 'application/json' };
  const request = { method: 'POST', path: '/v1/text-to-video', headers, body } as const;
  const answer = await send(local.address, request);
  expect([answer.status, answer.body]).toEqual([400, { message: expect.stringMatching(message) }]);
  expectNothingCharged(local);
});

test.each([
  ['application/json; charset=utf-8', 200],
  ['Application/JSON', 200],
  ['application/problem+json', 200],
  ['application/jsonp', 400],
  [';', 400],
  ['"', 400],
])('a body that is called %s is answered with %i', async (type, status) => {
  const headers = { authorization: `Bearer ${local.key}`, 'content-type': type };
  const body = JSON.stringify({ items: [png] });
  const answer = await send(local.address, { method: 'POST', path: uploads, headers, body });
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body['message']).toContain('application/json');
});

test.each<readonly [string, Json, number, RegExp]>([
  [
    'an unknown extension',
    [{ type: 'image', extension: 'exe' }],
    422,
    /items\.0\.extension "exe".*image/,
  ],
  [
    'an extension of another type',
    [png, { type: 'image', extension: 'mp3' }],
    422,
    /items\.1.*"mp3"/,
  ],
  ['a sound as a clip', [{ type: 'video', extension: 'weba' }], 422, /"weba".*video/],
  ['a clip as a sound', [{ type: 'audio', extension: 'mp4' }], 422, /"mp4".*audio/],
  ['no file', [], 400, /items/],
  ['an unknown type', [{ type: 'text', extension: 'png' }], 400, /items\.0\.type.*"text"/],
  ['no extension', [{ type: 'image' }], 400, /items\.0\.extension is missing/],
  ['an extension with a dot', [{ type: 'image', extension: '.png' }], 400, /extension/],
  ['a way out of the folder', [{ type: 'image', extension: '../../x' }], 400, /extension/],
  ['an end of line', [{ type: 'image', extension: 'png\n' }], 400, /extension/],
])('upload addresses for %s are refused', async (_, items, status, message) => {
  const answer = await new Client(local).ask('POST', uploads, { items });
  expect([answer.status, answer.body['message']]).toEqual([status, expect.stringMatching(message)]);
});

test.each(['weba', 'oga', 'amr', 'webm'])(
  'upload addresses are given for .%s audio',
  async (name) => {
    expect(await new Client(local).uploadAddresses('audio', name)).toHaveLength(1);
  },
);

test('a request that is wrong and not paid for is answered with what is wrong', async () => {
  const client = new Client(await service({ credits: 0 }));
  expect((await client.ask('POST', '/v1/face-swap-photo', {})).status).toBe(400);
});

test('a URL needs a known extension, and is one', async () => {
  const client = new Client(local);
  for (const [url, message] of [
    ['https://example.com/a', /known extension/],
    ['http://[', /not a valid URL/],
  ] as const) {
    const answer = await client.ask('POST', '/v1/photo-colorizer', {
      assets: { image_file_path: url },
    });
    expect([answer.status, answer.body['message']]).toEqual([400, expect.stringMatching(message)]);
  }
});

test.each([
  ['GET', '/'],
  ['GET', '/v1/face-swap-photo'],
  ['PUT', '/v1/face-swap-photo'],
  ['POST', '/v1/face-swap-photo/'],
  ['POST', '/v1/image-projects/x'],
  ['GET', '/v1/image-projects'],
  ['POST', '/v1/account'],
] as const)('nobody answers to %s %s', async (method, path) => {
  const answer = await new Client(local).ask(method, path, method === 'GET' ? undefined : {});
  expect([answer.status, answer.body]).toEqual([404, { message: 'Not Found' }]);
});

test('an address opens one file, one way', async () => {
  const client = new Client(await service());
  const swapped = async (number: number): Promise<string> => {
    const file = await client.upload(await photo(number), 'png');
    return addressIn(await client.settled('image', await client.swap(file, file)));
  };
  const [first, second] = [await swapped(1), await swapped(2)];
  const mixed = new URL(first);
  mixed.search = new URL(second).search;
  expect((await download(mixed.href)).status).toBe(403);
  const upload = `${client.door.address}${pathOf(first).replace('/downloads/', '/uploads/')}`;
  expect((await put(upload, Buffer.from('mine now'))).status).toBe(403);
  expect((await download(first)).bytes.length).toBeGreaterThan(100);
});
