// One local service under fire: a grammar of requests that it takes, and what spoils them. Whatever comes, an answer is
// never the service's own fault, a refusal says why and costs nothing, what is charged is what was answered, no file beside
// the data folder is touched, and the service goes on. `SIEGE=10 npx vitest run test/service/siege.test.ts` tries ten times as much.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { photo, plainly } from '../rig.ts';
import { longTest } from '../sweep.ts';
import {
  type Answer,
  addressIn,
  Client,
  eventually,
  listAt,
  pathOf,
  send,
  textAt,
} from './client.ts';

const tries = (usual: number): number =>
  Math.ceil(usual * Number(process.env['SIEGE'] ?? process.env['EVERY'] ?? 0.1));

const canary = { name: 'canary.png', text: 'the canary that nobody may hear' };
const parent = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
const data = join(parent, 'data');
mkdirSync(data);
writeFileSync(join(parent, canary.name), canary.text);

/** Nothing is ever rendered by this one: what was charged stays as it was answered. */
const still = await startService({
  ...plainly,
  speed: 'realtime',
  credits: 1e15,
  after: () => () => undefined,
});
/** Renders, and has a download. */
const live = await startService({ ...plainly, data, credits: 1e12, slots: 8 });
afterAll(async () => {
  await Promise.all([still.close(), live.close()]);
  rmSync(parent, { recursive: true, force: true });
});

const client = new Client(live);
const photoPath = await client.upload(await photo(3), 'png');
const colorized = await client.create('photo-colorizer', {
  assets: { image_file_path: photoPath },
});
const download = pathOf(addressIn(await client.settled('image', colorized.id)));
const [place] = await client.uploadAddresses('image', 'png');
const upload = pathOf(place?.url ?? '');

interface Order {
  readonly path: string;
  readonly body: string;
}

/** The examples of all tools, with uploads of a client in them. */
async function creationsOf(of: Client): Promise<readonly Order[]> {
  const files = new Map([
    ['asset:image', await of.upload(await photo(3), 'png')],
    ['asset:video', await of.upload(Buffer.from('frames of a clip'), 'mp4', 'video')],
    ['asset:audio', await of.upload(Buffer.from('a voice'), 'mp3', 'audio')],
  ]);
  return tools.flatMap(({ name, examples }) =>
    examples.map((example) => ({
      path: `/v1/${name}`,
      body: JSON.stringify(example).replaceAll(/asset:\w+/g, (text) => files.get(text) ?? text),
    })),
  );
}

const free: readonly Order[] = [
  {
    path: '/v1/files/generate-upload-urls',
    body: '{"items":[{"type":"image","extension":"png"},{"type":"video","extension":"mp4"}]}',
  },
  {
    path: '/v1/files/face-detection',
    body: '{"assets":{"target_file_path":"https://x.example/a.png"}}',
  },
];
const orders: readonly Order[] = [...(await creationsOf(new Client(still))), ...free];

const hubOrders: readonly Order[] = [
  { path: '/hub/accounts', body: '{"email":"b@example.com","tier":"creator","credits":10}' },
  { path: '/hub/accounts/local/tier', body: '{"tier":"business"}' },
  { path: '/hub/keys', body: '{"name":"another","permissions":["upload","read"]}' },
  { path: '/hub/keys/9/revoke', body: '{}' },
  { path: '/hub/webhooks', body: '{"url":"http://127.0.0.1:9/hook","events":["image.completed"]}' },
  { path: '/hub/deliveries/1/replay', body: '{}' },
  { path: '/hub/faults', body: '{"faults":[{"fault":"latency","for":"1ms","on":"x","count":2}]}' },
  {
    path: '/hub/faults',
    body: '{"faults":[{"fault":"job-error","code":"x","on":["a*"],"skip":1}]}',
  },
];

// What spoils JSON: any token of the text, a field's name too, becomes another text, which need not be JSON.
const oddJson = [
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '[[]]',
    '""',
    '" "',
    '"\\u0000"',
    '"\\ud800"',
    '"__proto__"',
    '1e999',
  ],
  ...[
    '-1',
    '0',
    '1.5',
    '9007199254740993',
    '1e308',
    '-0',
    '01',
    'NaN',
    '',
    '"NaN"',
    '"[object Object]"',
  ],
  ...['{"__proto__":{"admin":true}}', '{"a":1,"a":2}', '{"length":1}', '"../../../etc/passwd"'],
  ...['"file:///etc/passwd"', '"data:image/png;base64,AAAA"', `"${'x'.repeat(100_000)}"`],
  ...[`${'['.repeat(20_000)}1${']'.repeat(20_000)}`, `${'{"a":'.repeat(90)}1${'}'.repeat(90)}`],
];
const jsonToken = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g;

function withTokens(
  body: string,
  changes: readonly (readonly [at: number, text: string])[],
): string {
  const tokens = body.match(jsonToken) ?? [];
  const spoiled = new Map(changes.map(([at, text]) => [at % Math.max(1, tokens.length), text]));
  let index = -1;
  return body.replaceAll(jsonToken, (token) => {
    index += 1;
    return spoiled.get(index) ?? token;
  });
}

const anyToken = fc.oneof(
  fc.constantFrom(...oddJson),
  fc.json({ maxDepth: 3, stringUnit: 'binary' }),
);
const tokenChanges = fc.array(fc.tuple(fc.nat(60), anyToken), { minLength: 1, maxLength: 3 });
const anyBody = fc.oneof(anyToken, fc.string({ unit: 'binary', maxLength: 60 }));

// What spoils a path: ways up, other spellings, breaks, names that something else has.
const pathPiece = fc.oneof(
  fc.constantFrom(
    ...[
      '..',
      '.',
      '....//',
      '%2e%2e',
      '.%2e',
      '%252e%252e',
      '..%00',
      '%c0%ae',
      '%u002e',
      '~',
      '*',
      ':id',
    ],
    ...[
      '/',
      '//',
      '\\',
      '%2f',
      '%5c',
      '%252f',
      '%c0%af',
      ';',
      '%00',
      '%0d%0a',
      '%',
      '%zz',
      '%ff',
      '#',
      '?',
      '&',
    ],
    ...[
      canary.name,
      'service.sqlite',
      'incoming',
      'outputs',
      'etc/passwd',
      '__proto__',
      'con',
      '-1',
      '0',
      '%3Cb%3E',
    ],
  ),
  fc.stringMatching(/^[!-~]{1,12}$/),
);
const wildPath = fc
  .array(pathPiece, { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.join(''));

/** Never the service's own fault, never what lies beside the data folder; and a refusal says why, in JSON or on a page. */
function expectDecent({ status, headers, bytes, body }: Answer, about: string): void {
  expect(status, about).toBeLessThan(500);
  expect(bytes.includes(canary.text), about).toBe(false);
  if (String(headers['content-type']).startsWith('text/html'))
    expect(bytes.includes('<b>'), about).toBe(false);
  else if (status >= 400 && bytes.length > 0) expect(typeof body['message'], about).toBe('string');
}

function filesBeside(): readonly string[] {
  const names = readdirSync(parent, { recursive: true, withFileTypes: true });
  return names.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const isText = entry.isFile() && !path.startsWith(join(data, 'service.sqlite'));
    return isText ? `${path} ${readFileSync(path, 'latin1')}` : path;
  });
}

interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: string;
}

async function ask({ address, key }: LocalService, { method, path, body }: Asked): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const request = { method, path, headers };
  const answer = await send(address, body === undefined ? request : { ...request, body });
  expectDecent(answer, `${method} ${path} ${body ?? ''}`.slice(0, 300));
  return answer;
}

const moneyOf = (local: LocalService): readonly [number, number] => [
  local.balance(),
  local.ledger().length,
];

/** Posts; what is taken is charged once, as it was answered, and a refusal costs nothing. */
async function order(path: string, body: string): Promise<Answer> {
  const [balance, entries] = moneyOf(still);
  const answer = await ask(still, { method: 'POST', path, body });
  const price = answer.status === 200 ? answer.body['credits_charged'] : undefined;
  const expected =
    price === undefined ? [balance, entries] : [balance - Number(price), entries + 1];
  expect(moneyOf(still), `POST ${path} ${body.slice(0, 300)}`).toEqual(expected);
  return answer;
}

const warnings: Error[] = [];
const hear = (warning: Error): void => void warnings.push(warning);
process.on('warning', hear);
afterAll(() => void process.off('warning', hear));

/** Whatever was sent, both services serve the next client. */
afterEach(async () => {
  expect(warnings.splice(0).filter(({ name }) => name !== 'ExperimentalWarning')).toEqual([]);
  for (const local of [still, live]) {
    const { status, body } = await ask(local, { method: 'GET', path: '/v1/account' });
    expect([status, body['credits']]).toEqual([200, local.balance()]);
  }
});

test('any change of a valid body, and any other body, is taken and charged once or refused for nothing', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...orders),
    fc.oneof({ weight: 5, arbitrary: tokenChanges }, { weight: 1, arbitrary: anyBody }),
    async ({ path, body }, change) => {
      const text = typeof change === 'string' ? change : withTokens(body, change);
      expect([200, 400, 402, 413], `${path} ${text.slice(0, 300)}`).toContain(
        (await order(path, text)).status,
      );
    },
  );
  await fc.assert(property, { seed: 1, numRuns: tries(1500) });
});

test('no file is read, written or removed by an id, a key, a path or an address that was changed', async () => {
  const before = filesBeside();
  const shapes: readonly (readonly [Asked['method'], (part: string) => string])[] = [
    ['GET', (part) => `/v1/image-projects/${part}`],
    ['DELETE', (part) => `/v1/video-projects/${part}`],
    ['GET', (part) => `/v1/files/${part}/face-detection`],
    ['POST', (part) => `/v1/${part}`],
    ['GET', (part) => `/${part}`],
    ['PUT', (part) => `/uploads/${part}`],
    ['GET', (part) => `/downloads/${part}`],
    ['DELETE', (part) => `/downloads/${part}`],
    ['GET', (part) => `/downloads/outputs/${colorized.id}/${part}`],
    ['PUT', (part) => `/uploads/api-assets/${part}`],
    ['GET', (part) => `${download.slice(0, -1)}${part}`],
    ['GET', (part) => download.replace('signature=', `signature=${part}`)],
    ['GET', (part) => download.replace('/downloads/', `/downloads/${part}/`)],
    ['PUT', (part) => upload.replace('expires=', `expires=${part}`)],
    ['PUT', (part) => `${upload.split('?')[0]}${part}`],
  ];
  const property = fc.asyncProperty(
    fc.constantFrom(...shapes),
    wildPath,
    async ([method, shape], part) => {
      const body = method === 'GET' ? undefined : 'mine now';
      const { status } = await ask(live, { method, path: shape(part), ...(body && { body }) });
      expect(status, `${method} ${shape(part)}`).toBeGreaterThanOrEqual(400);
    },
  );
  await fc.assert(property, { seed: 2, numRuns: tries(1200) });
  expect(filesBeside()).toEqual(before);
});

test('an asset reference of any spelling names an upload of the account, an address, or nothing', async () => {
  const before = filesBeside();
  const named = fc.oneof(
    ...['', 'api-assets/', photoPath, `${parent}/`, 'file://', `${live.address}/downloads/`].map(
      (prefix) => wildPath.map((part) => `${prefix}${part}`),
    ),
  );
  const property = fc.asyncProperty(named, async (path) => {
    const money = moneyOf(live);
    const body = JSON.stringify({ assets: { image_file_path: path } });
    const answer = await ask(live, { method: 'POST', path: '/v1/photo-colorizer', body });
    if (answer.status >= 400) {
      expect(moneyOf(live)).toEqual(money);
      return;
    }
    const id = textAt(answer.body, 'id');
    await client.settled('image', id);
    expect((await client.ask('DELETE', `/v1/image-projects/${id}`)).status).toBe(204);
  });
  await fc.assert(property, { seed: 3, numRuns: tries(120) });
  expect(filesBeside()).toEqual(before);
});

// Bytes on a socket, for requests that no HTTP library would send.

const json = 'Content-Type: application/json';
const bearer = `Authorization: Bearer ${still.key}`;
const hostLine = `Host: ${new URL(still.address).host}`;
const clipOrder = '{"end_seconds":3,"style":{"prompt":"x"}}';
const inChunks = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const message = (line: string, headers: readonly string[], body = ''): string =>
  `${[line, hostLine, ...headers].join('\r\n')}\r\n\r\n${body}`;
const posted = (headers: readonly string[], body = clipOrder): string =>
  message('POST /v1/text-to-video HTTP/1.1', [bearer, json, ...headers], body);
const length = `Content-Length: ${clipOrder.length}`;
const creation = posted([length]);
const account = message('GET /v1/account HTTP/1.1', [bearer]);

/** The statuses of what comes back for these bytes, sent in pieces, until the connection is over. */
async function statusesOf(pieces: readonly string[], isCut = true): Promise<readonly number[]> {
  const { hostname, port } = new URL(still.address);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A reset is one of the ways in which a connection may be over.
  socket.on('error', () => socket.destroy());
  const over = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  for (const piece of pieces)
    await Promise.race([over, new Promise((sent) => socket.write(piece, 'latin1', sent))]);
  if (isCut) {
    // Nothing says that the service has read the bytes; but it answers a request that came later.
    await ask(still, { method: 'GET', path: '/v1/account' });
    socket.end();
  }
  await over;
  const text = Buffer.concat(received).toString('latin1');
  expect(text).not.toMatch(/^x-injected/im);
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
}

const smuggled = (...headers: readonly string[]): string =>
  posted(headers, inChunks(clipOrder) + creation);

test.each([
  ['a line of one word', 'hello\r\n\r\n', 400],
  ['no host', 'GET /v1/account HTTP/1.1\r\n\r\n', 400],
  ['a length below zero', posted(['Content-Length: -1']), 400],
  ['two lengths', posted([length, 'Content-Length: 5']), 400],
  ['a length and chunks', smuggled('Content-Length: 4', 'Transfer-Encoding: chunked'), 400],
  ['chunks and a length', smuggled('Transfer-Encoding: chunked', 'Content-Length: 4'), 400],
  ['chunks behind a control character', smuggled('Transfer-Encoding:\x0bchunked'), 400],
  ['chunks that are packed again', smuggled('Transfer-Encoding: chunked, gzip'), 400],
  ['a chunk without a length', posted(['Transfer-Encoding: chunked'], `x\r\n${clipOrder}`), 400],
  [
    'a chunk longer than it says',
    posted(['Transfer-Encoding: chunked'], '5\r\n{"end":3}\r\n'),
    400,
  ],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a target of 100 kB', message(`GET /v1/${'x'.repeat(100_000)} HTTP/1.1`, [bearer]), 431],
])('%s is refused, and creates nothing', async (_, text, status) => {
  const before = moneyOf(still);
  expect(await statusesOf([text], false)).toEqual([status]);
  expect(moneyOf(still)).toEqual(before);
});

test('requests with bytes changed, cut off or in pieces create what was answered with 200, and nothing else', async () => {
  const edit = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(12),
    fc.oneof(
      fc.constantFrom(
        ...[
          '',
          '\r\n',
          '\n',
          '\r\n\r\n',
          ' ',
          ':',
          '\0',
          '\xff',
          '%00',
          '..',
          '//',
          '?',
          '0',
          '-',
          '1e9',
        ],
        ...[
          'HTTP/1.0',
          'PUT',
          '/hub',
          'Content-Length: 5\r\n',
          'Transfer-Encoding: chunked\r\n',
          'Host: x\r\n',
        ],
        ...[
          'Expect: 100-continue\r\n',
          '%0d%0aX-Injected: 1',
          '\r\nX-Injected: 1',
          '0\r\n\r\n',
          '{',
          'x'.repeat(3000),
        ],
      ),
      fc.string({ maxLength: 4 }),
    ),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(account, creation, `${account}${creation}`, `${creation}${account}`),
    fc.array(edit, { maxLength: 4 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: 7, max: 1000 }),
    async (request, edits, end, size) => {
      const [, entries] = moneyOf(still);
      const text = edits
        .reduce((before, [at, cut, put]) => {
          const index = Math.floor(at * before.length);
          return before.slice(0, index) + put + before.slice(index + cut);
        }, request)
        .slice(0, edits.length === 0 ? Math.floor(end * request.length) : undefined);
      const statuses = await statusesOf(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []);
      for (const status of statuses) expect(status, text.slice(0, 400)).toBeLessThan(500);
      const created = moneyOf(still)[1] - entries;
      expect(created, text.slice(0, 400)).toBeLessThanOrEqual(
        statuses.filter((status) => status === 200).length,
      );
    },
  );
  await fc.assert(property, { seed: 4, numRuns: tries(600) });
});

test('an upload that is cut off at any byte is not kept', async () => {
  const [other] = await client.uploadAddresses('image', 'png');
  const { hostname, port } = new URL(live.address);
  const content = 'not a picture, but bytes to keep';
  const head = `PUT ${pathOf(other?.url ?? '')} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`;
  const text = `${head}Content-Length: ${content.length}\r\n\r\n${content}`;
  const before = filesBeside();
  const property = fc.asyncProperty(fc.nat(text.length - 1), async (end) => {
    const socket = connect({ host: hostname, port: Number(port) });
    await new Promise<void>((sent) => socket.write(text.slice(0, end), () => sent()));
    await ask(live, { method: 'GET', path: '/v1/account' });
    socket.resetAndDestroy();
  });
  await fc.assert(property, { seed: 5, numRuns: tries(80) });
  // The service may hear of the last one late.
  await eventually('no half of an upload is left', async () =>
    filesBeside().join('\n') === before.join('\n') ? true : undefined,
  );
});

test('an Authorization header that is not exactly a key opens nothing', async () => {
  const { key } = still;
  const nearly = fc.oneof(
    fc.constantFrom(
      ...[
        key.slice(0, -1),
        `${key}x`,
        `x${key}`,
        `"${key}"`,
        `${key},`,
        `${key} x`,
        `${key}\u00a0`,
        `${key}${key}`,
      ],
      ...[
        key.toUpperCase(),
        key.replaceAll('_', '-'),
        `${key}, Bearer ${key}`,
        'sl_',
        'null',
        '*',
        '',
      ],
    ),
    fc
      .tuple(fc.nat(key.length - 1), fc.constantFrom('*', '.', '~'))
      .map(([at, letter]) => key.slice(0, at) + letter + key.slice(at + 1)),
  );
  const value = fc.oneof(
    fc
      .tuple(fc.constantFrom('Bearer ', 'Basic ', '', 'Bearer  '), nearly)
      .map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom('Basic ', 'Token ', '', 'Bearer', 'Bearer\u00a0'), fc.constant(key))
      .map((parts) => parts.join('')),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...orders),
    value,
    async ({ path, body }, authorization) => {
      const before = moneyOf(still);
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await send(still.address, { method: 'POST', path, headers, body });
      expect([authorization, answer.status, answer.body]).toEqual([
        authorization,
        401,
        { message: 'Unauthorized' },
      ]);
      expect(moneyOf(still)).toEqual(before);
    },
  );
  await fc.assert(property, { seed: 6, numRuns: tries(300) });
});

test('a range gives all of the file, the part that it names, or no part (RFC 9110, 14)', async () => {
  const content = Buffer.from(
    Array.from({ length: 1000 }, (_, at) => (at * at * 31 + at * 7) % 121),
  );
  const clip = await client.upload(content, 'mp4', 'video');
  // Subtitles for a clip are the clip, in a plain rehearsal.
  const subtitles = {
    start_seconds: 0,
    end_seconds: 1,
    assets: { video_file_path: clip },
    style: { template: 'karaoke' },
  };
  const { id } = await client.create('auto-subtitle-generator', subtitles);
  const path = pathOf(addressIn(await client.settled('video', id)));
  const position = fc.option(fc.oneof(fc.nat(1002), fc.constantFrom(0, 999, 1000, 2 ** 53)), {
    nil: undefined,
  });
  const wild = fc
    .array(
      fc.constantFrom(
        'bytes',
        '=',
        '-',
        ',',
        ' ',
        '0',
        '1',
        '-1',
        '999',
        '1000',
        '1e2',
        'NaN',
        '*',
        '9'.repeat(400),
      ),
    )
    .map((pieces) => `bytes=${pieces.join('')}`);
  const range = fc.oneof(
    fc.tuple(position, position).map(([from, to]) => `bytes=${from ?? ''}-${to ?? ''}`),
    wild,
  );
  const property = fc.asyncProperty(range, async (text) => {
    const { status, headers, bytes } = await send(live.address, {
      method: 'GET',
      path,
      headers: { range: text },
    });
    expect([200, 206, 416], text).toContain(status);
    if (status === 416) return;
    const [, from = 0, to = 999] =
      /^bytes (\d+)-(\d+)\/1000$/.exec(String(headers['content-range'])) ?? [];
    expect(status === 206, text).toBe(headers['content-range'] !== undefined);
    expect(bytes.equals(content.subarray(Number(from), Number(to) + 1)), text).toBe(true);
    const plain = /^bytes=(\d+)-(\d*)$/.exec(text);
    if (plain?.[1] !== undefined && status === 206)
      expect(Number(from), text).toBe(Number(plain[1]));
  });
  await fc.assert(property, { seed: 7, numRuns: tries(400) });
});

test('whatever is posted to the hub is done or refused, and a refusal changes nothing', async () => {
  const lists = ['accounts', 'keys', 'webhooks', 'faults', 'projects', 'ledger', 'deliveries'];
  const state = async (): Promise<readonly string[]> =>
    await Promise.all(
      lists.map(async (name) =>
        (await ask(still, { method: 'GET', path: `/hub/${name}` })).bytes.toString(),
      ),
    );
  let known = await state();
  const form = fc
    .array(
      fc.tuple(
        fc.constantFrom(
          'name',
          'url',
          'credits',
          'tier',
          'permissions',
          'faults',
          'a[b]',
          '__proto__',
        ),
        anyToken,
      ),
    )
    .map((fields) =>
      fields
        .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
        .join('&'),
    );
  const change = fc.oneof(
    tokenChanges,
    anyBody,
    form.map((text) => ({ text })),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...hubOrders),
    change,
    async ({ path, body }, how) => {
      const isForm = typeof how === 'object' && 'text' in how;
      const text = typeof how === 'string' ? how : isForm ? how.text : withTokens(body, how);
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      const answer = await send(still.address, {
        method: 'POST',
        path,
        headers: { 'content-type': type },
        body: text,
      });
      expectDecent(answer, `POST ${path} ${text.slice(0, 300)}`);
      const now = await state();
      if (answer.status >= 400) expect(now, `POST ${path} ${text.slice(0, 300)}`).toEqual(known);
      // A fault that was taken would happen to what is asked next.
      await ask(still, { method: 'POST', path: '/hub/faults/clear', body: '{}' });
      known = await state();
    },
  );
  await fc.assert(property, { seed: 8, numRuns: tries(400) });
});

test('every page of the hub answers every query, and what was sent is shown as text', async () => {
  const markup = '<script>alert(1)</script>';
  const nasty = `"><b onload='x'>${markup}<!-- </title></textarea>`;
  for (const [path, body] of [
    ['/hub/accounts', { email: nasty }],
    ['/hub/keys', { name: nasty }],
    [
      '/v1/text-to-video',
      { name: nasty, end_seconds: 3, style: { prompt: nasty }, [nasty]: nasty },
    ],
  ] as const)
    await ask(still, { method: 'POST', path, body: JSON.stringify(body) });
  const { body } = await ask(still, { method: 'GET', path: '/hub/projects?limit=1' });
  const id = textAt(listAt(body, 'projects')[0] ?? {}, 'id');
  const views = [
    '',
    '/accounts',
    '/keys',
    '/webhooks',
    '/faults',
    '/projects',
    `/projects/${id}`,
    '/ledger',
    '/deliveries',
  ];
  const query = fc
    .array(
      fc.tuple(
        fc.constantFrom('account', 'status', 'limit', 'before', 'project'),
        fc.oneof(fc.constantFrom('1', '-1', '9'.repeat(30), '<b>', '%00', ''), wildPath),
      ),
    )
    .map((fields) => `?${fields.map((field) => field.join('=')).join('&')}`);
  const property = fc.asyncProperty(
    fc.constantFrom(...views),
    fc.oneof(fc.constant(''), query),
    fc.constantFrom('text/html', '*/*', 'application/json', ';;;'),
    async (view, search, accept) => {
      const path = `/hub${view}${search}`;
      const answer = await send(still.address, { method: 'GET', path, headers: { accept } });
      expectDecent(answer, path);
      if (String(answer.headers['content-type']).startsWith('text/html')) {
        expect(answer.bytes.includes(markup), path).toBe(false);
        expect(answer.bytes.includes('<b onload'), path).toBe(false);
      }
    },
  );
  await fc.assert(property, { seed: 9, numRuns: tries(400) });
});

test('a page of another host or origin reads and does nothing', async () => {
  const { port } = new URL(still.address);
  const name = fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/).filter((one) => one !== 'localhost');
  const foreign = fc.oneof(
    fc.constantFrom(
      'example.com',
      'localhost.example.com',
      '0.0.0.0',
      '127.0.0.1.nip.io',
      '[::2]',
      'localhost@example.com',
    ),
    name.map((one) => `${one}.com:${port}`),
    name.map((one) => `127.0.0.1.${one}:${port}`),
  );
  const headers: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
    foreign.map((host) => ({ host })),
    foreign.map((one) => ({ origin: `http://${one}` })),
    fc
      .constantFrom('null', 'file://', `https://127.0.0.1:${port}`, '*')
      .map((origin) => ({ origin })),
    fc.constantFrom('cross-site', 'same-site').map((site) => ({ 'sec-fetch-site': site })),
  );
  const keys = async (): Promise<JsonObject> =>
    (await ask(still, { method: 'GET', path: '/hub/keys' })).body;
  const before = await keys();
  const property = fc.asyncProperty(headers, async (from) => {
    const sent = { ...from, 'content-type': 'application/json' };
    const request = {
      method: 'POST',
      path: '/hub/keys',
      headers: sent,
      body: '{"name":"mine now"}',
    } as const;
    expect([from, (await send(still.address, request)).status]).toEqual([from, 403]);
  });
  await fc.assert(property, { seed: 10, numRuns: tries(100) });
  expect(await keys()).toEqual(before);
});

longTest(
  'what is taken can be rendered or says what is wrong, and the ledger says what the record says',
  async () => {
    const creations = await creationsOf(client);
    const recordOf = new Map(tools.map(({ name, record }) => [`/v1/${name}`, record]));
    const property = fc.asyncProperty(
      fc.constantFrom(...creations),
      tokenChanges,
      async ({ path, body }, changes) => {
        const text = withTokens(body, changes);
        const answer = await ask(live, { method: 'POST', path, body: text });
        if (answer.status !== 200) return;
        const id = textAt(answer.body, 'id');
        const { status, error, credits_charged } = await client.settled(
          recordOf.get(path) ?? 'image',
          id,
        );
        expect(error, text.slice(0, 300)).not.toMatchObject({ code: 'unknown_error' });
        const own = live.ledger().filter(({ project }) => project === id);
        const paid = own.reduce(
          (sum, { kind, credits }) => sum + (kind === 'charge' ? credits : -credits),
          0,
        );
        expect(paid, text.slice(0, 300)).toBe(credits_charged);
        expect(error === null).toBe(status === 'complete');
      },
    );
    await fc.assert(property, { seed: 11, numRuns: tries(120) });
  },
);
