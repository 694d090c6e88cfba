// Which host's outage holds up what: storage may be elsewhere, creations may be throttled alone, and no timeout of a
// project runs while the service is away. Against real servers, with a clock of our own.

import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../../src/base/digest.ts';
import type { RunEvent } from '../../../../src/core/run-event.ts';
import { fingerprintFrom } from '../../../../src/model/fingerprint.ts';
import { LookSchedule } from '../../../../src/plan/look-schedule.ts';
import type { AttachOrder, JobOutcome } from '../../../../src/run/jobs/job.ts';
import { LookBudget } from '../../../../src/run/jobs/looks.ts';
import { Outages } from '../../../../src/run/jobs/outages.ts';
import { ProjectIds } from '../../../../src/run/jobs/project-ids.ts';
import { attach } from '../../../../src/run/jobs/settlement.ts';
import type { HttpClient } from '../../../../src/service-api/http-client.ts';
import { FakeClock } from '../../../files/places.ts';
import { room } from '../../../files/room.ts';
import { answer, clientFor, nobody, serve } from '../../../service-api/server.ts';

const project = (status: string) => ({ id: 'p', status, downloads: [], credits_charged: 10 });
const limitMs = 15 * 60_000;

interface Scene {
  readonly outages: Outages;
  readonly clock: FakeClock;
  readonly told: RunEvent[];
  readonly stopper: AbortController;
}

function scene(api: HttpClient, address: string): Scene {
  const [clock, stopper] = [new FakeClock(), new AbortController()];
  const told: RunEvent[] = [];
  const outages = new Outages({
    ...{ api, address, clock, limitMs, backoffMs: 1000, stop: stopper.signal },
    onEvent: (event) => void told.push(event),
  });
  return { outages, clock, told, stopper };
}

describe('storage at another host', () => {
  test('is waited for by itself, while the service is asked as before', async () => {
    const server = await serve((_, response) => answer(response, 200, project('complete')));
    const { outages, told, clock } = scene(server.client(), server.address);
    const gone = await nobody();
    const { folder } = room();
    const down = await outages.api.download(`${gone}/x.png`, { path: `${folder}/x.png` });
    expect(down).toMatchObject({ ok: false, error: { reason: 'outage' } });
    expect(clock.elapsed()).toBe(limitMs);
    const waits = told.filter(({ type }) => type === 'waiting');
    expect(waits.length).toBeGreaterThan(20);
    expect(waits.every((inbox) => 'at' in inbox && inbox.at === gone)).toBe(true);
    expect(outages.holdCreations).toBe(false);
    expect(outages.waitedMs).toBe(0);
    expect(await outages.api.project('image', 'p')).toMatchObject({ ok: true });
  });

  test('says which host, for how long, and what allows more', async () => {
    const gone = await nobody();
    const { outages } = scene(clientFor('http://127.0.0.1:1'), 'http://127.0.0.1:1');
    const { folder } = room();
    const down = await outages.api.download(`${gone}/x.png?signature=secret`, {
      path: `${folder}/x.png`,
    });
    expect(down).toEqual({
      ok: false,
      error: {
        reason: 'outage',
        message: `the storage at ${gone} cannot be reached (ECONNREFUSED), for 15 min 0 s, the longest time that limits.outage allows`,
      },
    });
  });

  test('of the same host as the service is the service', async () => {
    const gone = await nobody();
    const { outages } = scene(clientFor(gone), gone);
    const { folder } = room();
    await outages.api.download(`${gone}/x.png`, { path: `${folder}/x.png` });
    expect(outages.holdCreations).toBe(true);
  });
});

describe('a creation', () => {
  test('never tries whether the service is back: a free call does, and then it may go', async () => {
    let up = false;
    const server = await serve(({ path }, response) => {
      if (!up && path === '/v1/account') {
        up = server.asked.length > 4;
        return answer(response, 503, {});
      }
      return answer(response, path === '/v1/account' ? 404 : 200, { message: 'Not Found' });
    });
    const { outages } = scene(server.client(), server.address);
    outages.hearOfCreation(
      { ok: false, error: { reason: 'unreachable', message: 'ECONNREFUSED' } },
      { probe: false },
    );
    expect(await outages.readyToCreate()).toEqual({ ok: true, value: { probe: false } });
    expect(new Set(server.asked.map(({ path }) => path))).toEqual(new Set(['/v1/account']));
    expect(server.asked.length).toBe(6);
  });

  test('that is throttled holds up creations and nothing else', async () => {
    const server = await serve((_, response) => answer(response, 200, project('complete')));
    const { outages, clock } = scene(server.client(), server.address);
    const throttled = {
      ok: false,
      error: { reason: 'throttled', message: '', retryAfterMs: 60_000 },
    } as const;
    const heard = [1, 2, 3].map(() => outages.hearOfCreation(throttled, { probe: false }));
    expect(heard).toEqual([false, false, true]);
    expect(await outages.api.project('image', 'p')).toMatchObject({ ok: true });
    expect(clock.elapsed()).toBe(0);
    expect(outages.holdCreations).toBe(true);
    expect(await outages.readyToCreate()).toEqual({ ok: true, value: { probe: true } });
    expect(clock.elapsed()).toBe(61_000);
  });
});

test('a signal ends the wait', async () => {
  const gone = await nobody();
  const { outages, clock, stopper } = scene(clientFor(gone), gone);
  clock.sleep = async () => stopper.abort();
  expect(await outages.api.project('image', 'p')).toMatchObject({ error: { reason: 'aborted' } });
});

describe('the timeout of a project', () => {
  const order: AttachOrder = {
    ...{ key: 'k', task: 'swap:a', kind: 'face-swap-photo', operation: 'attach', attempts: 3 },
    ...{
      project: 'p',
      settled: false,
      since: Date.parse('2026-08-05T10:00:00Z'),
      credits: 10,
      timeoutMs: 60_000,
    },
    fingerprint: fingerprintFrom(digestOf('job')),
  };

  /** Reads the project until it is over. `answers`: statuses of HTTP, or of the project. */
  async function outcome(statusOf: (times: number) => number | string): Promise<JobOutcome> {
    const server = await serve((_, response) => {
      const status = statusOf(server.asked.length);
      if (typeof status === 'number') return answer(response, status, {});
      return answer(response, 200, project(status));
    });
    const { outages, clock, stopper } = scene(server.client(), server.address);
    const context = { api: outages.api, outages, clock, stop: stopper.signal, backoffMs: 1000 };
    const performance = attach(order, {
      ...context,
      projects: new ProjectIds(),
      disk: room().disk,
      pace: async () => undefined,
      lookSchedule: new LookSchedule({ speedFactor: 1 }),
      looks: new LookBudget(clock, 1),
    });
    for (;;) {
      const step = await performance.next();
      if (step.done === true) return step.value;
    }
  }

  test('does not run while the service is away', async () => {
    const outage = (times: number): boolean => times > 3 && times < 20;
    expect(
      await outcome((times) => (outage(times) ? 503 : times < 21 ? 'rendering' : 'complete')),
    ).toMatchObject({
      is: 'done',
    });
  });

  test('runs while it is there', async () => {
    expect(await outcome(() => 'rendering')).toMatchObject({
      ending: 'pending',
      why: expect.stringContaining('still rendering after its timeout'),
    });
  });
});
