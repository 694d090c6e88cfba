// Which calls wait for which outage, and what a run is told of it: in memory, call by call.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../../src/base/digest.ts';
import { err, ok } from '../../../../src/base/result.ts';
import type { ApiFailure } from '../../../../src/contract/api/failure.ts';
import type { Project } from '../../../../src/contract/api/project.ts';
import type { JobApi, MediaApi } from '../../../../src/core/ports.ts';
import type { RunEvent } from '../../../../src/core/run-event.ts';
import { gatherMs } from '../../../../src/core/upload-addresses.ts';
import { Outages } from '../../../../src/run/jobs/outages.ts';
import { FakeClock } from '../../../files/places.ts';
import { busy, unfit } from './performing.ts';

const down: ApiFailure = { reason: 'unreachable', message: 'ECONNREFUSED' };
const file = { path: 'a.png' };

/** A service at one host, storage at others. Each call fails as often as its list says, then answers. */
function scene(failures: Readonly<Record<string, readonly ApiFailure[]>>, limitMs = 60_000) {
  const asked: string[] = [];
  const left = new Map(Object.entries(failures).map(([name, list]) => [name, [...list]]));
  const call = <T>(name: string, value: T) => {
    asked.push(name);
    const failure = left.get(name)?.shift();
    return failure === undefined ? ok(value) : err(failure);
  };
  const project: Project = { id: 'p', status: 'complete', downloads: [], error: null };
  const fetched = { bytes: 1, digest: digestOf('x'), contentType: '', isVerified: true };
  const api: MediaApi = {
    uploadAddresses: async (items) =>
      call(
        'uploadAddresses',
        items.map(() => ({ uploadUrl: 'u', filePath: 'f.png' })),
      ),
    put: async (target) => call(`put ${target.uploadUrl}`, digestOf('x')),
    detectFaces: async () => call('detectFaces', { id: 'f' }),
    faceDetection: async (id) =>
      call('faceDetection', { id, status: 'complete', credits_charged: 0, faces: [] }),
    account: async () => call('account', undefined),
    create: async () => call('create', { id: 'p', credits: 1 }),
    project: async () => call('project', project),
    deleteProject: async () => call('deleteProject', undefined),
    download: async (url) => call(`download ${url}`, fetched),
  };
  const clock = new FakeClock();
  const told: RunEvent[] = [];
  const outages = new Outages({
    ...{ api, address: 'http://service.test/v1', clock, limitMs, backoffMs: 1000 },
    stop: new AbortController().signal,
    onEvent: (event) => void told.push(event),
  });
  return { outages, clock, told, asked };
}

const storage = 'https://storage.test/x.png';

describe('a free call of the service', () => {
  const calls: Readonly<Record<string, (api: JobApi) => Promise<{ readonly ok: boolean }>>> = {
    uploadAddresses: (api) => api.uploadAddress({ type: 'image', extension: 'png' }),
    detectFaces: (api) => api.detectFaces({}),
    faceDetection: (api) => api.faceDetection('f'),
    account: (api) => api.account(),
    project: (api) => api.project('image', 'p'),
    deleteProject: (api) => api.deleteProject('image', 'p'),
  };
  test.each(Object.entries(calls))(
    '%s waits while it is away, and is made again',
    async (name, call) => {
      const { outages, asked, clock, told } = scene({ [name]: [down, down] });
      const gatheredMs = name === 'uploadAddresses' ? gatherMs : 0;
      const since = new Date(clock.now() + gatheredMs).toISOString();
      expect((await call(outages.api)).ok).toBe(true);
      expect(asked).toEqual([name, name, name]);
      expect(clock.elapsed()).toBe(3000 + gatheredMs);
      expect(outages.waitedMs).toBe(3000);
      const waiting = {
        ...{ type: 'waiting', of: 'service', why: expect.stringContaining('ECONNREFUSED') },
        ...{ since, limitMs: 60_000 },
      };
      expect(told).toEqual([
        { ...waiting, tries: 1, nextTryMs: 1000 },
        { ...waiting, tries: 2, nextTryMs: 2000 },
        { type: 'back', of: 'service', waitedMs: 3000 },
      ]);
    },
  );

  test('holds up creations while it waits', async () => {
    const { outages } = scene({ project: [down, down] });
    expect(outages.holdCreations).toBe(false);
    const reading = outages.api.project('image', 'p');
    await Promise.resolve();
    await Promise.resolve();
    expect(outages.holdCreations).toBe(true);
    await reading;
    expect(outages.holdCreations).toBe(false);
  });
});

test('an upload that fails is not tried again with an address from the same request', async () => {
  const { outages, asked } = scene({ 'put u': [unfit] });
  const png = { type: 'image', extension: 'png' } as const;
  const target = async () => {
    const got = await outages.api.uploadAddress(png);
    if (!got.ok) throw new Error(got.error.message);
    return got.value;
  };
  await Promise.all([target(), target(), target()]);
  expect((await outages.api.put(await target(), file)).ok).toBe(false);
  expect((await outages.api.put(await target(), file)).ok).toBe(true);
  await target();
  const addresses = 'uploadAddresses';
  expect(asked).toEqual([addresses, addresses, 'put u', addresses, 'put u']);
});

describe('a call of storage', () => {
  test.each<readonly [string, (api: JobApi, url: string) => Promise<{ readonly ok: boolean }>]>([
    ['download', (api, url) => api.download(url, file)],
    ['put', (api, uploadUrl) => api.put({ uploadUrl, filePath: 'f' }, file)],
  ])('%s waits for its own host, and the service is asked as before', async (name, call) => {
    const { outages, told, clock } = scene({ [`${name} ${storage}`]: [down] });
    expect((await call(outages.api, storage)).ok).toBe(true);
    expect(told).toMatchObject([
      { type: 'waiting', of: 'storage', at: 'https://storage.test', tries: 1, nextTryMs: 1000 },
      { type: 'back', of: 'storage', at: 'https://storage.test', waitedMs: 1000 },
    ]);
    expect(clock.elapsed()).toBe(1000);
    expect([outages.waitedMs, outages.holdCreations]).toEqual([0, false]);
  });

  test('of the service’s host is the service', async () => {
    const url = 'http://service.test/files/x.png';
    const { outages, told } = scene({ [`download ${url}`]: [down] });
    await outages.api.download(url, file);
    expect(told).toMatchObject([{ of: 'service' }, { of: 'service' }]);
    expect(outages.waitedMs).toBe(1000);
  });

  test('shares the outage of its host with other calls, and of no other host', async () => {
    const failing = [down, down, down, down, down, down, down, down];
    const { outages, asked } = scene({ [`download ${storage}`]: failing }, 1000);
    expect(await outages.api.download(storage, file)).toMatchObject({
      error: { reason: 'outage', message: expect.stringContaining('https://storage.test') },
    });
    const before = asked.length;
    // That host is given up: nothing is sent there any more.
    expect(await outages.api.download(`${storage}?2`, file)).toMatchObject({
      error: { reason: 'outage' },
    });
    expect(asked).toHaveLength(before);
    expect((await outages.api.download('https://other.test/x.png', file)).ok).toBe(true);
  });

  test('with what is no address is left to the call', async () => {
    const { outages, asked } = scene({});
    await outages.api.download('nonsense', file);
    expect(asked).toEqual(['download nonsense']);
  });
});

describe('a creation', () => {
  const free = { probe: false };

  test('is never made again by itself', async () => {
    const { outages, asked } = scene({ create: [down] });
    expect(await outages.api.create('photo-colorizer', {})).toEqual(err(down));
    expect(asked).toEqual(['create']);
  });

  test('that found nobody there opens the outage of the service, and none of creations', async () => {
    const { outages, told, clock, asked } = scene({});
    expect(outages.hearOfCreation(err(down), free)).toBe(true);
    expect(outages.holdCreations).toBe(true);
    expect(told).toMatchObject([{ type: 'waiting', of: 'service' }]);
    expect(await outages.readyToCreate()).toEqual(ok(free));
    expect(asked).toEqual(['account']);
    expect(clock.elapsed()).toBe(1000);
    expect(told).toMatchObject([{}, { type: 'back', of: 'service', waitedMs: 1000 }]);
  });

  test.each([busy, { reason: 'throttled', message: '' } as const])(
    'that is told to come back later says nothing about the service (%j)',
    async (failure) => {
      const { outages, told, clock, asked } = scene({});
      expect([1, 2, 3].map(() => outages.hearOfCreation(err(failure), free))).toEqual([
        ...[false, false, true],
      ]);
      expect(told).toMatchObject([{ type: 'waiting', of: 'creations', tries: 1 }]);
      expect((await outages.api.project('image', 'p')).ok).toBe(true);
      expect(clock.elapsed()).toBe(0);
      // Of creations the next one tries itself: no other call would tell.
      expect(await outages.readyToCreate()).toEqual(ok({ probe: true }));
      expect(asked).toEqual(['project']);
      expect(outages.waitedMs).toBe(0);
      outages.hearOfCreation(ok(1), { probe: true });
      expect(told.at(-1)).toEqual({ type: 'back', of: 'creations', waitedMs: 1000 });
      expect(outages.holdCreations).toBe(false);
    },
  );

  test('whose answer shows that the service is back ends its outage', async () => {
    const { outages, told } = scene({});
    outages.hearOfCreation(err(down), free);
    expect(outages.hearOfCreation(ok(1), free)).toBe(false);
    expect(told.at(-1)).toMatchObject({ type: 'back', of: 'service' });
    expect(outages.holdCreations).toBe(false);
  });

  test('that is lost is no outage, and does not count as the try', () => {
    const { outages } = scene({});
    expect(outages.hearOfCreation(err({ reason: 'unanswered', message: '' }), free)).toBe(false);
    expect(outages.holdCreations).toBe(false);
  });

  test('that is not sent because the try found nobody lets the next one try', async () => {
    const { outages, clock } = scene({});
    for (const _ of [1, 2, 3]) outages.hearOfCreation(err(busy), free);
    const turn = await outages.readyToCreate();
    expect(turn).toEqual(ok({ probe: true }));
    expect(outages.hearOfCreation(err(down), { probe: true })).toBe(true);
    expect(await outages.readyToCreate()).toEqual(ok({ probe: true }));
    expect(clock.elapsed()).toBe(2000);
  });
});
