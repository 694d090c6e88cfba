// Whatever stands in a path, a query or a header that says where a request comes from, the hub answers, and only to
// this machine's own pages.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, type Request, send } from '../client.ts';
import { besiege, expectAlive, expectDecent, frozen, tries } from './siege.ts';
import { wildPart, wildQuery } from './wild-path.ts';

const siege = await besiege(frozen);
const { local, client } = siege;
await client.create('text-to-video', { end_seconds: 3, style: { prompt: 'x' } });

const views = [
  ...['', '/', '/accounts', '/keys', '/projects', '/ledger', '/webhooks', '/deliveries'],
  '/faults',
];
const operations: readonly ((part: string) => string)[] = [
  (part) => `/hub/accounts/${part}/tier`,
  (part) => `/hub/accounts/${part}/credits`,
  (part) => `/hub/keys/${part}/revoke`,
  (part) => `/hub/projects/${part}/cancel`,
  (part) => `/hub/webhooks/${part}/remove`,
  (part) => `/hub/deliveries/${part}/replay`,
  (part) => `/hub/faults/${part}`,
  (part) => `/hub/${part}`,
];

function expectFaultless(answer: Answer, { method, path }: Request): void {
  const about = `${method} ${path.slice(0, 300)}`;
  if (!String(answer.headers['content-type']).startsWith('text/html'))
    return expectDecent(answer, about);
  // A page may say what is wrong as a page.
  expect(answer.status, about).toBeLessThan(500);
  expect(answer.bytes.includes('<b>'), about).toBe(false);
}

const accept = fc.constantFrom('text/html', '*/*', 'application/json', 'text/html;q=0', ',', ';;;');

test('every view answers every query, and shows nothing of it as markup', async () => {
  const number = fc.constantFrom('0', '-1', '1', '500', '501', '1e3', '1.5', '9'.repeat(30), '');
  const known = fc.tuple(
    fc.constantFrom('account', 'status', 'limit', 'before', 'webhook', 'project'),
    fc.oneof(number, fc.constantFrom('local', 'complete', '<b>', '%3Cb%3E', '%00', '%'), wildPart),
  );
  // Any of them may come twice.
  const sought = fc
    .array(known, { minLength: 1, maxLength: 4 })
    .map((fields) => `?${fields.map((field) => field.join('=')).join('&')}`);
  const property = fc.asyncProperty(
    fc.constantFrom(...views),
    fc.oneof(wildQuery, sought),
    accept,
    async (view, search, type) => {
      const request = {
        method: 'GET',
        path: `/hub${view}${search}`,
        headers: { accept: type },
      } as const;
      expectFaultless(await send(local.address, request), request);
    },
  );
  await fc.assert(property, { seed: 1, numRuns: tries(300) });
  await expectAlive(siege);
});

/** Nothing of this is the id of anything, though there is a key 1. */
const noIds = [
  '0',
  '-1',
  '1.5',
  '1.0',
  '1e0',
  '01',
  '+1',
  '0x1',
  '%201',
  '1%20',
  '%20',
  '1,1',
  '%ef%bc%91',
];
const huge = ['9007199254740993', '9223372036854775808', '9'.repeat(40), '1e308'];

test('what is no id is refused in every path', async () => {
  const id = fc.oneof(wildPart, fc.constantFrom(...noIds, ...huge));
  const body = fc.constantFrom(
    '{}',
    '{"tier":"pro"}',
    '{"credits":1}',
    '{"refund":true}',
    '',
    '[]',
  );
  const method = fc.constantFrom('POST', 'POST', 'GET', 'DELETE', 'PUT');
  const property = fc.asyncProperty(
    fc.tuple(method, fc.constantFrom(...operations), id, body),
    async ([verb, operation, part, sent]) => {
      const headers = { 'content-type': 'application/json' };
      const request = { method: verb, path: operation(part), headers };
      const answer = await send(
        local.address,
        verb === 'GET' ? request : { ...request, body: sent },
      );
      expectFaultless(answer, request);
      if (verb !== 'GET') expect(answer.status, request.path).toBeGreaterThanOrEqual(400);
    },
  );
  await fc.assert(property, { seed: 2, numRuns: tries(500) });
  await expectAlive(siege);
});

const { port } = new URL(local.address);
const label = fc.stringMatching(/^[a-z][a-z0-9]{1,8}$/).filter((name) => name !== 'localhost');
const foreignHost = fc.oneof(
  fc.constantFrom(
    ...['example.com', `example.com:${port}`, 'localhost.example.com', 'localhosts', '0.0.0.0'],
    ...[
      '127.0.0.1.example.com',
      '127.0.0.1.nip.io',
      '1270.0.0.1',
      '192.168.0.1',
      '[::2]',
      '128.0.0.1',
    ],
    ...['localhost@example.com', 'example.com#localhost', 'example.com/localhost', 'xlocalhost'],
    ...['127.0.0.1,example.com', '[::1].example.com', 'example.com:127.0.0.1', '169.254.169.254'],
  ),
  fc
    .tuple(label, fc.constantFrom('com', 'localdomain', 'internal'))
    .map((parts) => parts.join('.')),
  label.map((name) => `localhost.${name}`),
  label.map((name) => `127.0.0.1.${name}:${port}`),
);

test('a page of another host reads nothing', async () => {
  const property = fc.asyncProperty(fc.constantFrom(...views), foreignHost, async (view, host) => {
    const request = { method: 'GET', path: `/hub${view}`, headers: { host } } as const;
    const { status, body } = await send(local.address, request);
    expect([host, status]).toEqual([host, 403]);
    expect(typeof body['message']).toBe('string');
  });
  await fc.assert(property, { seed: 3, numRuns: tries(100) });
});

test('a page of another origin does nothing', async () => {
  const origin = fc.oneof(
    fc.constantFrom(
      ...[
        'null',
        'http://example.com',
        `http://127.0.0.1:1`,
        `https://127.0.0.1:${port}`,
        '*',
        'x',
      ],
      ...[`${local.address}.example.com`, `${local.address}@example.com`, 'file://', 'http://'],
      ...[`http://example.com/${local.address}`, `http://localhost`, `ws://127.0.0.1:${port}`],
    ),
    label.map((name) => `http://${name}.com:${port}`),
    fc.stringMatching(/^[!-~]{1,20}$/),
  );
  const site = fc.constantFrom('cross-site', 'same-site');
  const from = fc.oneof(
    origin.map((one) => ({ origin: one })),
    site.map((one) => ({ 'sec-fetch-site': one })),
    fc.tuple(origin, site).map(([one, other]) => ({ origin: one, 'sec-fetch-site': other })),
    site.map((one) => ({ origin: local.address, 'sec-fetch-site': one })),
    foreignHost.map((host) => ({ host, origin: `http://${host}` })),
  );
  const before = await send(local.address, { method: 'GET', path: '/hub/keys' });
  const type = fc.constantFrom(
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
  );
  const property = fc.asyncProperty(from, type, async (headers, contentType) => {
    const body = contentType === 'application/json' ? '{"name":"mine now"}' : 'name=mine+now';
    const sent = { ...headers, 'content-type': contentType };
    const answer = await send(local.address, {
      method: 'POST',
      path: '/hub/keys',
      headers: sent,
      body,
    });
    expect([headers, answer.status]).toEqual([headers, 403]);
  });
  await fc.assert(property, { seed: 4, numRuns: tries(100) });
  const after = await send(local.address, { method: 'GET', path: '/hub/keys' });
  expect(after.body).toEqual(before.body);
  await expectAlive(siege);
});
