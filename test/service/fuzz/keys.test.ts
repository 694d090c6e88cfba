// Whatever an Authorization header holds that is not exactly a key, the answer is Unauthorized and nothing happens.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { send, textAt } from '../client.ts';
import { besiege, expectAlive, frozen, moneyOf, tries, validOrders } from './siege.ts';
import { answersIn, bodyIn, bytesOf, exchange } from './wire.ts';

const siege = await besiege(frozen);
const { local, client } = siege;
const orders = await validOrders(client);
const swap = orders.find(({ path }) => path === '/v1/face-swap-photo');
if (swap === undefined) throw new Error('there is no face swap among the examples');
const { id } = await client.create('face-swap-photo', swap.body);
const image = await client.upload(Buffer.from('no picture'), 'png');

interface Target {
  readonly line: string;
  readonly body: string;
}

/** Everything that a key opens: each would do, give or show something. */
const targets: readonly Target[] = [
  ...orders.map(({ path, body }) => ({ line: `POST ${path}`, body: JSON.stringify(body) })),
  ...['/v1/files/generate-upload-urls', '/v1/files/upload-urls'].map((path) => ({
    line: `POST ${path}`,
    body: '{"items":[{"type":"image","extension":"png"}]}',
  })),
  ...['/v1/files/face-detection', '/v1/face-detection'].map((path) => ({
    line: `POST ${path}`,
    body: JSON.stringify({ assets: { target_file_path: image } }),
  })),
  { line: `GET /v1/image-projects/${id}`, body: '' },
  { line: `DELETE /v1/image-projects/${id}`, body: '' },
  { line: 'GET /v1/account', body: '' },
  { line: 'GET /v1/nothing', body: '' },
];

const key = local.key;
const scheme = fc.constantFrom('Bearer', 'bearer', 'BEARER', 'Basic', 'Digest', 'Token', '');
const gap = fc.constantFrom('', ' ', '  ', '\t', ' \t', ' = ', ': ', '\u00a0', '%20', '+');
const letters = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]*$/);

/** Close to the key, and not it. */
const nearlyKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[key.slice(0, -1), key.slice(1), `${key}x`, `x${key}`, `${key}=`, `"${key}"`, `<${key}>`],
    ...[`${key},`, `${key} x`, `${key}\tx`, `${key}\u00a0`, `${key};`, `%${key}`, key.slice(3)],
    ...[key.toUpperCase(), key.toLowerCase(), key.replaceAll('_', '-'), `${key}${key}`],
    ...[`${key}, Bearer ${key}`, Buffer.from(`x:${key}`).toString('base64'), 'sl_', 'null', '*'],
  ),
  fc
    .tuple(fc.nat(key.length - 1), fc.constantFrom('x', 'X', '-', '_', '\xe9', '*', '.'))
    .map(([at, letter]) => key.slice(0, at) + letter + key.slice(at + 1)),
);

/** One header value of bytes that a header may hold; never, white space around it aside, the one that is right. */
const wrongValue: fc.Arbitrary<string> = fc
  .oneof(
    fc.tuple(scheme, gap, nearlyKey).map((parts) => parts.join('')),
    fc.tuple(scheme, gap, letters).map((parts) => parts.join('')),
    fc
      .tuple(scheme, fc.constantFrom('', '  ', '\t', '\u00a0'), fc.constant(key))
      .map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => bytesOf(text).toString('latin1')),
    fc.integer({ min: 1000, max: 7000 }).map((length) => `Bearer ${'k'.repeat(length)}`),
    letters,
  )
  .filter((value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value))
  .filter(
    (value) => value.replace(/^bearer/i, '').trim() !== key || !/^[\t ]*bearer [^ \t]/i.test(value),
  );

/** The request with these Authorization lines, and what it was answered with. */
async function ask(
  { line, body }: Target,
  values: readonly string[],
): Promise<readonly [number, unknown]> {
  const head = [
    `${line} HTTP/1.1`,
    `Host: ${new URL(local.address).host}`,
    ...values.map((value) => `Authorization:${value}`),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ].join('\r\n');
  const received = await exchange(local, [`${head}\r\n\r\n${body}`], 'hear-out');
  const [answer, ...others] = answersIn(received);
  if (answer === undefined || others.length > 0)
    throw new Error(`one answer was to come, not ${received.toString('latin1')}`);
  return [answer.status, bodyIn(answer)];
}

const unauthorized = [401, { message: 'Unauthorized' }];
const target = fc.constantFrom(...targets);

/** What a request that reached a handler would have changed. */
async function expectNothingDone(before: readonly [number, number]): Promise<void> {
  expect(moneyOf(local)).toEqual(before);
  const record = await client.record('image', id);
  expect(textAt(record, 'id')).toBe(id);
  await expectAlive(siege);
}

test('the requests that are refused below are answered when the key is right', async () => {
  for (const one of targets.filter(({ line }) => line.startsWith('GET /v1/account')))
    for (const value of [`Bearer ${key}`, ` Bearer ${key} `, `\tbearer ${key}\t`])
      expect((await ask(one, [value]))[0], value).toBe(200);
});

test('every endpoint answers Unauthorized to a request without the header', async () => {
  const before = moneyOf(local);
  for (const one of targets)
    expect([one.line, ...(await ask(one, []))]).toEqual([one.line, ...unauthorized]);
  await expectNothingDone(before);
});

test('a header that is not exactly a key is Unauthorized, everywhere', async () => {
  const before = moneyOf(local);
  const property = fc.asyncProperty(target, wrongValue, async (one, value) => {
    expect(await ask(one, [` ${value}`])).toEqual(unauthorized);
  });
  await fc.assert(property, { seed: 1, numRuns: tries(450) });
  await expectNothingDone(before);
});

test('a header that comes twice is badly formed, though one of the two be right', async () => {
  const before = moneyOf(local);
  const value = fc.oneof(fc.constant(`Bearer ${key}`), wrongValue);
  const property = fc.asyncProperty(target, value, value, async (one, first, second) => {
    expect(await ask(one, [first, second])).toEqual(unauthorized);
  });
  await fc.assert(property, { seed: 2, numRuns: tries(100) });
  await expectNothingDone(before);
});

test('a key that was revoked opens nothing from that moment on', async () => {
  const made = await hub('/hub/keys', { name: 'to be revoked' });
  const revoked = textAt(made, 'key');
  const show = targets.filter(({ line }) => line === 'GET /v1/account');
  for (const one of show) expect((await ask(one, [`Bearer ${revoked}`]))[0]).toBe(200);
  await hub(`/hub/keys/${made['id']}/revoke`, {});
  const before = moneyOf(local);
  const value = fc
    .tuple(
      fc.constantFrom('', ' ', '\t'),
      fc.constantFrom('Bearer', 'bearer'),
      fc.constantFrom('', ' ', '\t '),
    )
    .map(([left, word, right]) => `${left}${word} ${revoked}${right}`);
  const property = fc.asyncProperty(target, value, async (one, header) => {
    expect(await ask(one, [header])).toEqual(unauthorized);
  });
  await fc.assert(property, { seed: 4, numRuns: tries(80) });
  await expectNothingDone(before);
});

test('a key opens what it permits, and nothing else, for whatever else is asked', async () => {
  const permissions = ['upload', 'create', 'read', 'delete'];
  const made = new Map<string, string>();
  for (const bits of Array.from({ length: 15 }, (_, index) => index + 1)) {
    const some = permissions.filter((_, bit) => (bits & (1 << bit)) !== 0);
    made.set(
      some.join(' '),
      textAt(await hub('/hub/keys', { name: 'some', permissions: some }), 'key'),
    );
  }
  const property = fc.asyncProperty(target, fc.constantFrom(...made), async (one, [may, some]) => {
    const needed = permissionFor(one.line);
    fc.pre(!may.split(' ').includes(needed));
    const before = moneyOf(local);
    const [status, body] = await ask(one, [` Bearer ${some}`]);
    // A path that nobody answers to is nobody's to permit.
    expect(one.line === 'GET /v1/nothing' ? 404 : 403, `${one.line} with ${may}`).toBe(status);
    expect(body).toEqual({ message: expect.any(String) });
    expect(moneyOf(local)).toEqual(before);
  });
  await fc.assert(property, { seed: 5, numRuns: tries(100) });
  await expectNothingDone(moneyOf(local));
});

function permissionFor(line: string): string {
  if (line.startsWith('GET')) return 'read';
  if (line.startsWith('DELETE')) return 'delete';
  return line.includes('/files/') || line.endsWith('/face-detection') ? 'upload' : 'create';
}

/** What the hub answers to a change that it takes. */
async function hub(path: string, body: JsonObject): Promise<JsonObject> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', path, headers, body: JSON.stringify(body) } as const;
  const answer = await send(local.address, sent);
  if (answer.status >= 400) throw new Error(`${path} was answered with ${answer.status}`);
  return answer.body;
}

test('what is no header at all opens nothing either', async () => {
  const before = moneyOf(local);
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array).toString('latin1')),
    fc.constantFrom('\0', '\r', '\n', '\r\n ', '\r\n\t').map((cut) => ` Bearer ${cut}${key}`),
    fc
      .constantFrom('\0', '\r', '\n', '\x7f', '\r\nX: ')
      .map((cut) => ` Bearer ${key.slice(0, 9)}${cut}${key.slice(9)}`),
    fc.constant(` Bearer ${'k'.repeat(20_000)}`),
  );
  const property = fc.asyncProperty(target, bytes, async (one, value) => {
    const [status, body] = await ask(one, [value]);
    expect([400, 401, 431]).toContain(status);
    if (status === 401) expect(body).toEqual({ message: 'Unauthorized' });
  });
  await fc.assert(property, { seed: 3, numRuns: tries(150) });
  await expectNothingDone(before);
});
