// The service over HTTP, against a real server: every answer is a value, and what is doubtful says so.
import { describe, expect, test } from 'vitest';
import type { Project } from '../../src/contract/api/project.ts';
import { pacer, requestRates } from '../../src/service-api/request-rate.ts';
import { FakeClock } from '../files/places.ts';
import { until } from '../rig.ts';
import { answer, clientFor, nobody, serve, type TestServer } from './server.ts';

const project: Project = { id: 'p-1', status: 'queued', downloads: [], later_field: { any: true } };

describe('a call', () => {
  test('sends its body as JSON with the key in the header, and the answer is a value', async () => {
    const server = await serve((_, response) =>
      answer(response, 200, { id: 'p-1', credits_charged: 10, later_field: 1 }),
    );
    const got = await server
      .client({ base: `${server.address}/` })
      .create('face-swap-photo', { name: 'ünï' });
    expect(got).toMatchObject({ ok: true, value: { id: 'p-1', credits: 10 } });
    expect(server.asked).toMatchObject([
      {
        method: 'POST',
        path: '/v1/face-swap-photo',
        headers: { authorization: 'Bearer the-secret-key', 'content-type': 'application/json' },
      },
    ]);
    expect(Buffer.from(server.asked[0]?.body ?? '', 'latin1').toString('utf8')).toBe(
      '{"name":"ünï"}',
    );
  });

  test('that only reads sends no body', async () => {
    const own = { ...project, id: 'a/b?c' };
    const server = await serve((_, response) => answer(response, 200, own));
    expect(await server.client().project('image', own.id)).toEqual({ ok: true, value: own });
    expect(server.asked).toMatchObject([
      { method: 'GET', path: '/v1/image-projects/a%2Fb%3Fc', body: '' },
    ]);
    expect(server.asked[0]?.headers).not.toHaveProperty('content-type');
  });

  test('about a project takes no details of another', async () => {
    const server = await serve((_, response) => answer(response, 200, project));
    expect(await server.client().project('image', 'p-2')).toMatchObject({
      ok: false,
      error: { reason: 'unanswered', message: expect.stringContaining('p-1') },
    });
  });

  test('to delete needs no answer but its status', async () => {
    const server = await serve((_, response) => answer(response, 204, undefined));
    expect(await server.client().deleteProject('video', 'p-1')).toEqual({
      ok: true,
      value: undefined,
    });
    expect(server.asked).toMatchObject([{ method: 'DELETE', path: '/v1/video-projects/p-1' }]);
  });

  test('is one request: nothing is retried here', async () => {
    for (const status of [429, 500, 502, 503, 504]) {
      const server = await serve((_, response) => answer(response, status, { message: 'no' }));
      await server.client().create('face-swap-photo', {});
      await server.client().project('image', 'p');
      expect(server.asked).toHaveLength(2);
    }
  });
});

test('a creation whose outcome came another way is not waited for, and not sent again', async () => {
  const known = new AbortController();
  const server = await serve(() => known.abort());
  const client = server.client();
  const stopped = { ok: false, error: { reason: 'aborted' } };
  expect(await client.create('face-swap-photo', {}, known.signal)).toMatchObject(stopped);
  expect(await client.create('face-swap-photo', {}, known.signal)).toMatchObject(stopped);
  expect(server.asked).toHaveLength(1);
});

describe('a status', () => {
  test.each([
    [400, { message: 'bad' }, 'refused'],
    [401, { message: 'bad key' }, 'unauthorized'],
    [402, { message: 'no credits' }, 'payment-required'],
    [403, { message: 'not on this plan' }, 'forbidden'],
    [404, { message: 'gone' }, 'not-found'],
    [422, { message: 'x does not exist' }, 'missing-asset'],
    [500, { message: 'oops' }, 'unanswered'],
    [502, { message: 'oops' }, 'unavailable'],
    [502, { message: 'oops', id: 'p-1' }, 'unanswered'],
    [503, { message: 'later' }, 'unavailable'],
    [504, undefined, 'unanswered'],
    [301, undefined, 'refused'],
    [303, undefined, 'unanswered'],
    [304, undefined, 'unanswered'],
  ])('%i with %j is %s', async (status, body, reason) => {
    const server = await serve((_, response) =>
      answer(response, status, body, { location: '/elsewhere' }),
    );
    expect(await server.client().create('face-swap-photo', {})).toMatchObject({
      ok: false,
      error: { reason },
    });
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    ['5', 5000],
    ['Wed, 05 Aug 2026 10:01:00 GMT', 60_000],
  ])('429 with Retry-After %s says how long to wait', async (header, retryAfterMs) => {
    const server = await serve((_, response) =>
      answer(response, 429, { message: 'slow' }, { 'retry-after': header }),
    );
    expect(await server.client().create('face-swap-photo', {})).toEqual({
      ok: false,
      error: { reason: 'throttled', message: 'slow', retryAfterMs },
    });
  });

  test('with a page instead of JSON speaks for itself', async () => {
    const server = await serve((_, response) =>
      response.writeHead(503, { 'content-type': 'text/html' }).end('<html>proxy</html>'),
    );
    expect(await server.client().create('face-swap-photo', {})).toMatchObject({
      ok: false,
      error: { reason: 'unavailable', message: '' },
    });
  });
});

test.each([
  ['the charge', '{"id":"p-1","credits_charged":10}', 10],
  ['no charge', '{"id":"p-1"}', undefined],
  ['a charge under its old name', '{"id":"p-1","frame_cost":12}', 12],
  ['half a credit', '{"id":"p-1","credits_charged":0.5}', 1],
  ['a charge that is no number', '{"id":"p-1","credits_charged":"ten"}', undefined],
])('a creation that answers its id is known, with %s', async (_, text, credits) => {
  const server = await serve((__, response) => response.writeHead(200).end(text));
  expect(await server.client().create('face-swap-photo', {})).toEqual({
    ok: true,
    value: { id: 'p-1', credits },
  });
});

describe('a creation whose answer cannot be understood may have been paid', () => {
  test.each([
    ['is no JSON', '{"id":"p-1","credits_ch'],
    ['is empty', ''],
    ['is a page', '<html>'],
    ['has no id', '{"credits_charged":10}'],
    ['has an empty id', '{"id":"","credits_charged":10}'],
  ])('when it %s', async (_, text) => {
    const server = await serve((__, response) => response.writeHead(200).end(text));
    expect(await server.client().create('face-swap-photo', {})).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
  });

  test('when the connection is reset before the head', async () => {
    const server = await serve((_, response) => response.socket?.resetAndDestroy());
    expect(await server.client().create('face-swap-photo', {})).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
    expect(server.asked).toHaveLength(1);
  });

  test('when the connection is closed before the head', async () => {
    const server = await serve((_, response) => response.socket?.destroy());
    expect(await server.client().create('face-swap-photo', {})).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    ['of known length', { 'content-length': '100' }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('when the connection is reset in the middle of a body %s', async (_, headers) => {
    const server = await serve((__, response) => {
      response.writeHead(200, headers);
      response.write('{"id":"p-1",', () => response.socket?.resetAndDestroy());
    });
    expect(await server.client().create('face-swap-photo', {})).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
  });

  test.each(['SSH-2.0-OpenSSH_9.6\r\n', 'HTTP/1.1 two hundred\r\n\r\n', '\0\0\0'])(
    'when %j comes, which is no HTTP',
    async (bytes) => {
      const server = await serve((_, response) => void response.socket?.end(bytes));
      expect(await server.client().create('face-swap-photo', {})).toMatchObject({
        ok: false,
        error: { reason: 'unanswered' },
      });
    },
  );

  test('when the head does not come in time', async () => {
    const server = await serve(() => undefined);
    const client = server.client({ answerMs: 1 });
    expect(await client.create('face-swap-photo', {})).toMatchObject({
      ok: false,
      error: { reason: 'unanswered' },
    });
  });
});

describe('a service that cannot be reached', () => {
  test('was surely sent nothing', async () => {
    expect(await clientFor(await nobody()).create('face-swap-photo', {})).toEqual({
      ok: false,
      error: { reason: 'unreachable', message: 'ECONNREFUSED' },
    });
  });

  test('by its name neither', async () => {
    const got = await clientFor('http://no-such-host.invalid').create('face-swap-photo', {});
    expect(got).toMatchObject({ ok: false, error: { reason: 'unreachable' } });
  });
});

describe('a path that exists in two forms', () => {
  const png = { type: 'image', extension: 'png' } as const;
  const upload = { items: [{ upload_url: 'http://s/up', file_path: 'api-assets/x.png' }] };
  const uploaded = {
    ok: true,
    value: [{ uploadUrl: 'http://s/up', filePath: 'api-assets/x.png' }],
  };
  const notFound = { message: 'Not Found' };
  const detection = { id: 'd', status: 'queued', faces: [] };
  const short = [
    /^\/v1\/files\/upload-urls$/,
    /^\/v1\/face-detection$/,
    /^\/v1\/face-detection\/d\d*$/,
  ];
  const long = [
    /^\/v1\/files\/generate-upload-urls$/,
    /^\/v1\/files\/face-detection$/,
    /^\/v1\/files\/d\d*\/face-detection$/,
  ];

  /** Answers these paths only; a detection whose id begins with d is known. */
  const serving = (paths: readonly RegExp[]): ReturnType<typeof serve> =>
    serve(({ path }, response) => {
      if (!paths.some((known) => known.test(path))) return answer(response, 404, notFound);
      return answer(response, 200, path.endsWith('urls') ? upload : detection);
    });

  const pathsAsked = ({ asked }: TestServer): readonly string[] => asked.map(({ path }) => path);

  test('is tried in its short form first', async () => {
    const server = await serving([...short, ...long]);
    const client = server.client();
    expect(await client.uploadAddresses([png])).toEqual(uploaded);
    await client.detectFaces({});
    await client.faceDetection('d');
    expect(pathsAsked(server)).toEqual([
      '/v1/files/upload-urls',
      '/v1/face-detection',
      '/v1/face-detection/d',
    ]);
    expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({ items: [png] });
  });

  test('is tried in the long form on 404, and what answered is remembered for all three paths', async () => {
    const server = await serving(long);
    const client = server.client();
    for (let times = 0; times < 2; times++)
      expect(await client.uploadAddresses([png])).toEqual(uploaded);
    expect((await client.detectFaces({})).ok).toBe(true);
    expect((await client.faceDetection('d')).ok).toBe(true);
    expect(pathsAsked(server)).toEqual([
      '/v1/files/upload-urls',
      '/v1/files/generate-upload-urls',
      '/v1/files/generate-upload-urls',
      '/v1/files/face-detection',
      '/v1/files/d/face-detection',
    ]);
  });

  test.each([
    ['short', short, 0],
    ['long', long, 1],
    ['both', [...short, ...long], 0],
  ])(
    'answers all of many requests that start at the same time where it is %s',
    async (_, paths, wasted) => {
      const server = await serving(paths);
      const client = server.client();
      const all = Array.from({ length: 12 }, (__, number) => [
        client.uploadAddresses([png]),
        client.detectFaces({}),
        client.faceDetection(`d${number}`),
      ]).flat();
      for (const got of await Promise.all(all)) expect(got).toMatchObject({ ok: true });
      expect(server.asked).toHaveLength(all.length + wasted);
    },
  );

  test('that another request has settled meanwhile is tried in the settled form', async () => {
    const held: (() => void)[] = [];
    const server = await serve(({ path, body }, response) => {
      const known = path.endsWith('generate-upload-urls');
      const reply = (): void => answer(response, known ? 200 : 404, known ? upload : notFound);
      // The first probe fails; of the two that go on alone, the second is told last that its path is unknown.
      if (server.asked.length === 1) answer(response, 500, {});
      else if (!known && body.includes('gif')) held.push(reply);
      else reply();
    });
    const client = server.client();
    expect((await client.uploadAddresses([png])).ok).toBe(false);
    const late = client.uploadAddresses([{ type: 'image', extension: 'gif' }]);
    expect(await client.uploadAddresses([png])).toEqual(uploaded);
    await until('the late one was asked for', () => held.length === 1);
    for (const reply of held) reply();
    expect(await late).toEqual(uploaded);
  });

  test('is settled for each path where a deployment mixes the forms', async () => {
    const [uploads, create] = short;
    const [, , read] = long;
    const server = await serving([uploads, create, read].filter((path) => path !== undefined));
    const client = server.client();
    for (let times = 0; times < 2; times++) {
      expect((await client.uploadAddresses([png])).ok).toBe(true);
      expect((await client.detectFaces({})).ok).toBe(true);
      expect((await client.faceDetection('d')).ok).toBe(true);
    }
    expect(server.asked).toHaveLength(7);
  });

  test('is settled for one base address only', async () => {
    const old = await serving(long);
    const young = await serving(short);
    expect((await old.client().faceDetection('d')).ok).toBe(true);
    expect((await young.client().faceDetection('d')).ok).toBe(true);
    expect(young.asked).toHaveLength(1);
  });

  test.each([
    ['short', short, '/v1/face-detection/gone'],
    ['long', long, '/v1/files/gone/face-detection'],
  ])(
    'once it answered (%s), a 404 means that the thing is gone, and changes nothing',
    async (_, paths, gone) => {
      const server = await serving(paths);
      const client = server.client();
      await client.faceDetection('d');
      const before = server.asked.length;
      const missing = { ok: false, error: { reason: 'not-found' } };
      expect(await client.faceDetection('gone')).toMatchObject(missing);
      expect(pathsAsked(server).slice(before)).toEqual([gone]);
      expect((await client.faceDetection('d')).ok).toBe(true);
      expect(server.asked).toHaveLength(before + 2);
    },
  );

  test('a thing that is gone from the start settles nothing', async () => {
    const server = await serving(long);
    const client = server.client();
    const missing = { ok: false, error: { reason: 'not-found' } };
    expect(await client.faceDetection('gone')).toMatchObject(missing);
    expect(await client.uploadAddresses([png])).toEqual(uploaded);
    expect(await client.faceDetection('gone')).toMatchObject(missing);
    expect((await client.faceDetection('d')).ok).toBe(true);
  });

  test('that is in neither is not found', async () => {
    const server = await serve((_, response) => answer(response, 404, {}));
    expect(await server.client().detectFaces({})).toMatchObject({
      ok: false,
      error: { reason: 'not-found' },
    });
    expect(pathsAsked(server)).toEqual(['/v1/face-detection', '/v1/files/face-detection']);
  });

  test('is not tried in the other for anything but 404', async () => {
    const server = await serve((_, response) => answer(response, 403, {}));
    await server.client().detectFaces({});
    expect(server.asked).toHaveLength(1);
  });

  test('is no creation’s: a 404 there is asked once', async () => {
    const server = await serve((_, response) => answer(response, 404, {}));
    await server.client().create('face-swap-photo', {});
    expect(server.asked).toHaveLength(1);
  });
});

describe('when the run is stopped', () => {
  test('nothing more is sent', async () => {
    const server = await serve((_, response) => answer(response, 200, project));
    const client = server.client({ stop: AbortSignal.abort() });
    const calls = [
      client.create('face-swap-photo', {}),
      client.project('image', 'p'),
      client.deleteProject('image', 'p'),
      client.uploadAddresses([{ type: 'image', extension: 'png' }]),
      client.detectFaces({}),
    ];
    for (const got of await Promise.all(calls))
      expect(got).toMatchObject({ ok: false, error: { reason: 'aborted' } });
    expect(server.asked).toEqual([]);
  });

  test('a creation that was sent is waited for', async () => {
    const stopper = new AbortController();
    const server = await serve((_, response) => {
      stopper.abort();
      answer(response, 200, { id: 'p-1', credits_charged: 10 });
    });
    expect(
      await server.client({ stop: stopper.signal }).create('face-swap-photo', {}),
    ).toMatchObject({ ok: true, value: { id: 'p-1' } });
  });

  test('a 429 to any request holds up every other one, also a creation whose turn came before', async () => {
    const server = await serve(({ method }, response) =>
      method === 'DELETE'
        ? answer(response, 429, { message: 'slow down' }, { 'retry-after': '7' })
        : answer(response, 200, { ...project, credits_charged: 1 }),
    );
    const clock = new FakeClock();
    const { signal: stop } = new AbortController();
    const rates = requestRates({ clock, stop, pace: async () => undefined, backoffMs: 1000 });
    const client = server.client({ rates, clock });
    expect(await client.deleteProject('image', 'p-1')).toMatchObject({
      error: { reason: 'throttled', retryAfterMs: 7000 },
    });
    // Its caller took the turn before the intent was recorded, so the client must not wait: it does not send.
    const early = await client.create('face-swap-photo', { name: 'a' });
    expect(early).toMatchObject({ error: { reason: 'late' } });
    expect(server.asked.map(({ method }) => method)).toEqual(['DELETE']);
    expect(clock.slept).toEqual([]);
    expect((await client.project('image', 'p-1')).ok).toBe(true);
    expect(clock.slept).toEqual([7000]);
    expect((await client.create('face-swap-photo', { name: 'a' })).ok).toBe(true);
  });

  test('a 429 to a creation holds up creations, and nothing else', async () => {
    const server = await serve(({ method }, response) =>
      method === 'POST'
        ? answer(response, 429, { message: 'slow down' }, { 'retry-after': '7' })
        : answer(response, 200, project),
    );
    const clock = new FakeClock();
    const { signal: stop } = new AbortController();
    const rates = requestRates({ clock, stop, pace: async () => undefined, backoffMs: 1000 });
    const client = server.client({ rates, clock });
    expect((await client.create('face-swap-photo', { name: 'a' })).ok).toBe(false);
    expect((await client.project('image', 'p-1')).ok).toBe(true);
    expect(clock.slept).toEqual([]);
    await rates.creations.turn();
    expect(clock.slept).toEqual([7000]);
  });

  test('a request that waits for its turn is not sent any more', async () => {
    const stopper = new AbortController();
    const server = await serve((_, response) => answer(response, 204, undefined));
    const clock = new FakeClock();
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms, signal) => {
      stopper.abort();
      await sleep(ms, signal);
    };
    const stop = stopper.signal;
    const pace = pacer(60, clock, stop);
    const rates = requestRates({ clock, stop, pace, backoffMs: 1000 });
    const client = server.client({ stop, rates, clock });
    expect((await client.deleteProject('image', 'p-1')).ok).toBe(true);
    expect(await client.deleteProject('image', 'p-1')).toMatchObject({
      ok: false,
      error: { reason: 'aborted' },
    });
    expect(server.asked).toHaveLength(1);
  });
});

test.each([
  'a/../b',
  '../../account',
  'a?b=c',
  'a#b',
  'a\\..\\b',
  '%2e%2e',
  '%2F',
  ' ',
  '😀',
  'a;b',
  '...',
])('the id %j stays one piece of its path', async (id) => {
  const server = await serve((_, response) => answer(response, 404, {}));
  const client = server.client();
  await client.project('image', id);
  await client.deleteProject('image', id);
  await client.faceDetection(id);
  const piece = encodeURIComponent(id);
  expect(server.asked.map(({ path }) => path)).toEqual([
    `/v1/image-projects/${piece}`,
    `/v1/image-projects/${piece}`,
    `/v1/face-detection/${piece}`,
    `/v1/files/${piece}/face-detection`,
  ]);
});
