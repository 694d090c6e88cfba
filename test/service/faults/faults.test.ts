// Faults on demand: each kind does what it says and nothing else, and the same seed gives the same faults.
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../src/service/faults/schema.ts';
import { type LocalService, startService } from '../../../src/service/start.ts';
import { photo, service } from '../../rig.ts';
import {
  type Answer,
  addressIn,
  Client,
  download,
  eventually,
  listAt,
  put,
  send,
  textAt,
} from '../client.ts';
import { clockwork } from '../clockwork.ts';
import { hub, receiver } from '../receiver.ts';

const voice = { name: 'a voice', style: { prompt: 'Hello', voice_name: 'Elon' } };
const create = 'POST /v1/ai-voice-generator';

const withFaults = (...faults: readonly FaultRule[]): Promise<LocalService> =>
  service({ faults: { faults } });

const speak = (local: LocalService): Promise<Answer> =>
  new Client(local).ask('POST', '/v1/ai-voice-generator', voice);

const chargesOf = (local: LocalService): number =>
  local.ledger().filter(({ kind }) => kind === 'charge').length;

/** The error code of a request that must fail. */
async function failure(request: Promise<unknown>): Promise<string> {
  try {
    await request;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
  throw new Error('it did not fail');
}

describe('a request', () => {
  test('can wait', async () => {
    const clock = clockwork();
    const local = await service({
      ...clock.options,
      faults: { faults: [{ fault: 'latency', on: create, for: '3s', up_to: '3s' }] },
    });
    let answered = false;
    const asked = speak(local).then((answer) => {
      answered = true;
      return answer;
    });
    await clock.until((ms) => ms === 3000);
    expect([answered, chargesOf(local)]).toEqual([false, 0]);
    clock.pass(3000);
    expect((await asked).status).toBe(200);
  });

  test('can be throttled, and says for how long', async () => {
    const local = await withFaults({ fault: 'throttled', on: create, retry_after: 7, count: 1 });
    const first = await speak(local);
    expect([first.status, first.headers['retry-after'], chargesOf(local)]).toEqual([429, '7', 0]);
    expect((await speak(local)).status).toBe(200);
  });

  test.each([502, 503] as const)(
    'can be answered with %i, and nothing was created',
    async (status) => {
      const local = await withFaults({ fault: 'unavailable', on: create, status });
      const { status: got, body } = await speak(local);
      expect([got, Object.keys(body), chargesOf(local)]).toEqual([status, ['message'], 0]);
    },
  );

  test.each([
    [500, 'before', 0],
    [504, 'before', 0],
    [500, 'after', 1],
    [504, 'after', 1],
  ] as const)(
    'can be answered with %i %s its project was created',
    async (status, when, charges) => {
      const local = await withFaults({ fault: 'broken', on: create, status, when });
      const { status: got, body } = await speak(local);
      expect([got, Object.keys(body), chargesOf(local)]).toEqual([status, ['message'], charges]);
    },
  );

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('can have its connection reset %s its project was created', async (when, charges) => {
    const local = await withFaults({ fault: 'reset', on: create, when });
    expect(await failure(speak(local))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(chargesOf(local)).toBe(charges);
  });

  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('can stay without an answer %s its project was created', async (when, charges) => {
    const local = await withFaults({ fault: 'silence', on: create, when, count: 1 });
    let answered = false;
    const asked = failure(speak(local)).then((code) => {
      answered = true;
      return code;
    });
    await eventually('the request came', async () => local.requests()[create] === 1 || undefined);
    // Another one, sent later, is answered: the first would have been too.
    expect((await speak(local)).status).toBe(200);
    expect([answered, chargesOf(local)]).toEqual([false, charges + 1]);
    await local.close();
    expect(await asked).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
  });

  test('that is refused is refused all the same', async () => {
    const local = await withFaults({ fault: 'broken', on: create, when: 'after' });
    const { status } = await new Client(local).ask('POST', '/v1/ai-voice-generator', {});
    expect(status).toBe(400);
  });

  test('without a key meets no fault', async () => {
    const local = await withFaults({ fault: 'unavailable' });
    expect((await send(local.address, { method: 'GET', path: '/v1/account' })).status).toBe(401);
    const state = await hub(local.address, '/hub/faults');
    expect(listAt(state, 'faults')[0]).toMatchObject({ matched: 0, fired: 0 });
  });
});

describe('a transfer', () => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));

  /** A file that is in storage, by the address that shows it: a clip's output is the clip. */
  async function stored(local: LocalService): Promise<string> {
    const client = new Client(local);
    const clip = await client.upload(content, 'mp4', 'video');
    const { id } = await client.create('auto-subtitle-generator', {
      ...{ start_seconds: 0, end_seconds: 1, style: { template: 'karaoke' } },
      assets: { video_file_path: clip },
    });
    return addressIn(await client.settled('video', id));
  }

  test('can be cut off: a download promises more than comes', async () => {
    const local = await withFaults({ fault: 'truncated', on: 'GET /downloads/*', at_bytes: 1000 });
    const url = await stored(local);
    expect(await failure(download(url))).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
  });

  test('can be cut off: an upload leaves nothing behind', async () => {
    const local = await withFaults({ fault: 'truncated', on: 'PUT /uploads/*', count: 1 });
    const client = new Client(local);
    const [place] = await client.uploadAddresses('image', 'png');
    await failure(put(place?.url ?? '', content));
    const refused = await client.ask('POST', '/v1/photo-colorizer', {
      assets: { image_file_path: place?.path ?? '' },
    });
    expect([refused.status, textAt(refused.body, 'message')]).toEqual([
      400,
      expect.stringContaining('does not exist'),
    ]);
    expect((await put(place?.url ?? '', content)).status).toBe(200);
  });

  test('can stall until the client gives up', async () => {
    const local = await withFaults({ fault: 'stalled', on: 'GET /downloads/*', at_bytes: 1000 });
    const url = await stored(local);
    const gone = failure(download(url));
    await eventually(
      'it came',
      async () => local.requests()['GET /downloads/*'] === 1 || undefined,
    );
    await local.close();
    expect(await gone).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
  });

  test('can arrive with one byte changed', async () => {
    const local = await withFaults({ fault: 'corrupt', on: 'GET /downloads/*', count: 1 });
    const url = await stored(local);
    const { status, bytes } = await download(url);
    const wrong = [...content].flatMap((byte, at) => (bytes[at] === byte ? [] : [at]));
    expect([status, bytes.length, wrong]).toEqual([200, content.length, [50_000]]);
    expect((await download(url)).bytes.equals(content)).toBe(true);
  });

  test('can be lost after it was answered with success', async () => {
    const local = await withFaults({ fault: 'lost-upload', count: 1 });
    const client = new Client(local);
    const lost = await client.upload(await photo(1), 'png');
    const kept = await client.upload(await photo(1), 'png');
    const ask = (path: string): Promise<Answer> =>
      client.ask('POST', '/v1/photo-colorizer', { assets: { image_file_path: path } });
    expect([(await ask(lost)).status, (await ask(kept)).status]).toEqual([400, 200]);
  });

  test('meets an address that ended sooner than it said', async () => {
    const clock = clockwork();
    const local = await service({
      ...clock.options,
      faults: { faults: [{ fault: 'early-expiry', on: 'uploads', after: '1m', count: 1 }] },
    });
    const client = new Client(local);
    const [early, other] = await client.uploadAddresses('image', 'png', 'png');
    expect(early?.expiresAt).toBe(other?.expiresAt);
    clock.pass(60_000);
    const answers = [await put(early?.url ?? '', content), await put(other?.url ?? '', content)];
    expect(answers.map(({ status }) => status)).toEqual([403, 200]);
  });
});

describe('a job', () => {
  test('can end in error with a given code, refunded', async () => {
    const local = await withFaults({
      ...{ fault: 'job-error', on: 'ai-voice-generator', code: 'processing_timeout' },
      message: 'It took too long.',
    });
    const record = await new Client(local).settled(
      'audio',
      textAt((await speak(local)).body, 'id'),
    );
    expect(record).toMatchObject({
      ...{ status: 'error', credits_charged: 0, downloads: [] },
      error: { code: 'processing_timeout', message: 'It took too long.' },
    });
    expect(local.balance()).toBe(10_000);
  });

  test('can hang, and others go on', async () => {
    const local = await service({
      slots: 1,
      faults: { faults: [{ fault: 'job-hang', count: 2 }] },
    });
    const client = new Client(local);
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(textAt((await speak(local)).body, 'id'));
    expect((await client.settled('audio', ids[2] ?? ''))['status']).toBe('complete');
    const hung = await Promise.all(ids.slice(0, 2).map((id) => client.record('audio', id)));
    expect(hung.map(({ status }) => status)).toEqual(['rendering', 'rendering']);
  });
});

describe('a charge', () => {
  /** 10 credits by the list. */
  const spoken = { ...voice, style: { ...voice.style, prompt: 'x'.repeat(100) } };

  /** What a creation answers, what its record says when it is complete, and every credit that moved. */
  async function charged(local: LocalService): Promise<readonly [unknown, unknown, ...string[]]> {
    const client = new Client(local);
    const opening = local.ledger().length;
    const { body } = await client.ask('POST', '/v1/ai-voice-generator', spoken);
    const record = await client.settled('audio', textAt(body, 'id'));
    const moved = local.ledger().slice(opening);
    return [
      body['credits_charged'],
      record['credits_charged'],
      ...moved.map(({ kind, credits }) => `${kind} ${credits}`),
    ];
  }

  test.each([
    [20, 'before', [12, 12, 'charge 12']],
    [1, 'before', [11, 11, 'charge 11']],
    [100, 'before', [20, 20, 'charge 20']],
    [-50, 'before', [5, 5, 'charge 5']],
    [10, 'after', [10, 11, 'charge 10', 'adjustment -1']],
    [-30, 'after', [10, 7, 'charge 10', 'adjustment 3']],
    [0, 'after', [10, 10, 'charge 10']],
  ] as const)('can be %i percent above the price, said %s', async (percent, when, expected) => {
    const local = await withFaults({ fault: 'surcharge', percent, when });
    const before = local.balance();
    expect(await charged(local)).toEqual(expected);
    expect(local.balance()).toBe(before - Number(expected[1]));
  });

  test('that the account cannot bear is refused at the creation, and borne by the service at the end', async () => {
    const dear = await service({
      ...{ credits: 11, faults: { faults: [{ fault: 'surcharge', percent: 20, when: 'before' }] } },
    });
    const { status } = await new Client(dear).ask('POST', '/v1/ai-voice-generator', spoken);
    expect([status, dear.balance()]).toEqual([402, 11]);
    const later = await service({
      ...{ credits: 11, faults: { faults: [{ fault: 'surcharge', percent: 20, when: 'after' }] } },
    });
    expect(await charged(later)).toEqual([10, 11, 'charge 10', 'adjustment -1']);
    expect(later.balance()).toBe(0);
  });

  test('of some projects only is raised, and one that fails is refunded as a whole', async () => {
    const local = await withFaults(
      { fault: 'job-error', code: 'unknown_error', count: 1 },
      { fault: 'surcharge', percent: 20, when: 'before', count: 1 },
      { fault: 'surcharge', percent: 10, when: 'after', skip: 1, count: 1 },
    );
    expect(await charged(local)).toEqual([12, 0, 'charge 12', 'refund 12']);
    expect(await charged(local)).toEqual([10, 10, 'charge 10']);
    expect(await charged(local)).toEqual([10, 11, 'charge 10', 'adjustment -1']);
    expect(await charged(local)).toEqual([10, 10, 'charge 10']);
  });

  test('that is refused with its request uses up no surcharge', async () => {
    const local = await withFaults({ fault: 'surcharge', percent: 20, when: 'before', count: 1 });
    const { status } = await new Client(local).ask('POST', '/v1/ai-voice-generator', {});
    expect(status).toBe(400);
    expect(await charged(local)).toEqual([12, 12, 'charge 12']);
  });
});

describe('an event', () => {
  const said = async (local: LocalService): Promise<void> => {
    await new Client(local).settled('audio', textAt((await speak(local)).body, 'id'));
  };
  const kinds = ['audio.started', 'audio.completed'];

  test('can be lost: the log says so, and it can be replayed', async () => {
    const local = await withFaults({ fault: 'event-lost', on: 'audio.started' });
    const { events } = await receiver(local.address);
    await said(local);
    await eventually('one comes', async () => events.length === 1 || undefined);
    const log = listAt(await hub(local.address, '/hub/deliveries'), 'deliveries');
    expect(log.map(({ type, state }) => [type, state])).toEqual([
      ['audio.completed', 'delivered'],
      ['audio.started', 'lost'],
    ]);
    await hub(local.address, `/hub/deliveries/${textAt(log[1] ?? {}, 'id')}/replay`, {});
    await eventually('the other comes', async () => events.length === 2 || undefined);
  });

  test('can be late, and those behind it wait', async () => {
    const clock = clockwork();
    const faults: FaultRule[] = [{ fault: 'event-late', on: 'audio.started', by: '30s' }];
    const local = await service({ ...clock.options, faults: { faults } });
    const { events } = await receiver(local.address);
    await said(local);
    await clock.until((ms) => ms === 30_000);
    expect(events).toEqual([]);
    clock.pass(30_000);
    await eventually('both come', async () => events.length === 2 || undefined);
    expect(events.map(({ type }) => type)).toEqual(kinds);
  });

  test('can come twice', async () => {
    const local = await withFaults({ fault: 'event-doubled', on: 'audio.completed' });
    const { events } = await receiver(local.address);
    await said(local);
    await eventually('three come', async () => events.length === 3 || undefined);
    expect(events.map(({ type }) => type)).toEqual([...kinds, 'audio.completed']);
  });

  test('can come out of order', async () => {
    const local = await withFaults({ fault: 'event-out-of-order', on: 'audio.started' });
    const { events } = await receiver(local.address);
    await said(local);
    await eventually('both come', async () => events.length === 2 || undefined);
    expect(events.map(({ type }) => type)).toEqual([...kinds].reverse());
  });

  test('can be signed wrongly, and is signed rightly when it is sent again', async () => {
    const local = await service({
      eventBackoffMs: 1,
      faults: { faults: [{ fault: 'event-wrong-signature', count: 1 }] },
    });
    const { events } = await receiver(local.address, {
      events: ['audio.completed'],
      reply: ({ signed }) => (signed ? 200 : 400),
    });
    await said(local);
    await eventually('two come', async () => events.length === 2 || undefined);
    expect(events.map(({ signed }) => signed)).toEqual([false, true]);
  });
});

describe('the rules', () => {
  /** Which of so many requests met a fault. */
  async function metBy(local: LocalService, count: number): Promise<string> {
    let met = '';
    for (let index = 0; index < count; index++)
      met += (await new Client(local).ask('GET', '/v1/account')).status === 503 ? 'x' : '.';
    return met;
  }
  const half = { fault: 'unavailable', on: 'GET /v1/account', probability: 0.5 } as const;

  test('fall the same with the same seed, and otherwise with another', async () => {
    const faults = { faults: [half] };
    const [first, second, other] = await Promise.all(
      [1, 1, 2].map(async (seed) => metBy(await service({ seed, faults }), 60)),
    );
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    const met = [...(first ?? '')].filter((one) => one === 'x').length;
    expect(met).toBeGreaterThan(15);
    expect(met).toBeLessThan(45);
  });

  test('count, skip and follow each other', async () => {
    const local = await withFaults({ ...half, probability: 1, skip: 2, count: 3 });
    expect(await metBy(local, 8)).toBe('..xxx...');
    const [state] = listAt(await hub(local.address, '/hub/faults'), 'faults');
    expect(state).toMatchObject({ matched: 8, fired: 3 });
  });

  test('come and go while the service runs', async () => {
    const local = await service();
    expect(await metBy(local, 2)).toBe('..');
    await hub(local.address, '/hub/faults', { faults: [{ ...half, probability: 1 }] });
    expect(await metBy(local, 2)).toBe('xx');
    await hub(local.address, '/hub/faults/clear', {});
    expect(await metBy(local, 2)).toBe('..');
  });

  test.each([
    ['an unknown fault', [{ fault: 'fire' }], /faults\.0\.fault must be one of latency/],
    ['a missing field', [{ fault: 'reset' }], /faults\.0\.when is missing/],
    ['a 502 after creation', [{ fault: 'unavailable', when: 'after' }], /when is not a field/],
    [
      'a target that is none',
      [{ fault: 'reset', when: 'after', on: 'POST /v1/swap' }],
      /POST \/v1\/swap/,
    ],
    ['a probability above 1', [{ fault: 'job-hang', probability: 2 }], /probability/],
    ['a surcharge above 100', [{ fault: 'surcharge', percent: 101, when: 'after' }], /percent/],
    ['half a percent', [{ fault: 'surcharge', percent: 0.5, when: 'after' }], /percent/],
    ['a surcharge at no time', [{ fault: 'surcharge', percent: 5 }], /when is missing/],
    ['a time that is none', [{ fault: 'latency', for: 'long' }], /for/],
  ])('are refused with %s', async (_, faults, message) => {
    const { address } = await service();
    const answer = await send(address, {
      method: 'POST',
      path: '/hub/faults',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ faults }),
    });
    expect([answer.status, answer.body]).toEqual([
      400,
      { message: expect.stringMatching(message) },
    ]);
    await expect(startService({ faults: JSON.parse(JSON.stringify({ faults })) })).rejects.toThrow(
      message,
    );
  });
});
