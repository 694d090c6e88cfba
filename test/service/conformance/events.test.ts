// interface.md, Events: each row of the tables and each rule, heard by a real receiver that the hub was told of.
// Left out: "A client may keep to a subset of events" beyond the selection, and "must tolerate an event kind it does
// not expect", are about the client. The retry policy, the signature's header and its algorithm are not shown; those
// used here are facts.md's. That the endpoint must be HTTPS is tested for addresses of other machines: on this one the
// hub takes plain HTTP, or no receiver could be tested.
import { describe, expect, test } from 'vitest';
import type { RecordKind } from '../../../src/contract/api/project.ts';
import type { ServiceOptions } from '../../../src/service/start.ts';
import { photo, service } from '../../rig.ts';
import { addressIn, Client, download, listAt, textAt } from '../client.ts';
import {
  hopeless,
  hopelessTool,
  hub,
  isoTime,
  kinds,
  messageOf,
  quickTools,
  requestFor,
} from './door.ts';
import { type Ears, openEars, register, signed } from './ears.ts';
import { slow } from './stage.ts';

interface Scene {
  readonly client: Client;
  readonly ears: Ears;
  readonly secret: string;
}

async function scene(options: ServiceOptions = {}, events?: readonly string[]): Promise<Scene> {
  const client = new Client(await service(options));
  const ears = await openEars();
  const { secret } = await register(client.door, ears.url, events);
  return { client, ears, secret: `${secret}` };
}

async function begin(client: Client, kind: RecordKind, fails = false): Promise<string> {
  const tool = fails ? hopelessTool[kind] : (quickTools.find(([of]) => of === kind)?.[1] ?? '');
  const body = fails ? await hopeless(client, kind) : await requestFor(client, tool);
  return (await client.create(tool, body)).id;
}

describe('interface.md, Events: registration', () => {
  test('sends events to an HTTPS endpoint registered in the hub', async () => {
    const local = await service();
    expect(await register(local, 'https://example.com/events')).toMatchObject({
      url: 'https://example.com/events',
    });
    const plain = { url: 'http://example.com/events' };
    expect(messageOf(await hub(local, 'POST', '/hub/webhooks', plain), 400)).toMatch(/https/);
  });

  test('is done in the hub, not through the API', async () => {
    const client = new Client(await service());
    const body = { url: 'https://example.com/events' };
    for (const path of ['/v1/webhooks', '/v1/hub/webhooks', '/v1/events'])
      expect((await client.ask('POST', path, body)).status).toBe(404);
  });

  test('has an endpoint URL, a selection of event kinds, and a webhook secret', async () => {
    const local = await service();
    const events = ['video.completed', 'image.errored'];
    expect(await register(local, 'https://example.com/events', events)).toMatchObject({
      url: 'https://example.com/events',
      events,
      secret: expect.stringMatching(/.{16}/),
    });
  });

  test('selecting is optional: without a selection all nine kinds are sent', async () => {
    const { events } = await register(await service(), 'https://example.com/events');
    const all = kinds.flatMap(([kind]) => [
      `${kind}.started`,
      `${kind}.completed`,
      `${kind}.errored`,
    ]);
    expect(new Set(Array.isArray(events) ? events : [])).toEqual(new Set(all));
  });

  test('a kind that does not exist cannot be selected', async () => {
    const local = await service();
    const body = { url: 'https://example.com/events', events: ['video.finished'] };
    expect(messageOf(await hub(local, 'POST', '/hub/webhooks', body), 400)).toContain(
      'video.finished',
    );
  });

  test('the secret is shown once', async () => {
    const local = await service();
    const secret = textAt(await register(local, 'https://example.com/events'), 'secret');
    for (const path of ['/hub/webhooks', '/hub/deliveries', '/hub'])
      expect((await hub(local, 'GET', path)).bytes.toString()).not.toContain(secret);
  });

  test('the secret is used to check that an event comes from the service', async () => {
    const { client, ears, secret } = await scene();
    const other = await openEars();
    const { secret: otherSecret } = await register(client.door, other.url);
    const id = await begin(client, 'image');
    const { headers, raw } = await ears.until('image.completed', id);
    const timestamp = `${headers['magic-hour-event-timestamp']}`;
    expect(headers['magic-hour-event-signature']).toBe(signed(secret, timestamp, raw));
    expect(signed(`${otherSecret}`, timestamp, raw)).not.toBe(signed(secret, timestamp, raw));
  });
});

describe('interface.md, Events: the event body, when it is sent, and what the payload holds', () => {
  test.each(kinds)(
    '%s.started is sent when the job moves from queued to rendering, with the project record',
    async (kind) => {
      const { local, client, clock } = await slow();
      const ears = await openEars();
      await register(local, ears.url);
      const id = await begin(client, kind);
      expect([ears.heard, (await client.record(kind, id))['status']]).toEqual([[], 'queued']);
      clock.tick();
      const { payload } = await ears.until(`${kind}.started`, id);
      const record = await client.record(kind, id);
      expect(payload).toMatchObject(record);
      expect(record).toMatchObject({ status: 'rendering', downloads: [], error: null });
      expect(ears.heard.map(({ type }) => type)).toEqual([`${kind}.started`]);
    },
  );

  test('image.started may be skipped for very fast tools: completed comes all the same', async () => {
    const { client, ears } = await scene();
    const file = await client.upload(await photo(1), 'png');
    await ears.until('image.completed', await client.swap(file, file));
    const before = ears.heard.map(({ type }) => type).slice(0, -1);
    expect([[], ['image.started']]).toContainEqual(before);
  });

  test.each(kinds)(
    'one event for each move of a %s project, in their order, with the project record of the matching details endpoint',
    async (kind) => {
      const { client, ears } = await scene();
      const [done, failed] = [await begin(client, kind), await begin(client, kind, true)];
      const { payload: completed } = await ears.until(`${kind}.completed`, done);
      const { payload: errored } = await ears.until(`${kind}.errored`, failed);
      const of = (id: string): readonly string[] =>
        ears.heard.filter(({ payload }) => payload['id'] === id).map(({ type }) => type);
      expect(of(done)).toEqual([`${kind}.started`, `${kind}.completed`]);
      expect(of(failed)).toEqual([`${kind}.started`, `${kind}.errored`]);
      for (const { headers, raw } of ears.heard) {
        expect(headers['content-type']).toMatch(/^application\/json/);
        expect(JSON.parse(raw.toString())).toEqual({
          type: expect.stringMatching(/^(video|image|audio)\.(started|completed|errored)$/),
          payload: expect.objectContaining({ id: expect.any(String) }),
        });
      }
      // Addresses are issued again each time.
      const { downloads: _, download: __, ...record } = await client.record(kind, done);
      expect(completed).toMatchObject({ ...record, status: 'complete', completed_at: isoTime });
      expect(listAt(completed, 'downloads').length).toBeGreaterThan(0);
      expect((await download(addressIn(completed))).status).toBe(200);
      expect(errored).toMatchObject(await client.record(kind, failed));
      expect(errored).toMatchObject({ status: 'error', downloads: [], failed_at: isoTime });
      const error = { code: expect.any(String), message: expect.any(String) };
      expect(errored['error']).toEqual(error);
    },
  );
});
