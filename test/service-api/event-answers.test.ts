// What the receiver of events answers, word by word: a service that reads it knows what to send again.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Redactor } from '../../src/base/redactor.ts';
import { signatureHeader, signatureOf, timestampHeader } from '../../src/contract/api/event.ts';
import type { Clock } from '../../src/core/ports.ts';
import { openReceiver, type ReceiverOptions } from '../../src/service-api/event-receiver.ts';

const secret = 'whsec_The-Very-Secret-4711';
const now = Date.parse('2026-08-05T10:00:00Z') / 1000;
const record = { id: 'p1', name: 'a boat #1', status: 'complete', downloads: [] };
const event = JSON.stringify({ type: 'image.completed', payload: record });

/** Time stands still, and how long somebody wants to sleep is noted. */
function stoppedClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => now * 1000,
    elapsed: () => 0,
    chance: () => 0.5,
    sleep: async (ms, signal) => {
      slept.push(ms);
      if (!signal.aborted) await once(signal, 'abort');
    },
  };
}

async function opened(options: Partial<ReceiverOptions> = {}): Promise<string> {
  const receiver = await openReceiver({
    listen: { host: '127.0.0.1', port: 0 },
    secret,
    clock: stoppedClock(),
    tell: async () => true,
    ...options,
  });
  if (!receiver.ok) throw new Error(receiver.error);
  onTestFinished(() => receiver.value.close());
  return receiver.value.address;
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function post(
  address: string,
  body: string,
  { method = 'POST', at = `${now}` }: { readonly method?: string; readonly at?: string } = {},
): Promise<Answered> {
  const headers = {
    [timestampHeader]: at,
    [signatureHeader]: signatureOf(secret, at, body),
    connection: 'keep-alive',
  };
  const sent = request(address, { method, headers });
  sent.end(body);
  const [answer]: IncomingMessage[] = await once(sent, 'response');
  if (answer === undefined) throw new Error('no answer');
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece);
  return { status: answer.statusCode, headers: answer.headers, body: `${Buffer.concat(pieces)}` };
}

const json = { 'content-type': 'application/json' };

describe('the answer', () => {
  test('to an event that is taken is empty, and the connection stays', async () => {
    const answer = await post(await opened(), event);
    expect(answer).toMatchObject({ status: 204, body: '' });
    expect(answer.headers['connection']).toBe('keep-alive');
    expect(answer.headers).not.toHaveProperty('content-type');
    expect(answer.headers).not.toHaveProperty('allow');
  });

  test('to an event that is not taken says to send it again, and the connection stays', async () => {
    const answer = await post(await opened({ tell: async () => false }), event);
    expect(answer).toMatchObject({ status: 503, headers: { ...json, connection: 'keep-alive' } });
    expect(JSON.parse(answer.body)).toEqual({
      message: expect.stringContaining('send it again'),
    });
  });

  test('to another method says which one is right, and ends the connection', async () => {
    expect(await post(await opened(), '', { method: 'PUT' })).toMatchObject({
      status: 405,
      headers: { ...json, allow: 'POST', connection: 'close' },
      body: '{"message":"Events come by POST."}',
    });
  });

  test('to a signature that is not right ends the connection', async () => {
    const answer = await post(await opened(), event, { at: `${now - 301}` });
    expect(answer).toMatchObject({ status: 401, headers: { ...json, connection: 'close' } });
    expect(answer.headers).not.toHaveProperty('allow');
  });

  test.each([
    ['{', 'The body is not JSON of the form {type, payload}.'],
    ['{"payload":{}}', 'The body is not JSON of the form {type, payload}.'],
    ['{"type":1}', 'The body is not JSON of the form {type, payload}.'],
    ['{"type":"image.completed","payload":{}}', /^The payload is not a project record: .*\.$/],
  ])('to %s says what is wrong with it', async (body, message) => {
    const answer = await post(await opened(), body);
    expect(answer).toMatchObject({ status: 400, headers: { connection: 'close' } });
    expect(JSON.parse(answer.body).message).toMatch(message);
  });
});

test('a timestamp of more than twelve digits is not read', async () => {
  expect((await post(await opened(), event, { at: `000${now}` })).status).toBe(401);
  expect((await post(await opened(), event, { at: `00${now}` })).status).toBe(204);
});

test('an event waits for at most eight seconds, and no longer than it must', async () => {
  const clock = stoppedClock();
  expect((await post(await opened({ clock }), event)).status).toBe(204);
  expect(clock.slept).toEqual([8000]);
});

test('an event that takes too long is given up, and must come again', async () => {
  const clock: Clock = { ...stoppedClock(), sleep: async () => undefined };
  const tell: ReceiverOptions['tell'] = async (_kind, _project, enough) => {
    if (!enough.aborted) await once(enough, 'abort');
    return false;
  };
  expect((await post(await opened({ clock, tell }), event)).status).toBe(503);
});

test('what an event tells has no secret in it', async () => {
  const told: unknown[] = [];
  const tell: ReceiverOptions['tell'] = async (_, project) => told.push(project) > 0;
  const named = (name: string): string =>
    JSON.stringify({ type: 'image.completed', payload: { ...record, name } });
  await post(await opened({ tell }), named(`x ${secret}`));
  const redactor = new Redactor(['another-secret']);
  await post(await opened({ tell, redactor }), named('x another-secret'));
  expect(told).toMatchObject([{ name: 'x REDACTED' }, { name: 'x REDACTED' }]);
});

describe('the address', () => {
  test('of IPv6 is in brackets', async () => {
    const address = await opened({ listen: { host: '::1', port: 0 } });
    expect(address).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await post(address, event)).status).toBe(204);
  });

  test('that does not resolve is none of this machine', async () => {
    const open = openReceiver({
      listen: { host: 'no-such-host.invalid', port: 0 },
      secret,
      clock: stoppedClock(),
      tell: async () => true,
    });
    expect(await open).toEqual({
      ok: false,
      error: 'no-such-host.invalid is no address of this machine',
    });
  });
});
