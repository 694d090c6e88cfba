// The receiver of events under siege: a thousand connections that never end keep no event out, and the same request
// that comes again is not dealt with twice.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signatureHeader, signatureOf, timestampHeader } from '../../src/contract/api/event.ts';
import type { Clock } from '../../src/core/ports.ts';
import {
  type EventReceiver,
  EventReplays,
  openReceiver,
  type ReceiverOptions,
} from '../../src/service-api/event-receiver.ts';
import { until } from '../rig.ts';
import { sampleOf } from '../sweep.ts';

const secret = 'whsec_The-Very-Secret-4711';
const start = Date.parse('2026-08-05T10:00:00Z') / 1000;

/** A clock that a test sets; who sleeps is woken by nothing but the signal. */
class HandClock implements Clock {
  seconds = start;
  now = (): number => this.seconds * 1000;
  elapsed = (): number => 0;
  chance = (): number => 0.5;
  sleep = (_: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve());
    });
}

async function opened(options: Partial<ReceiverOptions> = {}): Promise<EventReceiver> {
  const receiver = await openReceiver({
    listen: { host: '127.0.0.1', port: 0 },
    secret,
    clock: new HandClock(),
    tell: async () => true,
    ...options,
  });
  if (!receiver.ok) throw new Error(receiver.error);
  onTestFinished(() => receiver.value.close());
  return receiver.value;
}

const eventOf = (id: string): string =>
  JSON.stringify({
    type: 'image.completed',
    payload: { id, name: `a boat #${id}`, status: 'complete', downloads: [] },
  });

/** The status of the answer; `cut`: the connection was closed without one. */
function post(address: string, body: string, at = start): Promise<number | 'cut'> {
  return new Promise((resolve) => {
    const headers = {
      [timestampHeader]: `${at}`,
      [signatureHeader]: signatureOf(secret, `${at}`, body),
    };
    const sent = request(address, { method: 'POST', headers, agent: false });
    sent.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 'cut');
    });
    sent.on('error', () => resolve('cut'));
    sent.end(body);
  });
}

const heads: readonly string[] = [
  '',
  'POST / HTTP/1.1\r\nhost: x\r\n',
  'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n{',
];

/** So many connections from these addresses of this machine, each of which sends a beginning and nothing more. */
async function besiege(
  address: string,
  count: number,
  from: readonly string[],
): Promise<readonly Socket[]> {
  const { port, hostname } = new URL(address);
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  // No more at once than fit into the queue of those that the system has not handed over yet.
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, (_, index) => {
      const number = sockets.length + index;
      const localAddress = from[number % from.length];
      const socket = connect({ port: Number(port), host: hostname, localAddress });
      socket.on('error', () => socket.destroy());
      socket.resume();
      return { socket, head: heads[number % heads.length] ?? '' };
    });
    await Promise.all(some.map(({ socket }) => once(socket, 'connect')));
    for (const { socket, head } of some) if (head !== '') socket.write(head);
    sockets.push(...some.map(({ socket }) => socket));
  }
  return sockets;
}

// Other systems than Linux answer to 127.0.0.1 alone.
const manyAddresses = process.platform === 'linux';
const peers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `127.0.1.${index + 1}`);

describe('a thousand slow connections', () => {
  test('from the same address as the service keep no event out', async () => {
    const { address } = await opened();
    await besiege(address, 1000, ['127.0.0.1']);
    for (const id of ['1', '2', '3']) expect(await post(address, eventOf(id))).toBe(204);
  });

  test.skipIf(!manyAddresses).each(sampleOf([1, 7, 250], 3, 2))(
    'from %i other addresses keep no event out (skipped where this machine has one loopback address)',
    async (count) => {
      const { address } = await opened();
      await besiege(address, 1000, peers(count));
      for (const id of ['1', '2', '3']) expect(await post(address, eventOf(id))).toBe(204);
    },
  );

  test('do not end a connection whose event is being answered', async () => {
    const told = Promise.withResolvers<void>();
    const onDisk = Promise.withResolvers<boolean>();
    const { address } = await opened({
      tell: () => {
        told.resolve();
        return onDisk.promise;
      },
    });
    const answer = post(address, eventOf('1'));
    await told.promise;
    await besiege(address, 300, ['127.0.0.1']);
    onDisk.resolve(true);
    expect(await answer).toBe(204);
  });

  test('are ended but for a bounded number', async () => {
    const { address } = await opened();
    const sockets = await besiege(address, 400, ['127.0.0.1']);
    const left = (): number => sockets.filter(({ destroyed }) => !destroyed).length;
    await until('at most 64 connections are left', () => left() <= 64);
    // Those that came last are the ones that stay.
    expect(sockets.slice(-30).every(({ destroyed }) => !destroyed)).toBe(true);
  });
});

describe('the same request again', () => {
  test('is answered as before, and dealt with once', async () => {
    const told: string[] = [];
    const tell: ReceiverOptions['tell'] = async (_, { id }) => {
      told.push(id);
      return true;
    };
    const { address } = await opened({ tell });
    for (let count = 0; count < 3; count++) expect(await post(address, eventOf('1'))).toBe(204);
    expect(await post(address, eventOf('2'))).toBe(204);
    expect(told).toEqual(['1', '2']);
    // The service signs what it sends again with the time of then: that is no replay.
    expect(await post(address, eventOf('1'), start + 1)).toBe(204);
    expect(told).toEqual(['1', '2', '1']);
  });

  test('is taken when it was answered with 503 before', async () => {
    let takes = 0;
    const tell = async (): Promise<boolean> => ++takes > 2;
    const { address } = await opened({ tell });
    const answers: (number | 'cut')[] = [];
    for (let count = 0; count < 4; count++) answers.push(await post(address, eventOf('1')));
    expect(answers).toEqual([503, 503, 204, 204]);
    expect(takes).toBe(3);
  });

  test('waits for the answer to the first, when that is still under way', async () => {
    let tells = 0;
    const told = Promise.withResolvers<void>();
    const onDisk = Promise.withResolvers<boolean>();
    const { address } = await opened({
      tell: () => {
        tells += 1;
        told.resolve();
        return onDisk.promise;
      },
    });
    const answers = [post(address, eventOf('1'))];
    await told.promise;
    answers.push(post(address, eventOf('1')), post(address, eventOf('1')));
    onDisk.resolve(true);
    expect(await Promise.all(answers)).toEqual([204, 204, 204]);
    expect(tells).toBe(1);
  });

  test('is refused when its timestamp is too old by then', async () => {
    const clock = new HandClock();
    const { address } = await opened({ clock });
    expect(await post(address, eventOf('1'))).toBe(204);
    clock.seconds += 301;
    expect(await post(address, eventOf('1'))).toBe(401);
  });

  test('is known by so many signatures only: the oldest is forgotten first', async () => {
    const replays = new EventReplays(3);
    let takes = 0;
    const take = async (): Promise<boolean> => {
      takes += 1;
      return true;
    };
    const time = { now: start, until: start + 300 };
    for (const signature of ['a', 'b', 'c', 'd']) await replays.once(signature, time, take);
    expect(takes).toBe(4);
    for (const signature of ['b', 'c', 'd']) await replays.once(signature, time, take);
    expect(takes).toBe(4);
    await replays.once('a', time, take);
    expect(takes).toBe(5);
  });

  test('is forgotten when nobody would accept it any more', async () => {
    const replays = new EventReplays(3);
    let takes = 0;
    const take = async (): Promise<boolean> => {
      takes += 1;
      return true;
    };
    await replays.once('a', { now: start, until: start + 300 }, take);
    await replays.once('b', { now: start + 301, until: start + 600 }, take);
    await replays.once('a', { now: start + 301, until: start + 600 }, take);
    expect(takes).toBe(3);
  });
});
