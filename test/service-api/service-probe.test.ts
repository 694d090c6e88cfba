// Who is at an address: the service, something else, or nobody. Told apart before a run sends anything.
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathForms } from '../../src/contract/api/routes.ts';
import { type ProbeResult, probeService } from '../../src/service-api/service-probe.ts';
import { service } from '../rig.ts';
import { answer, nobody, serve, type TestServer } from './server.ts';

const probed = (base: string, key = 'a-key'): Promise<ProbeResult> =>
  probeService({ base, key, now: 0 });

const page = '<!doctype html><title>Welcome</title>';
const html = { 'content-type': 'text/html; charset=utf-8' };

/** A server that answers every request so. */
const always = (
  status: number,
  body: string,
  headers: Record<string, string>,
): Promise<TestServer> =>
  serve((_, response) => void response.writeHead(status, headers).end(body));

describe('the service', () => {
  test.each(pathForms)('is known by its account, whatever its paths (%s)', async (paths) => {
    const { address, key } = await service({ paths, credits: 70, tier: 'pro' });
    expect(await probed(address, key)).toMatchObject({
      is: 'service',
      account: { ok: true, value: { credits: 70, tier: 'pro' } },
    });
  });

  test.each(['/v1/files/upload-urls', '/v1/files/generate-upload-urls'])(
    'that does not tell of accounts is known by its upload addresses at %s',
    async (known) => {
      const server = await serve(({ path }, response) =>
        path === known
          ? answer(response, 200, { items: [] })
          : answer(response, 404, { message: 'Not Found' }),
      );
      expect(await probed(server.address)).toEqual({
        is: 'service',
        account: { ok: true, value: undefined },
      });
    },
  );

  test.each([
    [401, { message: 'Unauthorized' }, 'unauthorized'],
    [403, { message: 'This key does not permit read' }, 'forbidden'],
    [429, { message: 'slow down' }, 'throttled'],
    [500, {}, 'unanswered'],
    [502, {}, 'unavailable'],
    [503, {}, 'unavailable'],
  ])('may answer with %i: a run knows what to do about that', async (status, body, reason) => {
    const server = await serve((_, response) => answer(response, status, body));
    expect(await probed(server.address)).toMatchObject({
      is: 'service',
      account: { ok: false, error: { reason } },
    });
  });

  test.each([
    [400, { message: 'bad request' }, 'refused'],
    [402, undefined, 'payment-required'],
    [408, undefined, 'unanswered'],
    [422, { message: 'asset does not exist' }, 'missing-asset'],
    [599, undefined, 'unanswered'],
  ])('may refuse a request with %i and say why', async (status, body, reason) => {
    const server = await serve((_, response) => answer(response, status, body));
    expect(await probed(server.address)).toMatchObject({
      is: 'service',
      account: { ok: false, error: { reason } },
    });
    expect(server.asked).toMatchObject([
      { method: 'GET', path: '/v1/account', headers: { authorization: 'Bearer a-key' }, body: '' },
    ]);
    expect(server.asked[0]?.headers).not.toHaveProperty('content-type');
  });

  test('says how long to wait', async () => {
    const server = await serve((_, response) =>
      answer(response, 429, {}, { 'retry-after': 'Thu, 01 Jan 1970 00:00:07 GMT' }),
    );
    expect(await probed(server.address)).toMatchObject({
      account: { error: { reason: 'throttled', retryAfterMs: 7000 } },
    });
  });

  test.each<readonly [number, string, ProbeResult['is']]>([
    [200, '{}', 'service'],
    [400, '{"message":"no"}', 'service'],
    [401, '', 'service'],
    [403, '', 'service'],
    [429, '', 'service'],
    [500, '', 'service'],
    [503, page, 'service'],
    [200, page, 'other-server'],
    [402, '', 'other-server'],
    [499, '', 'other-server'],
    [405, '{"message":"no"}', 'other-server'],
    [404, '{"message":"no"}', 'other-server'],
  ])(
    'that does not tell of accounts, and answers for an upload address with %i and %s: %s',
    async (status, body, is) => {
      const server = await serve(({ path }, response) =>
        path === '/v1/account'
          ? answer(response, 404, {})
          : response.writeHead(status, html).end(body),
      );
      expect((await probed(`${server.address}//`)).is).toBe(is);
      expect(server.asked[1]).toMatchObject({
        method: 'POST',
        path: '/v1/files/upload-urls',
        headers: { authorization: 'Bearer a-key', 'content-type': 'application/json' },
        body: '{"items":[{"type":"image","extension":"png"}]}',
      });
    },
  );

  test('that does not tell of accounts may lose the next answer', async () => {
    const server = await serve(({ path }, response) =>
      path === '/v1/account' ? answer(response, 404, {}) : response.socket?.resetAndDestroy(),
    );
    expect(await probed(server.address)).toMatchObject({ is: 'service', account: { ok: false } });
  });

  test('may lose an answer', async () => {
    const server = await serve((_, response) => void response.socket?.resetAndDestroy());
    expect(await probed(server.address)).toMatchObject({ is: 'service', account: { ok: false } });
  });
});

describe('something else', () => {
  test.each<readonly [string, Parameters<typeof always>, RegExp]>([
    ['a web page for every address', [200, page, html], /a web page/],
    [
      'JSON of another kind',
      [200, '{"status":"ok"}', { 'content-type': 'application/json' }],
      /something else/,
    ],
    ['a page that is not found', [404, page, html], /answers 404 to every path/],
    [
      'JSON that says "Not Found" to everything',
      [404, '{"message":"Not Found"}', {}],
      /answers 404 to every path/,
    ],
    [
      'a redirect',
      [301, '', { location: 'https://www.example.com/x?token=y' }],
      /elsewhere to https:\/\/www\.example\.com \(301\)/,
    ],
    ['a redirect to nowhere', [302, '', {}], /^sends requests elsewhere \(302\)$/],
    [
      'a redirect in itself',
      [399, '', { location: '/login' }],
      /^sends requests elsewhere \(399\)$/,
    ],
    ['a status before all redirects', [299, page, html], /^answers with a web page where/],
    ['a choice', [300, '{"message":"x"}', {}], /^sends requests elsewhere \(300\)$/],
    ['a status of no kind', [400, '{"message":5}', {}], /^answers with something else \(400\)$/],
    ['a text', [418, 'a teapot', { 'content-type': 'text/plain' }], /something else \(418\)$/],
    ['a page of XML', [499, page, { 'content-type': 'application/xhtml+xml' }], /a web page/],
    [
      'a kind that only speaks of pages',
      [400, page, { 'content-type': 'text/plain; of=html' }],
      /something else \(400\)$/,
    ],
    ['an empty kind', [400, page, { 'content-type': '' }], /something else \(400\)$/],
    [
      'more than an account is',
      [200, ' '.repeat((1 << 20) + 1), {}],
      /^answers with more than an account is$/,
    ],
    ['a page about a bad request', [400, page, html], /a web page \(400\)/],
    ['nothing at all', [204, '', {}], /something else/],
  ])('answers with %s', async (_, reply, why) => {
    const server = await always(...reply);
    expect(await probed(server.address)).toEqual({
      is: 'other-server',
      why: expect.stringMatching(why),
    });
    expect(server.asked.every(({ path }) => !path.includes('swap'))).toBe(true);
  });

  test('does not speak HTTP', async () => {
    const server = createServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const bound = server.address();
    const port = typeof bound === 'object' ? bound?.port : undefined;
    expect(await probed(`http://127.0.0.1:${port}`)).toEqual({
      is: 'other-server',
      why: 'does not speak HTTP',
    });
  });
});

describe('an address where nobody listens', () => {
  test('is unreachable', async () => {
    expect(await probed(await nobody())).toEqual({
      is: 'unreachable',
      why: 'cannot be reached (ECONNREFUSED)',
    });
  });

  test('is unreachable by a name that does not resolve', async () => {
    expect(await probed('http://no-such-host.invalid')).toMatchObject({
      is: 'unreachable',
      why: expect.stringMatching(/^cannot be reached \((ENOTFOUND|EAI_AGAIN)\)$/),
    });
  });
});

test('a person who does not want to wait does not have to', async () => {
  const stopper = new AbortController();
  const server = await serve(() => stopper.abort());
  const probe = await probeService({
    base: server.address,
    key: 'k',
    now: 0,
    stop: stopper.signal,
  });
  expect(probe).toMatchObject({ is: 'service', account: { ok: false } });
});
