// Events: whom they reach, and when they are accepted.
import { expect, test } from 'vitest';
import type { Project } from '../../src/contract/api/project.ts';
import { Inbox } from '../../src/core/inbox.ts';
import { chances, ProcessClock, VirtualClock } from '../kit/clock.ts';

const never = new AbortController().signal;

const event = (name: string | null, more: Partial<Project> = {}): Project => ({
  ...{ id: 'p1', status: 'complete', downloads: [], name },
  ...more,
});

function scene() {
  const virtual = new VirtualClock();
  const stop = new AbortController();
  const clock = new ProcessClock(virtual, chances(1), () => false);
  return { virtual, stop, clock, inbox: new Inbox(clock, stop.signal, 60_000) };
}

/** What has come of it by now; undefined: nothing. */
async function soon<T>(work: Promise<T>): Promise<T | undefined> {
  const turn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  return await Promise.race([work, turn]);
}

test('an event that names an attempt is its outcome, and is accepted when that is on disk', async () => {
  const { inbox } = scene();
  const attempt = inbox.expect('a boat #1');
  expect(attempt.known.aborted).toBe(false);
  const accepted = inbox.receive(event('a boat #1'), never);
  expect(attempt.known.aborted).toBe(true);
  expect(await attempt.outcome()).toMatchObject({ id: 'p1' });
  expect(await soon(accepted)).toBeUndefined();
  attempt.over();
  expect(await accepted).toBe(true);
  expect(await inbox.receive(event('a boat #1'), never)).toBe(true);
});

test('of two events the first counts', async () => {
  const { inbox } = scene();
  const attempt = inbox.expect('a boat #1');
  void inbox.receive(event('a boat #1', { id: 'first' }), never);
  void inbox.receive(event('a boat #1', { id: 'second' }), never);
  expect(await attempt.outcome()).toMatchObject({ id: 'first' });
});

test('an event must come again if there is no more time, or if nobody waits for it any more', async () => {
  const { inbox, virtual } = scene();
  const attempt = inbox.expect('a boat #1');
  expect(await virtual.until(attempt.outcome())).toBeUndefined();
  expect(virtual.elapsed).toBe(60_000);
  expect(await soon(inbox.receive(event('a boat #1'), never))).toBe(false);
  // It is kept for whoever asks later.
  expect(await attempt.outcome()).toMatchObject({ id: 'p1' });
  const enough = new AbortController();
  const again = inbox.receive(event('a boat #1'), enough.signal);
  expect(await soon(again)).toBeUndefined();
  enough.abort();
  expect(await again).toBe(false);
  expect(await inbox.receive(event('a boat #1'), AbortSignal.abort())).toBe(false);
});

test('an event waits for the disk when somebody asks again', async () => {
  const { inbox, virtual } = scene();
  const attempt = inbox.expect('a boat #1');
  await virtual.until(attempt.outcome());
  const again = attempt.outcome();
  const accepted = inbox.receive(event('a boat #1'), never);
  expect(await again).toMatchObject({ id: 'p1' });
  expect(await soon(accepted)).toBeUndefined();
  attempt.over();
  expect(await accepted).toBe(true);
});

test('nothing is waited for any more once an outcome is known', async () => {
  const { clock, stop } = scene();
  const waits: AbortSignal[] = [];
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, ...signals) => {
    waits.push(AbortSignal.any([...signals]));
    return sleep(ms, ...signals);
  };
  const inbox = new Inbox(clock, stop.signal, 60_000);
  const outcome = inbox.expect('a boat #1').outcome();
  void inbox.receive(event('a boat #1'), never);
  await outcome;
  expect(waits.map(({ aborted }) => aborted)).toEqual([true]);
});

test.each([null, 'another', 'A boat #1', 'a boat #12'])(
  'an event that names no attempt is accepted at once, and is nobody’s outcome (%s)',
  async (name) => {
    const { inbox, virtual } = scene();
    const attempt = inbox.expect('a boat #1');
    expect(await soon(inbox.receive(event(name), never))).toBe(true);
    expect(attempt.known.aborted).toBe(false);
    expect(await virtual.until(attempt.outcome())).toBeUndefined();
  },
);

test('attempts of earlier runs share the time in which an event may come', async () => {
  const { inbox, virtual } = scene();
  const [one, two] = [inbox.expectLost('a #1'), inbox.expectLost('b #1')];
  expect(await virtual.until(one.outcome())).toBeUndefined();
  expect(await virtual.until(two.outcome())).toBeUndefined();
  expect(virtual.elapsed).toBe(60_000);
  void inbox.receive(event('b #1'), never);
  expect(await two.outcome()).toMatchObject({ id: 'p1' });
});

test('the wait for an outcome ends with the run', async () => {
  const { inbox, virtual, stop } = scene();
  const waiting = inbox.expect('a boat #1').outcome();
  void virtual.sleep(1000).then(() => stop.abort());
  expect(await virtual.until(waiting)).toBeUndefined();
  expect(virtual.elapsed).toBe(1000);
});

test('an event that says that a project is over makes the next look earlier, once', async () => {
  const { inbox } = scene();
  const look = inbox.look('p1');
  await inbox.receive(event(null, { status: 'rendering' }), never);
  await inbox.receive(event(null, { id: 'p2' }), never);
  expect(await soon(look.then(() => 'rung'))).toBeUndefined();
  await inbox.receive(event(null, { status: 'error' }), never);
  expect(await soon(look.then(() => 'rung'))).toBe('rung');
  expect(await soon(inbox.look('p1').then(() => 'rung'))).toBeUndefined();
});

test('an event that comes before anybody asks is not lost', async () => {
  const { inbox } = scene();
  await inbox.receive(event(null), never);
  expect(await soon(inbox.look('p1').then(() => 'rung'))).toBe('rung');
  expect(await soon(inbox.look('p1').then(() => 'rung'))).toBeUndefined();
});

test('of projects that nobody asks for, the newest ten thousand are remembered', async () => {
  const { inbox } = scene();
  for (let number = 0; number <= 10_000; number++)
    await inbox.receive(event(null, { id: `p${number}` }), never);
  expect(await soon(inbox.look('p0').then(() => 'rung'))).toBeUndefined();
  expect(await soon(inbox.look('p1').then(() => 'rung'))).toBe('rung');
});
