// Answers of storage that nobody reads: their connections are free for the next request, unless they are long or slow.
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { GivenUp, leastProgress, Progress } from '../../src/service-api/given-up.ts';
import {
  Lost,
  Storage,
  type StorageAnswer,
  type StorageOptions,
} from '../../src/service-api/storage.ts';
import { realNetwork, StorageAddresses } from '../../src/service-api/storage-address.ts';
import { nobody, serve } from './server.ts';

function storageAt(base: string, options: Partial<StorageOptions> = {}): Storage {
  const storage = new Storage({
    addresses: new StorageAddresses({ base, network: realNetwork, loopbackOnly: false }),
    connections: 1,
    answerMs: 60_000,
    stallMs: 60_000,
    progress: leastProgress,
    cut: undefined,
    ...options,
  });
  onTestFinished(() => void storage.close());
  return storage;
}

const get = { method: 'GET', headers: {} } as const;

/** Over how many connections the requests came. */
const ports = new Set<number | undefined>();
beforeEach(() => ports.clear());

const counted = (body: (times: number) => Buffer | string) => {
  let times = 0;
  return serve((_, response) => {
    ports.add(response.socket?.remotePort);
    times += 1;
    response.end(body(times));
  });
};

test('an answer that is skipped leaves its connection to the next request', async () => {
  const server = await counted(() => 'x'.repeat(100_000));
  const storage = storageAt(server.address);
  for (let times = 0; times < 3; times++) await (await storage.send(server.address, get)).skip();
  expect(server.asked).toHaveLength(3);
  expect(ports.size).toBe(1);
});

test('a long answer is not read to its end to be skipped', async () => {
  const server = await counted((times) => Buffer.alloc(times === 1 ? 32 << 20 : 1));
  const storage = storageAt(server.address);
  for (let times = 0; times < 2; times++) await (await storage.send(server.address, get)).skip();
  expect(ports.size).toBe(2);
});

test('an answer that is dropped, or not read to its end, gives its connection up', async () => {
  const server = await counted(() => Buffer.alloc(8 << 20));
  const storage = storageAt(server.address);
  (await storage.send(server.address, get)).drop();
  const answer = await storage.send(server.address, get);
  for await (const piece of answer.pieces()) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  (await storage.send(server.address, get)).drop();
  expect(server.asked).toHaveLength(3);
});

test('a slow answer is skipped for five seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await serve((_, response) => {
    response.writeHead(200);
    response.write('x');
  });
  const answer = await storageAt(server.address).send(server.address, get);
  const skipped = answer.skip();
  vi.advanceTimersByTime(5000);
  await skipped;
});

test('transfers are watched until none is open, however they end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const held: (() => void)[] = [];
  const server = await serve((_, response) => {
    response.write('xyz');
    held.push(() => response.end());
  });
  const storage = storageAt(server.address);
  const ways: ((answer: StorageAnswer) => Promise<unknown>)[] = [
    (answer) => answer.skip(),
    (answer) => answer.whole(),
    async (answer) => {
      for await (const piece of answer.pieces()) expect(piece.length).toBeGreaterThan(0);
    },
    async (answer) => answer.drop(),
  ];
  for (const way of ways) {
    const over = way(await storage.send(server.address, get));
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(way === ways.at(-1) ? 0 : 1);
    held.pop()?.();
    await over;
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  }
});

test('a whole answer is all of its bytes, also when they come one after the other', async () => {
  const server = await serve((_, response) =>
    response.write('one ', () => setImmediate(() => response.end('two'))),
  );
  const answer = await storageAt(server.address).send(server.address, get);
  expect((await answer.whole()).toString()).toBe('one two');
});

test('an answer that is cut off is lost, after the bytes that came', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('some', () => setTimeout(() => response.destroy(), 1));
  });
  const storage = storageAt(server.address);
  const answer = await storage.send(server.address, get);
  await expect(answer.whole()).rejects.toBeInstanceOf(Lost);
  const pieces: string[] = [];
  const reading = async (): Promise<void> => {
    for await (const piece of (await storage.send(server.address, get)).pieces())
      pieces.push(piece.toString());
  };
  await expect(reading()).rejects.toBeInstanceOf(Lost);
  expect(pieces.join('')).toBe('some');
});

test('a sender has to wait while nobody reads', async () => {
  let written = 0;
  const piece = Buffer.alloc(1 << 20);
  const server = await serve(({ path }, response) => {
    if (path === '/short') return void response.end('x');
    const more = (): void => {
      written += piece.length;
      response.write(piece, (error) => error ?? more());
    };
    more();
  });
  const storage = storageAt(server.address, { connections: 2 });
  const long = await storage.send(server.address, get);
  for (let times = 0; times < 300; times++)
    await (await storage.send(`${server.address}/short`, get)).skip();
  expect(written).toBeLessThan(32 << 20);
  long.drop();
});

test('a long answer arrives whole, although its sender had to wait', async () => {
  const content = Buffer.alloc(8 << 20, 'content ');
  const server = await serve((_, response) => response.end(content));
  const answer = await storageAt(server.address).send(server.address, get);
  const read: Buffer[] = [];
  for await (const piece of answer.pieces()) {
    await new Promise(setImmediate);
    read.push(piece);
  }
  expect(Buffer.concat(read).equals(content)).toBe(true);
});

describe('a request that fails', () => {
  test('is lost, with what it means', async () => {
    const base = await nobody();
    await expect(storageAt(base).send(base, get)).rejects.toMatchObject({
      code: 'LOST',
      failure: { reason: 'unreachable' },
    });
    await expect(storageAt(base).send('file:///x', get)).rejects.toBeInstanceOf(Lost);
  });

  test('because the run stops is given up', async () => {
    const cut = new AbortController();
    const server = await serve(() => cut.abort());
    const storage = storageAt(server.address, { cut: cut.signal });
    await expect(storage.send(server.address, get)).rejects.toMatchObject({
      failure: { reason: 'aborted' },
    });
  });
});

// A transfer is cut when too little of it comes in a stretch of time, and only then.

const least = { bytes: 1000, everyMs: 2000 };

test('a transfer goes on while enough comes in each stretch', () => {
  const progress = new Progress(least);
  progress.add(0);
  expect(progress.look(0)).toBeUndefined();
  for (let now = 1000; now <= 6000; now += 1000) {
    progress.add(500);
    expect(progress.look(now)).toBeUndefined();
  }
});

test('one byte too few in one stretch is a cut, however much came before', () => {
  const progress = new Progress(least);
  progress.add(5000);
  progress.look(0);
  progress.look(2000);
  progress.add(999);
  expect(progress.look(3999)).toBeUndefined();
  const slow = progress.look(4000);
  expect(slow).toEqual(new GivenUp('slow', 'only 999 bytes came in 2 seconds'));
  expect(slow).toMatchObject({ because: 'slow' });
});

test('the watch begins with the first bytes', () => {
  const progress = new Progress(least);
  for (const now of [0, 2000, 4000]) expect(progress.look(now)).toBeUndefined();
  progress.add(0);
  expect(progress.look(6000)).toBeUndefined();
  expect(progress.look(7999)).toBeUndefined();
  expect(progress.look(8000)).toBeInstanceOf(GivenUp);
});

test('without other wishes, it is 1 KB a second over two minutes', () => {
  expect(leastProgress).toEqual({ bytes: 120_000, everyMs: 120_000 });
});
