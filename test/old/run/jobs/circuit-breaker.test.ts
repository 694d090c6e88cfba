// The circuit breaker: what opens it, who waits how long, who tries whether the service is back, and when it gives up.
import { describe, expect, test } from 'vitest';
import { err, ok } from '../../../../src/base/result.ts';
import type { ApiFailure } from '../../../../src/contract/api/failure.ts';
import {
  type CallPermit,
  CircuitBreaker,
  type OutageWait,
} from '../../../../src/run/jobs/circuit-breaker.ts';
import { FakeClock } from '../../../files/places.ts';

const down: ApiFailure = { reason: 'unreachable', message: 'ECONNREFUSED' };
const busy: ApiFailure = { reason: 'unavailable', status: 503, message: '' };
const throttled = (retryAfterMs: number): ApiFailure => ({
  ...{ reason: 'throttled', message: '' },
  retryAfterMs,
});
const cut: ApiFailure = { reason: 'unanswered', message: 'ECONNRESET' };
const minute = 60_000;

class Scene {
  readonly clock = new FakeClock();
  readonly stopper = new AbortController();
  readonly told: OutageWait[] = [];
  readonly back: number[] = [];
  readonly breaker: CircuitBreaker;

  constructor(limitMs = 15 * minute) {
    this.breaker = new CircuitBreaker({
      ...{ clock: this.clock, stop: this.stopper.signal, backoffMs: 1000, limitMs },
      waiting: (inbox) => void this.told.push(inbox),
      back: (ms) => void this.back.push(ms),
      givenUp: ({ message }) => ({ reason: 'outage', message: `given up: ${message}` }),
    });
  }

  async turn(): Promise<CallPermit> {
    const turn = await this.breaker.turn();
    if (!turn.ok) throw new Error(turn.error.reason);
    return turn.value;
  }

  /** A call that fails; true: it belongs to an outage. */
  async fails(failure: ApiFailure): Promise<boolean> {
    return this.breaker.hear(err(failure), await this.turn());
  }
}

describe('opens', () => {
  test('with the first connection that does not come to be', async () => {
    const { breaker, told, ...scene } = new Scene();
    expect(breaker.hear(err(down), { probe: false })).toBe(true);
    expect(breaker.isOpen).toBe(true);
    expect(told).toEqual([{ since: scene.clock.now(), failure: down, tries: 1, nextTryMs: 1000 }]);
  });

  test.each([
    ['503', busy],
    ['429', throttled(0)],
  ])('with the third answer of %s in a row, and not before', async (_, failure) => {
    const scene = new Scene();
    expect([await scene.fails(failure), await scene.fails(failure)]).toEqual([false, false]);
    expect(scene.breaker.isOpen).toBe(false);
    expect(await scene.fails(failure)).toBe(true);
    expect(scene.breaker.isOpen).toBe(true);
  });

  test.each<readonly [string, Parameters<CircuitBreaker['hear']>[0]]>([
    ['an answer', ok(1)],
    ['a refusal', err({ reason: 'refused', status: 422, message: '' })],
    ['a 404', err({ reason: 'not-found', message: '' })],
  ])('not where %s comes in between', async (_, answer) => {
    const scene = new Scene();
    for (let times = 0; times < 5; times++) {
      await scene.fails(busy);
      await scene.fails(busy);
      expect(scene.breaker.hear(answer, await scene.turn())).toBe(false);
    }
    expect(scene.breaker.isOpen).toBe(false);
  });

  test('not for lost answers, which a call has tries of its own for', async () => {
    const scene = new Scene();
    for (let times = 0; times < 9; times++) expect(await scene.fails(cut)).toBe(false);
    expect(scene.breaker.isOpen).toBe(false);
  });
});

test('lost answers do not count as busy ones', async () => {
  const scene = new Scene();
  for (const failure of [cut, cut, busy, busy]) expect(await scene.fails(failure)).toBe(false);
  expect(scene.breaker.isOpen).toBe(false);
  expect(await scene.fails(busy)).toBe(true);
});

test('a call that says nothing about the service neither opens nor ends anything', async () => {
  const scene = new Scene();
  const none: ApiFailure = { reason: 'aborted', message: '' };
  expect(scene.breaker.hear(err(none), { probe: true })).toBe(false);
  expect(scene.breaker.isOpen).toBe(false);
  await scene.fails(down);
  expect(scene.breaker.hear(err(none), { probe: false })).toBe(false);
  // It was not the try, so the pause goes on.
  await scene.turn();
  expect(scene.clock.elapsed()).toBe(1000);
});

test.each([
  [0, true],
  [400, false],
  [422, false],
])('a refusal with status %i leaves an outage as it is: %s', async (status, open) => {
  const scene = new Scene();
  await scene.fails(down);
  const refused: ApiFailure = { reason: 'refused', status, message: '' };
  expect(scene.breaker.hear(err(refused), { probe: false })).toBe(false);
  expect(scene.breaker.isOpen).toBe(open);
});

test('how long an outage lasted does not depend on when it began', async () => {
  const scene = new Scene();
  scene.clock.pass(7000);
  await scene.fails(down);
  scene.clock.pass(300);
  expect(scene.breaker.waitedMs).toBe(300);
  scene.breaker.hear(ok(1), { probe: false });
  expect(scene.back).toEqual([300]);
  expect(scene.breaker.waitedMs).toBe(300);
});

describe('while it is open', () => {
  test('it is tried after pauses that double, up to half a minute', async () => {
    const scene = new Scene();
    for (let times = 0; times < 8; times++) await scene.fails(down);
    const pauses = scene.told.map(({ nextTryMs }) => nextTryMs / 1000);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(scene.told.map(({ tries }) => tries)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('it is tried no sooner than the service asks for', async () => {
    const scene = new Scene();
    for (let times = 0; times < 3; times++) await scene.fails(throttled(40_000));
    expect(scene.told.map(({ nextTryMs }) => nextTryMs)).toEqual([41_000]);
    await scene.turn();
    expect(scene.clock.elapsed()).toBe(41_000);
  });

  test('failures of calls that were under way do not make the pauses longer', async () => {
    const scene = new Scene();
    const turns = await Promise.all(Array.from({ length: 40 }, () => scene.turn()));
    for (const turn of turns) expect(scene.breaker.hear(err(down), turn)).toBe(true);
    expect(scene.told).toHaveLength(1);
    expect(scene.breaker.hear(err(cut), { probe: false })).toBe(true);
    expect((await scene.turn()).probe).toBe(true);
    expect(scene.clock.elapsed()).toBe(1000);
  });

  test('one call tries and the others wait, until it is back', async () => {
    const clock = new HeldClock();
    const stop = new AbortController().signal;
    const breaker = new CircuitBreaker({
      ...{ clock, stop, backoffMs: 1000, limitMs: 15 * minute },
      ...{ waiting: () => undefined, back: () => undefined, givenUp: () => down },
    });
    breaker.hear(err(down), { probe: false });
    const probes: boolean[] = [];
    const waiting = Array.from({ length: 40 }, async () => {
      const turn = await breaker.turn();
      if (turn.ok) probes.push(turn.value.probe);
    });
    await clock.pass(999);
    expect(probes).toEqual([]);
    await clock.pass(1);
    expect(probes).toEqual([true]);
    await clock.pass(10_000);
    expect(probes).toEqual([true]);
    breaker.hear(ok(1), { probe: true });
    await Promise.all(waiting);
    expect(probes).toEqual([true, ...Array.from({ length: 39 }, () => false)]);
  });

  test('those who wait go on at once when another call shows that it is back', async () => {
    const clock = new HeldClock();
    const breaker = new CircuitBreaker({
      ...{ clock, stop: new AbortController().signal, backoffMs: 1000, limitMs: minute },
      ...{ waiting: () => undefined, back: () => undefined, givenUp: () => down },
    });
    breaker.hear(err(down), { probe: false });
    const turn = breaker.turn();
    breaker.hear(ok(1), { probe: false });
    expect(await turn).toEqual(ok({ probe: false }));
    expect(clock.elapsed()).toBe(0);
  });

  test('those who wait are asked again when a try says nothing about the service', async () => {
    const clock = new HeldClock();
    const breaker = new CircuitBreaker({
      ...{ clock, stop: new AbortController().signal, backoffMs: 1000, limitMs: minute },
      ...{ waiting: () => undefined, back: () => undefined, givenUp: () => down },
    });
    breaker.hear(err(down), { probe: false });
    await clock.pass(1000);
    expect(await breaker.turn()).toEqual(ok({ probe: true }));
    const second = breaker.turn();
    breaker.hear(err({ reason: 'aborted', message: '' }), { probe: true });
    expect(await second).toEqual(ok({ probe: true }));
    expect(clock.elapsed()).toBe(1000);
  });

  test('a try that never comes back holds up the others for half a minute', async () => {
    const scene = new Scene();
    await scene.fails(down);
    expect((await scene.turn()).probe).toBe(true);
    expect((await scene.turn()).probe).toBe(true);
    expect(scene.clock.elapsed()).toBe(31_000);
  });

  test('the next call tries where a try says nothing about the service', async () => {
    const scene = new Scene();
    await scene.fails(down);
    expect(scene.breaker.hear(err({ reason: 'local', message: '' }), await scene.turn())).toBe(
      false,
    );
    expect((await scene.turn()).probe).toBe(true);
    expect(scene.clock.elapsed()).toBe(1000);
  });

  test.each<readonly [string, Parameters<CircuitBreaker['hear']>[0]]>([
    ['an answer', ok(1)],
    ['a refusal', err({ reason: 'unauthorized', message: '' })],
  ])('%s closes it, and says how long it lasted', async (_, answer) => {
    const scene = new Scene();
    await scene.fails(down);
    scene.breaker.hear(answer, await scene.turn());
    expect(scene.back).toEqual([1000]);
    expect(await scene.turn()).toEqual({ probe: false });
    scene.clock.pass(5000);
    expect(scene.breaker.waitedMs).toBe(1000);
  });

  test('the time counts while it lasts, and outages add up', async () => {
    const scene = new Scene();
    await scene.fails(down);
    scene.clock.pass(300);
    expect(scene.breaker.waitedMs).toBe(300);
    scene.breaker.hear(ok(1), { probe: false });
    scene.clock.pass(9000);
    await scene.fails(down);
    scene.clock.pass(50);
    expect(scene.breaker.waitedMs).toBe(350);
  });
});

describe('gives up', () => {
  test('when the limit is over, after a last try', async () => {
    const scene = new Scene(10_000);
    for (let times = 0; times < 4; times++) await scene.fails(down);
    expect(scene.told.at(-1)?.nextTryMs).toBe(3000);
    expect(scene.breaker.hear(err(down), await scene.turn())).toBe(true);
    expect(scene.clock.elapsed()).toBe(10_000);
    expect(await scene.breaker.turn()).toEqual(
      err({ reason: 'outage', message: 'given up: ECONNREFUSED' }),
    );
  });

  test('at once where nothing is to be waited for', async () => {
    const scene = new Scene(0);
    await scene.fails(down);
    expect(scene.told).toEqual([]);
    expect(await scene.breaker.turn()).toMatchObject({ ok: false, error: { reason: 'outage' } });
  });

  test('but not the moment that it is stopped: then it only ends', async () => {
    const clock = new HeldClock();
    const stopper = new AbortController();
    const breaker = new CircuitBreaker({
      ...{ clock, stop: stopper.signal, backoffMs: 1000, limitMs: minute },
      ...{ waiting: () => undefined, back: () => undefined, givenUp: () => down },
    });
    breaker.hear(err(down), { probe: false });
    const turn = breaker.turn();
    stopper.abort();
    expect(await turn).toMatchObject({ ok: false, error: { reason: 'aborted' } });
  });
});

/** Time stands still until it is told to pass; then those whose time has come wake. */
class HeldClock extends FakeClock {
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  override sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((wake) => {
      this.#sleepers.add({ at: this.elapsed() + ms, wake });
      signal.addEventListener('abort', () => wake());
    });
  }

  override async pass(ms: number): Promise<void> {
    super.pass(ms);
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.at > this.elapsed()) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    // What they do when they wake.
    await new Promise((done) => setImmediate(done));
  }
}
