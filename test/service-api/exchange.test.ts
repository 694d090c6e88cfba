// One request and its text: what is waited for, how long, and what is left behind afterwards.
import { getEventListeners } from 'node:events';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Bounds, type Exchanged, exchange, placeOf } from '../../src/service-api/exchange.ts';
import type { GivenUp } from '../../src/service-api/given-up.ts';
import { OpenRequests } from '../../src/service-api/open-requests.ts';
import { until } from '../rig.ts';
import { serve, type TestServer } from './server.ts';

const openUntil = (cut?: AbortSignal): OpenRequests => new OpenRequests(cut, 60_000);
const bounds: Bounds = { bytes: 100, totalMs: 60_000, open: openUntil() };

function ask(
  server: Pick<TestServer, 'address'>,
  some: Partial<Bounds> = {},
  agent = new Agent(),
): Promise<Exchanged> {
  onTestFinished(() => agent.destroy());
  const place = placeOf(`${server.address}/a/b?c=d`);
  const question = { method: 'POST', ...place, headers: { 'x-one': '1' }, body: 'text' } as const;
  return exchange(agent, question, { ...bounds, ...some });
}

const givenUp = (because: GivenUp['because'], sent: boolean) => ({
  is: 'failed',
  sent,
  error: expect.objectContaining({ code: 'GIVEN_UP', because }),
});

test('the question goes out as it is, and the answer comes back whole', async () => {
  const server = await serve((_, response) => {
    response.writeHead(418, { 'x-two': '2' });
    const text = Buffer.from('grün');
    response.write(text.subarray(0, 3), () => response.end(text.subarray(3)));
  });
  expect(await ask(server)).toMatchObject({
    is: 'answered',
    status: 418,
    headers: { 'x-two': '2' },
    text: 'grün',
  });
  expect(server.asked).toMatchObject([
    { method: 'POST', path: '/a/b?c=d', headers: { 'x-one': '1' }, body: 'text' },
  ]);
});

test.each([
  [100, 'answered'],
  [101, 'failed'],
])('an answer of %i bytes, where 100 may come, is %s', async (length, is) => {
  const server = await serve((_, response) => response.end('x'.repeat(length)));
  const got = await ask(server);
  expect(got.is).toBe(is);
  if (got.is === 'failed') expect(got).toEqual(givenUp('long', true));
});

test.each([
  [20, 'answered'],
  [21, 'failed'],
])('after %i interim answers, the answer is %s', async (many, is) => {
  const server = await serve((_, response) => {
    for (let times = 0; times < many; times++) response.writeProcessing();
    response.end('at last');
  });
  const got = await ask(server);
  expect(got.is).toBe(is);
  if (got.is === 'failed') expect(got).toEqual(givenUp('odd', true));
});

describe('an answer that nobody waits for any more', () => {
  test('is given up, its connection is closed, and it was sent', async () => {
    let closed = false;
    const stopper = new AbortController();
    const server = await serve((_, response) => {
      response.on('close', () => {
        closed = true;
      });
      stopper.abort();
    });
    expect(await ask(server, { open: openUntil(stopper.signal) })).toEqual(
      givenUp('stopped', true),
    );
    await until('the connection is closed', () => closed);
  });

  test('before the request left: it does not leave, though a connection becomes free', async () => {
    const agent = new Agent({ connections: 1 });
    const stopper = new AbortController();
    const held: (() => void)[] = [];
    const server = await serve((_, response) => held.push(() => response.end('x')));
    const first = ask(server, {}, agent);
    const second = ask(server, { known: stopper.signal }, agent);
    await until('the first has come', () => held.length === 1);
    stopper.abort();
    expect(await second).toEqual(givenUp('stopped', false));
    held[0]?.();
    expect((await first).is).toBe('answered');
    const third = ask(server, {}, agent);
    await until('the third has come', () => held.length === 2);
    held[1]?.();
    expect((await third).is).toBe('answered');
    expect(server.asked).toHaveLength(2);
  });

  test('from the start is never asked for', async () => {
    const server = await serve((_, response) => response.end('x'));
    const known = AbortSignal.abort();
    for (const some of [{ known }, { open: openUntil(known) }])
      expect(await ask(server, some)).toEqual(givenUp('stopped', false));
    expect(server.asked).toEqual([]);
    expect(getEventListeners(known, 'abort')).toEqual([]);
  });
});

test('when it is over, its signal is not listened to, and soon there is neither timer nor listener', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const [cut, known] = [new AbortController().signal, new AbortController().signal];
  const server = await serve((_, response) => response.end('x'));
  const agent = new Agent();
  const open = openUntil(cut);
  for (let times = 0; times < 20; times++) await ask(server, { open, known }, agent);
  expect(getEventListeners(known, 'abort')).toEqual([]);
  expect(getEventListeners(cut, 'abort')).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(getEventListeners(cut, 'abort')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('what never reached a server was not sent', async () => {
  const got = await ask({ address: 'http://127.0.0.1:9' });
  expect(got).toMatchObject({ is: 'failed', sent: false });
});
