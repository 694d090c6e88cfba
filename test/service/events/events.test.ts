// Events: sent for every move that has one, signed, at least once, in order, and kept in a log (interface.md, Events).
import { describe, expect, test } from 'vitest';
import { eventKinds } from '../../../src/contract/api/event.ts';
import { photo, service } from '../../rig.ts';
import { Client, download, eventually, listAt, send, textAt } from '../client.ts';
import { clockwork } from '../clockwork.ts';
import { hub, type Received, receiver } from '../receiver.ts';

const kindsOf = (events: readonly Received[]): readonly string[] => events.map(({ type }) => type);

/** Waits until so many events came. */
async function arrived(events: readonly Received[], count: number): Promise<void> {
  await eventually(`${count} events come`, async () => events.length >= count || undefined);
}

describe('an event', () => {
  test('is sent when a video starts and when it is complete, with its record', async () => {
    const local = await service();
    const { events } = await receiver(local.address);
    const client = new Client(local);
    const { id } = await client.create('text-to-video', {
      name: 'a boat',
      end_seconds: 3,
      style: { prompt: 'a boat' },
    });
    await arrived(events, 2);
    expect(kindsOf(events)).toEqual(['video.started', 'video.completed']);
    const [started, completed] = events.map(({ payload }) => payload);
    expect(started).toMatchObject({
      id,
      name: 'a boat',
      status: 'rendering',
      downloads: [],
      error: null,
    });
    expect(completed).toMatchObject({ id, status: 'complete', error: null });
    const record = await client.record('video', id);
    const { downloads: _, download: _d, completed_at, ...rest } = completed ?? {};
    expect(record).toMatchObject(rest);
    expect(completed_at).toMatch(/^\d{4}-.*Z$/);
    const [file] = listAt(completed ?? {}, 'downloads');
    expect((await download(textAt(file ?? {}, 'url'))).status).toBe(200);
  });

  test('of a job that failed carries the error and when it failed', async () => {
    const local = await service();
    const { events } = await receiver(local.address, { events: ['image.errored'] });
    const client = new Client(local);
    const bad = await client.upload(Buffer.from('no picture'), 'png');
    const id = await client.swap(bad, bad);
    await arrived(events, 1);
    expect(kindsOf(events)).toEqual(['image.errored']);
    expect(events[0]?.payload).toMatchObject({
      ...{ id, status: 'error', downloads: [], credits_charged: 0 },
      error: { code: 'invalid_file_format', message: expect.any(String) },
      failed_at: expect.stringMatching(/Z$/),
    });
  });

  test('image.started is skipped by tools that are too fast, and sent by slower ones', async () => {
    const local = await service();
    const { events } = await receiver(local.address);
    const client = new Client(local);
    const file = await client.upload(await photo(1), 'png');
    await client.settled('image', await client.swap(file, file));
    const slow = await client.create('photo-colorizer', { assets: { image_file_path: file } });
    await client.settled('image', slow.id);
    await arrived(events, 3);
    expect([...kindsOf(events)].sort()).toEqual([
      'image.completed',
      'image.completed',
      'image.started',
    ]);
  });

  test('goes only to webhooks that chose its kind, each with a signature of its own', async () => {
    const local = await service();
    const all = await receiver(local.address);
    const some = await receiver(local.address, { events: ['audio.completed'] });
    await new Client(local).create('ai-voice-generator', {
      style: { prompt: 'Hello', voice_name: 'Elon' },
    });
    await arrived(all.events, 2);
    await arrived(some.events, 1);
    expect(kindsOf(some.events)).toEqual(['audio.completed']);
    expect([...all.events, ...some.events].every(({ signed }) => signed)).toBe(true);
    expect(all.webhook['events']).toEqual(eventKinds);
    expect(all.webhook['secret']).not.toBe(some.webhook['secret']);
  });

  test('is not sent for a project that is canceled in the hub', async () => {
    const local = await service({ speed: 'realtime' });
    const { events } = await receiver(local.address);
    const client = new Client(local);
    const { id } = await client.create('text-to-video', {
      end_seconds: 3,
      style: { prompt: 'a boat' },
    });
    await hub(local.address, `/hub/projects/${id}/cancel`, {});
    expect((await client.record('video', id))['status']).toBe('canceled');
    expect(listAt(await hub(local.address, '/hub/deliveries'), 'deliveries')).toEqual([]);
    expect(events).toEqual([]);
  });

  test('goes to no webhook of another account, and to none that was removed', async () => {
    const local = await service();
    const other = await hub(local.address, '/hub/accounts', { email: 'bo@example.com' });
    const key = textAt(
      await hub(local.address, '/hub/keys', { name: 'bo', account: textAt(other, 'id') }),
      'key',
    );
    const mine = await receiver(local.address);
    const gone = await receiver(local.address);
    await hub(local.address, `/hub/webhooks/${textAt(gone.webhook, 'id')}/remove`, {});
    const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };
    const bo = new Client({ address: local.address, key });
    await bo.settled('audio', (await bo.create('ai-voice-generator', voice)).id);
    await new Client(local).create('ai-voice-generator', voice);
    await arrived(mine.events, 2);
    expect(kindsOf(mine.events)).toEqual(['audio.started', 'audio.completed']);
    expect(gone.events).toEqual([]);
  });
});

describe('an event that is not answered with success', () => {
  /** How many attempts there were, and how long it then takes to the next, in units of the first wait. */
  const waits = [
    [1, 1],
    [2, 2],
    [3, 4],
    [4, 8],
  ] as const;
  const voice = { style: { prompt: 'Hello', voice_name: 'Elon' } };

  test('is sent again after 1, 2, 4 … seconds, and the next of its project waits', async () => {
    const clock = clockwork();
    const local = await service({ ...clock.options });
    const { events } = await receiver(local.address, {
      reply: (_, before) => (before.length < 4 ? 500 : 204),
    });
    const { id } = await new Client(local).create('ai-voice-generator', voice);
    for (const [count, seconds] of waits) {
      await arrived(events, count);
      await clock.until((at) => at === seconds * 1000);
      clock.pass(seconds * 1000 - 1);
      expect(events).toHaveLength(count);
      clock.pass(1);
    }
    await arrived(events, 6);
    expect(kindsOf(events)).toEqual([...Array(5).fill('audio.started'), 'audio.completed']);
    expect(events.every(({ signed }) => signed)).toBe(true);
    const stamps = events.map(({ headers }) => Number(headers['magic-hour-event-timestamp']));
    expect(stamps.map((stamp) => stamp - (stamps[0] ?? 0))).toEqual([0, 1, 3, 7, 15, 15]);
    const log = listAt(await hub(local.address, `/hub/deliveries?project=${id}`), 'deliveries');
    expect(log.map(({ type, state, attempts }) => [type, state, [attempts].flat().length])).toEqual(
      [
        ['audio.completed', 'delivered', 1],
        ['audio.started', 'delivered', 5],
      ],
    );
  });

  test('is sent again when there is no answer within 10 seconds', async () => {
    const clock = clockwork();
    const local = await service({ ...clock.options });
    const { events } = await receiver(local.address, {
      events: ['audio.completed'],
      reply: (_, before) => (before.length === 0 ? 'silence' : 200),
    });
    await new Client(local).create('ai-voice-generator', voice);
    await arrived(events, 1);
    clock.pass(10_000);
    await clock.until((at) => at === 1000);
    clock.pass(1000);
    await arrived(events, 2);
    const [delivery] = listAt(await hub(local.address, '/hub/deliveries'), 'deliveries');
    expect(listAt(delivery ?? {}, 'attempts')[0]).toMatchObject({
      status: null,
      error: 'no answer within 10 seconds',
    });
  });

  test('is given up after 24 hours, and then the next of its project is sent', async () => {
    const clock = clockwork();
    const local = await service({ ...clock.options, eventBackoffMs: 3_600_000 });
    const { events } = await receiver(local.address, {
      reply: ({ type }) => (type === 'audio.started' ? 503 : 200),
    });
    await new Client(local).create('ai-voice-generator', voice);
    // After 1, 3, 7 and 15 hours; the next would be after 31.
    for (const [count, hours] of waits) {
      await arrived(events, count);
      await clock.until((at) => at === hours * 3_600_000);
      clock.pass(hours * 3_600_000);
    }
    await arrived(events, 6);
    expect(kindsOf(events)).toEqual([...Array(5).fill('audio.started'), 'audio.completed']);
    await eventually('the log says so', async () => {
      const log = listAt(await hub(local.address, '/hub/deliveries'), 'deliveries');
      return log.map(({ state }) => state).join() === 'delivered,given_up' || undefined;
    });
  });

  test('can be replayed from the log', async () => {
    const local = await service();
    const { events } = await receiver(local.address, { events: ['audio.completed'] });
    await new Client(local).create('ai-voice-generator', voice);
    await arrived(events, 1);
    const [delivery] = listAt(await hub(local.address, '/hub/deliveries'), 'deliveries');
    await hub(local.address, `/hub/deliveries/${textAt(delivery ?? {}, 'id')}/replay`, {});
    await arrived(events, 2);
    const [first, second] = events;
    expect(second?.payload['id']).toBe(first?.payload['id']);
    expect(second?.payload['completed_at']).toBe(first?.payload['completed_at']);
  });
});

describe('a webhook is refused when', () => {
  test.each([
    ['its address is no HTTPS and not on this machine', { url: 'http://example.com/x' }, /https/],
    ['its address holds a password', { url: 'https://a:b@example.com/x' }, /password/],
    ['its address is none', { url: 'example' }, /not an address/],
    ['it has no address', {}, /url is missing/],
    ['it wants an event that is none', { url: 'https://a.example', events: ['x'] }, /events\.0/],
    ['its account is none', { url: 'https://a.example', account: 'x' }, /no account x/],
  ])('%s', async (_, body, message) => {
    const { address } = await service();
    const answer = await send(address, {
      method: 'POST',
      path: '/hub/webhooks',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.body]).toEqual([
      400,
      { message: expect.stringMatching(message) },
    ]);
  });
});
