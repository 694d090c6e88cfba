// interface.md, Events, continued: the error codes that are named, and the rules of delivery.
// The codes are produced by faults that the service is told to have: most of them have causes that a rehearsal does
// not know. What a client must tolerate is left out.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RecordKind } from '../../../src/contract/api/project.ts';
import { photo, service } from '../../rig.ts';
import { Client, listAt } from '../client.ts';
import { hopeless, noPicture, quickTools, requestFor } from './door.ts';
import { openEars, register, tried } from './ears.ts';

const codes: readonly (readonly [RecordKind, string])[] = [
  ['video', 'invalid_video_file'],
  ['video', 'file_too_large'],
  ['video', 'insufficient_credits'],
  ['video', 'invalid_parameters'],
  ['video', 'processing_timeout'],
  ['image', 'no_source_face'],
  ['image', 'invalid_file_format'],
  ['image', 'file_too_large'],
  ['image', 'insufficient_credits'],
  ['image', 'invalid_parameters'],
  ['image', 'content_policy_violation'],
  ['audio', 'text_too_long'],
  ['audio', 'invalid_voice'],
  ['audio', 'insufficient_credits'],
  ['audio', 'processing_timeout'],
  ['video', 'unknown_error'],
  ['image', 'unknown_error'],
  ['audio', 'unknown_error'],
];

describe('interface.md, Events: error codes', () => {
  test.each(codes)('%s.errored can carry %s', async (kind, code) => {
    const tool = quickTools.find(([of]) => of === kind)?.[1] ?? '';
    const local = await service({ faults: { faults: [{ fault: 'job-error', on: tool, code }] } });
    const client = new Client(local);
    const ears = await openEars();
    await register(local, ears.url);
    const { id } = await client.create(tool, await requestFor(client, tool));
    const { payload } = await ears.until(`${kind}.errored`, id);
    expect(payload).toMatchObject({ status: 'error', error: { code }, credits_charged: 0 });
    expect(await client.record(kind, id)).toMatchObject({ error: { code } });
  });

  test('a picture that is none is an invalid_file_format', async () => {
    const client = new Client(await service());
    const good = await client.upload(await photo(1), 'png');
    const record = await client.settled('image', await client.swap(await noPicture(client), good));
    expect(record).toMatchObject({ error: { code: 'invalid_file_format' } });
  });

  test('a failure with no known cause carries unknown_error', async () => {
    // The service says on its standard error what nobody expected; here it is expected.
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const data = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 3 }));
    const local = await service({ data, credits: 1000 });
    const client = new Client(local);
    const body = await requestFor(client, 'character-replace');
    // The disk loses every upload behind the service's back.
    rmSync(join(data, 'api-assets'), { recursive: true });
    const { id } = await client.create('character-replace', body);
    expect(await client.settled('video', id)).toMatchObject({
      error: { code: 'unknown_error' },
      credits_charged: 0,
    });
  });
});

/** A project whose event was answered with this status, and what the log says of it. */
async function answeredWith(status: number) {
  const local = await service();
  const client = new Client(local);
  const ears = await openEars(status);
  await register(local, ears.url, ['image.completed']);
  const body = await requestFor(client, 'photo-colorizer');
  const { id } = await client.create('photo-colorizer', body);
  return { client, id, delivery: await tried(client, id) };
}

describe('interface.md, Events: rules', () => {
  test.each([200, 201, 202, 204, 299])(
    'the receiver must answer with an HTTP 2xx status: %i counts as delivered',
    async (status) => {
      const { delivery } = await answeredWith(status);
      expect(delivery).toMatchObject({ type: 'image.completed', state: 'delivered' });
      expect(listAt(delivery, 'attempts')).toMatchObject([{ status }]);
    },
  );

  test.each([301, 304, 400, 404, 429, 500, 503])(
    'events that get no 2xx answer count as not delivered: %i',
    async (status) => {
      const { client, id, delivery } = await answeredWith(status);
      expect(delivery['state']).not.toBe('delivered');
      expect(listAt(delivery, 'attempts')[0]).toMatchObject({ status });
      // The project is none the worse for it.
      expect(await client.settled('image', id)).toMatchObject({ status: 'complete' });
    },
  );

  test('events that get no answer at all count as not delivered', async () => {
    const local = await service();
    const client = new Client(local);
    const nobody = await service();
    await nobody.close();
    await register(local, `${nobody.address}/events`, ['image.completed']);
    const body = await requestFor(client, 'photo-colorizer');
    const { id } = await client.create('photo-colorizer', body);
    const delivery = await tried(client, id);
    expect(delivery['state']).not.toBe('delivered');
    expect(listAt(delivery, 'attempts')[0]).toMatchObject({ status: null });
  });

  test('a client may keep to a subset of events: no other is sent', async () => {
    const local = await service();
    const client = new Client(local);
    const [some, all] = [await openEars(), await openEars()];
    await register(local, some.url, ['image.completed', 'video.errored']);
    await register(local, all.url);
    const tool = 'photo-colorizer';
    const { id: bad } = await client.create(tool, await hopeless(client, 'image'));
    await all.until('image.errored', bad);
    const { id: good } = await client.create(tool, await requestFor(client, tool));
    await some.until('image.completed', good);
    expect(some.heard.map(({ type }) => type)).toEqual(['image.completed']);
  });

  test.each(quickTools)(
    'delivery is meant as a replacement for polling the details endpoints (%s)',
    async (kind, tool) => {
      const local = await service();
      const client = new Client(local);
      const ears = await openEars();
      await register(local, ears.url);
      const { id } = await client.create(tool, await requestFor(client, tool));
      const { payload } = await ears.until(`${kind}.completed`, id);
      expect((await client.outputs(payload)).length).toBeGreaterThan(0);
      expect(Object.keys(local.requests()).filter((name) => name.includes('-projects'))).toEqual(
        [],
      );
    },
  );
});
