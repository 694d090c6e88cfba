// The receiver of events: whom it believes, what it answers, and how it bears bad senders.
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signatureHeader, signatureOf, timestampHeader } from '../../src/contract/api/event.ts';
import type { Project, RecordKind } from '../../src/contract/api/project.ts';
import type { Clock } from '../../src/core/ports.ts';
import {
  type EventReceiver,
  EventReplays,
  openReceiver,
  type ReceiverOptions,
} from '../../src/service-api/event-receiver.ts';
import { until } from '../rig.ts';

const secret = 'whsec_The-Very-Secret-4711';
const now = Date.parse('2026-08-05T10:00:00Z') / 1000;
/** Time stands still: who sleeps is woken by nothing but the signal. */
const clock: Clock = {
  now: () => now * 1000,
  elapsed: () => 0,
  chance: () => 0.5,
  sleep: (_, signal) => abortion(signal),
};
const record = { id: 'p1', name: 'a boat #1', status: 'complete', downloads: [] };
const event = JSON.stringify({ type: 'image.completed', payload: record });

interface Open extends EventReceiver {
  readonly told: [RecordKind, Project][];
}

async function opened(options: Partial<ReceiverOptions> = {}): Promise<Open> {
  const told: [RecordKind, Project][] = [];
  const receiver = await openReceiver({
    listen: { host: '127.0.0.1', port: 0 },
    secret,
    clock,
    tell: async (kind, project) => {
      told.push([kind, project]);
      return true;
    },
    ...options,
  });
  if (!receiver.ok) throw new Error(receiver.error);
  onTestFinished(() => receiver.value.close());
  return { ...receiver.value, told };
}

interface Sent {
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** The status of the answer; `cut`: the connection was closed without one. */
function post(address: string, { method = 'POST', body = event, headers, path }: Sent = {}) {
  return new Promise<number | 'cut'>((resolve) => {
    const sent = request(`${address}${path ?? '/events?from=here'}`, {
      method,
      headers: headers ?? signed(body),
    });
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 'cut');
    });
    sent.on('error', () => resolve('cut'));
    sent.end(body);
  });
}

function signed(body: string | Buffer, { by = secret, at = `${now}` } = {}) {
  return { [timestampHeader]: at, [signatureHeader]: signatureOf(by, at, body) };
}

describe('an event is believed', () => {
  test('on any path, when it is signed with the secret, and what it tells is handed on', async () => {
    const { address, told } = await opened();
    expect(await post(address)).toBe(204);
    const headers = signed(event, { at: `${now - 1}` });
    expect(await post(address, { path: '/', headers })).toBe(204);
    expect(told).toEqual([
      ['image', record],
      ['image', record],
    ]);
  });

  test.each([300, -300])('when its timestamp is %i seconds off', async (seconds) => {
    const { address } = await opened();
    const headers = signed(event, { at: `${now + seconds}` });
    expect(await post(address, { headers })).toBe(204);
  });

  test('when its headers have the names that were set, and then no others', async () => {
    const headers = { signature: 'x-signature', timestamp: 'x-timestamp' };
    const { address } = await opened({ headers });
    const { [signatureHeader]: signature = '', [timestampHeader]: timestamp = '' } = signed(event);
    const renamed = { 'X-Signature': signature, 'X-Timestamp': timestamp };
    expect(await post(address, { headers: renamed })).toBe(204);
    expect(await post(address)).toBe(401);
  });
});

describe('an event is not believed', () => {
  const right = signed(event);
  const upper = (right[signatureHeader] ?? '').toUpperCase();
  test.each<[string, Sent]>([
    ['with another secret', { headers: signed(event, { by: 'another' }) }],
    ['with an empty secret', { headers: signed(event, { by: '' }) }],
    ['without headers', { headers: {} }],
    ['without a timestamp', { headers: { [signatureHeader]: right[signatureHeader] ?? '' } }],
    ['without a signature', { headers: { [timestampHeader]: `${now}` } }],
    ['in capitals', { headers: { ...right, [signatureHeader]: upper } }],
    ['with a byte changed', { body: event.replace('boat', 'goat'), headers: right }],
    ['with a byte more', { body: `${event} `, headers: right }],
    ['301 seconds old', { headers: signed(event, { at: `${now - 301}` }) }],
    ['301 seconds ahead', { headers: signed(event, { at: `${now + 301}` }) }],
    ['with the timestamp of another', { headers: { ...right, [timestampHeader]: `${now - 1}` } }],
    ['with a timestamp that is no number', { headers: signed(event, { at: 'now' }) }],
    ['with a timestamp that is not whole', { headers: signed(event, { at: `${now}.5` }) }],
    ['as garbage', { body: Buffer.from([0, 255, 1]), headers: {} }],
  ])('%s', async (_, sent) => {
    const { address, told } = await opened();
    expect(await post(address, sent)).toBe(401);
    expect(told).toEqual([]);
  });
});

describe('what is authentic', () => {
  const body = (value: unknown): Sent => ({ body: JSON.stringify(value) });
  test.each<[string, Sent, number]>([
    ['is tolerated when its kind is not known', body({ type: 'account.renamed' }), 204],
    [
      'is tolerated when its action is not known',
      body({ type: 'video.canceled', payload: 1 }),
      204,
    ],
    [
      'may have fields that nobody knows',
      body({ type: 'video.started', payload: { ...record, x: 1 }, y: 2 }),
      204,
    ],
    ['must be JSON', { body: '{' }, 400],
    ['must be UTF-8 JSON', { body: Buffer.from([0x7b, 0xff, 0x7d]) }, 400],
    ['must be an object', body([1]), 400],
    ['must have a type', body({ payload: record }), 400],
    ['must carry a record', body({ type: 'image.completed' }), 400],
    ['must carry a whole record', body({ type: 'image.completed', payload: { id: 'p1' } }), 400],
    ['must carry an id', body({ type: 'image.completed', payload: { ...record, id: '' } }), 400],
    ['must not be empty', { body: '' }, 400],
  ])('%s', async (_, sent, status) => {
    const { address, told } = await opened();
    expect(await post(address, sent)).toBe(status);
    expect(told).toHaveLength(sent.body?.includes('"y":2') ? 1 : 0);
  });

  test('must come again as long as it is not taken', async () => {
    const { address } = await opened({ tell: async () => false });
    expect(await post(address)).toBe(503);
  });
});

describe('a bad sender', () => {
  test.each(['GET', 'PUT', 'DELETE'])('is told that %s is not for events', async (method) => {
    expect(await post((await opened()).address, { method })).toBe(405);
  });

  test('of more than 1 MiB is turned away, whether it says so first or not', async () => {
    const { address, told } = await opened();
    const most = `{"type":"a.b","x":"${'x'.repeat((1 << 20) - 21)}"}`;
    expect(most).toHaveLength(1 << 20);
    expect(await post(address, { body: most })).toBe(204);
    // It may be cut off while it still sends.
    expect([413, 'cut']).toContain(await post(address, { body: `${most} ` }));
    const headers = { ...signed(`${most} `), 'transfer-encoding': 'chunked' };
    expect([413, 'cut']).toContain(await post(address, { body: `${most} `, headers }));
    expect(told).toEqual([]);
  });

  test.each([
    ['the head', 'POST / HTTP/1.1\r\nhost: x\r\n'],
    ['the body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n123'],
  ])('that never ends %s is let go', async (_, text) => {
    const { address } = await opened({ senderMs: 50 });
    let gone = false;
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      gone = true;
    });
    socket.resume();
    socket.write(text);
    await until('the sender is let go', () => gone);
    expect(await post(address)).toBe(204);
  });

  test('that leaves in the middle disturbs nobody', async () => {
    const { address } = await opened();
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n123', () =>
      socket.destroy(),
    );
    expect(await post(address)).toBe(204);
  });
});

describe('the receiver', () => {
  test('answers an event that still waits for the disk when it closes, and takes no more', async () => {
    let waiting = false;
    const receiver = await opened({
      tell: async (_kind, _project, enough) => {
        waiting = true;
        await abortion(enough);
        return false;
      },
    });
    const answer = post(receiver.address);
    await until('the event waits', () => waiting);
    await receiver.close();
    expect(await answer).toBe(503);
    expect(await post(receiver.address)).toBe('cut');
  });

  test('says so when its port is taken, or its host is none of this machine', async () => {
    const { address } = await opened();
    const port = Number(new URL(address).port);
    const again = { secret, clock, tell: async () => true };
    const taken = await openReceiver({ ...again, listen: { host: '127.0.0.1', port } });
    expect(taken).toEqual({ ok: false, error: `port ${port} is in use` });
    const far = await openReceiver({ ...again, listen: { host: '192.0.2.1', port: 0 } });
    expect(far).toEqual({ ok: false, error: '192.0.2.1 is no address of this machine' });
  });
});

function abortion(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

// Which events are dealt with a second time: those that were not taken, and those that nobody would accept any more.

const time = { now: 100, until: 400 };

function counting(answers: readonly boolean[] = []): {
  readonly take: () => Promise<boolean>;
  readonly count: () => number;
} {
  let takes = 0;
  return { take: async () => answers[takes++] ?? true, count: () => takes };
}

test('one that was taken is taken, without a second look', async () => {
  const replays = new EventReplays(10);
  const { take, count } = counting();
  expect(await replays.once('a', time, take)).toBe(true);
  expect(await replays.once('a', time, take)).toBe(true);
  expect(count()).toBe(1);
});

test('one that was not taken is dealt with when it comes again', async () => {
  const replays = new EventReplays(10);
  const { take, count } = counting([false, true]);
  expect(await replays.once('a', time, take)).toBe(false);
  expect(await replays.once('a', time, take)).toBe(true);
  expect(await replays.once('a', time, take)).toBe(true);
  expect(count()).toBe(2);
});

test('one that failed is dealt with when it comes again', async () => {
  const replays = new EventReplays(10);
  const failing = async (): Promise<boolean> => {
    throw new Error('the disk is full');
  };
  await expect(replays.once('a', time, failing)).rejects.toThrow('the disk is full');
  const { take, count } = counting();
  expect(await replays.once('a', time, take)).toBe(true);
  expect(count()).toBe(1);
});

test('one that is being taken is waited for', async () => {
  const replays = new EventReplays(10);
  const taking = Promise.withResolvers<boolean>();
  const first = replays.once('a', time, () => taking.promise);
  const { take, count } = counting();
  const second = replays.once('a', time, take);
  taking.resolve(false);
  expect(await Promise.all([first, second])).toEqual([false, false]);
  expect(count()).toBe(0);
});

test('those are forgotten that are too old by now, and so many are kept, the latest', async () => {
  const replays = new EventReplays(2);
  const { take, count } = counting();
  await replays.once('old', { now: 100, until: 200 }, take);
  await replays.once('at its end', { now: 200, until: 300 }, take);
  await replays.once('old', { now: 200, until: 300 }, take);
  expect(count()).toBe(2);
  await replays.once('new', { now: 300, until: 600 }, take);
  expect(count()).toBe(3);
  await replays.once('at its end', { now: 300, until: 600 }, take);
  await replays.once('new', { now: 300, until: 600 }, take);
  expect(count()).toBe(3);
  await replays.once('old', { now: 300, until: 600 }, take);
  expect(count()).toBe(4);
});
