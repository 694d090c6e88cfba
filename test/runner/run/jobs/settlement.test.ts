// What a paid project comes to.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../../../src/contract/api/failure.ts';
import type { Project } from '../../../../src/contract/api/project.ts';
import { err, ok, type Result } from '../../../../src/contract/base/result.ts';
import { toolNamed } from '../../../../src/contract/kinds/tools.ts';
import { attach, settlementOf } from '../../../../src/runner/run/jobs/settlement.ts';
import { WebhookInbox } from '../../../../src/runner/run/jobs/webhook-inbox.ts';
import { attachOrder } from '../parts.ts';
import { performed, Scene } from './performing.ts';

const listening = (): WebhookInbox => new WebhookInbox({ patienceMs: 60_000, since: 0 });

const isFailure = (answer: Project | ApiFailure): answer is ApiFailure => 'reason' in answer;

const record = (more: Partial<Project>): Project => ({
  ...{ id: 'p', status: 'complete', downloads: [], error: null },
  ...more,
});

describe('the settlement of a project', () => {
  test.each(['queued', 'rendering'] as const)('is none while it is %s', (status) => {
    expect(settlementOf('j', record({ status }), 10)).toBeUndefined();
  });

  test('counts the charge that the record names', () => {
    expect(settlementOf('j', record({ credits_charged: 7 }), 10)).toMatchObject({ credits: 7 });
  });

  test('counts what was charged so far where the record names nothing', () => {
    expect(settlementOf('j', record({}), 10)).toMatchObject({ status: 'complete', credits: 10 });
  });

  test('counts nothing for a failed project where the record names nothing: it is refunded', () => {
    const settled = settlementOf('j', record({ status: 'error' }), 10);
    expect(settled).toMatchObject({ credits: 0, error: { code: 'error' } });
  });

  test('counts a failed project that is not refunded', () => {
    const failed = record({ status: 'error', credits_charged: 3 });
    expect(settlementOf('j', failed, 10)).toMatchObject({ credits: 3 });
  });

  test('counts a project that was stopped by hand at what it was charged', () => {
    const settled = settlementOf('j', record({ status: 'canceled' }), 10);
    expect(settled).toMatchObject({ status: 'canceled', credits: 10, error: { code: 'canceled' } });
  });

  test('keeps when the first of its addresses expires, and how many there are', () => {
    const at = (day: number) => ({ url: 'u', expires_at: `2026-08-0${day}T00:00:00Z` });
    const settled = settlementOf(
      'j',
      record({ downloads: [at(3), at(2), { url: 'u', expires_at: '' }] }),
      10,
    );
    expect(settled).toMatchObject({ expires: '2026-08-02T00:00:00Z', result: { downloads: 3 } });
    expect(settlementOf('j', record({}), 10)).not.toHaveProperty('expires');
  });
});

describe('a project of an earlier run', () => {
  const reading = (...answers: readonly (Project | ApiFailure)[]) => {
    const list = [...answers];
    let reads = 0;
    const project = async () => {
      reads += 1;
      const next = list.length > 1 ? list.shift() : list[0];
      if (next === undefined) throw new Error('nothing to answer');
      const answer: Result<Project, ApiFailure> = isFailure(next) ? err(next) : ok(next);
      return answer;
    };
    return { scene: new Scene([], { project }), reads: () => reads };
  };

  test('is waited for until it is over', async () => {
    const { scene, reads } = reading(
      record({ status: 'queued' }),
      record({ status: 'rendering' }),
      record({ credits_charged: 8 }),
    );
    const { said, events, outcome } = await performed(attach(attachOrder('a'), scene.context));
    expect(said).toEqual(['settled']);
    expect(events[0]).toMatchObject({ credits: 8 });
    expect([outcome.is, reads()]).toEqual(['done', 3]);
  });

  test('that is settled is only read again, and nothing is recorded', async () => {
    const { scene } = reading(record({}));
    const { said, outcome } = await performed(attach(attachOrder('a', 10, true), scene.context));
    expect([said, outcome.is]).toEqual([[], 'done']);
  });

  test('is parked before a long pause, and looked at later from there', async () => {
    const rendering = record({ status: 'rendering' });
    const { scene, reads } = reading(rendering, rendering, rendering, record({}));
    const park = (looks: number) => ({ kind: 'park', longestPauseMs: 200, looks }) as const;
    const first = await performed(
      attach(attachOrder('a'), { ...scene.context, attention: park(0) }),
    );
    if (first.outcome.is !== 'ended' || first.outcome.rest === undefined)
      throw new Error('it was not parked');
    const { rest } = first.outcome;
    const made = reads();
    expect(rest).toMatchObject({ project: 'p-a', looks: made });
    expect(rest.pauseMs).toBeGreaterThan(200);
    expect(rest.timeoutMs).toBeLessThan(attachOrder('a').timeoutMs);
    const { looks, pauseMs, ...later } = rest;
    const again = performed(
      attach({ ...attachOrder('a'), ...later }, { ...scene.context, attention: park(looks) }),
    );
    const second = (await again).outcome;
    expect(second.is === 'done' || (second.is === 'ended' && second.rest)).toBeTruthy();
    if (second.is === 'ended') expect(second.rest?.pauseMs).toBeGreaterThan(pauseMs);
  });

  test('that was deleted elsewhere is left to the next run', async () => {
    const { scene } = reading(record({ enabled: false }));
    const { outcome } = await performed(attach(attachOrder('a', 10, true), scene.context));
    expect(outcome).toMatchObject({ ending: 'pending', why: 'project p-a was deleted elsewhere' });
  });

  test('that is not over in time is left to the next run', async () => {
    const { scene } = reading(record({ status: 'rendering' }));
    const { said, outcome } = await performed(attach(attachOrder('a'), scene.context));
    expect(said).toEqual([]);
    expect(outcome).toMatchObject({
      ...{ ending: 'pending', why: 'project p-a is still rendering after its timeout' },
    });
    expect(scene.clock.elapsed()).toBeGreaterThanOrEqual(60_000);
  });

  test('that cannot be read is left to the next run: it is paid', async () => {
    const { scene } = reading({ reason: 'not-found', message: 'Not Found' });
    const { outcome } = await performed(attach(attachOrder('a'), scene.context));
    expect(outcome).toMatchObject({
      ending: 'pending',
      why: expect.stringContaining('could not be read'),
    });
  });

  test.each([
    ['processing_timeout', true],
    ['unknown_error', true],
    ['no_source_face', false],
  ])('that failed with %s is tried again: %s', async (code, again) => {
    const { scene } = reading(record({ status: 'error', error: { code, message: 'm' } }));
    const { outcome } = await performed(attach(attachOrder('a'), scene.context));
    expect(outcome).toMatchObject({ ending: 'failed', why: `${code}: m`, code, again });
  });

  test('that was stopped by hand is not tried again', async () => {
    const error = { code: 'unknown_error', message: 'm' };
    const { scene } = reading(record({ status: 'canceled', error }));
    const { outcome } = await performed(attach(attachOrder('a'), scene.context));
    expect(outcome).toMatchObject({ ending: 'failed', again: false });
  });

  test('that is settled and cannot be read is left to the next run', async () => {
    const { scene } = reading({ reason: 'not-found', message: 'Not Found' });
    const { outcome } = await performed(attach(attachOrder('a', 10, true), scene.context));
    expect(outcome).toMatchObject({
      ...{ ending: 'pending', why: expect.stringContaining('could not be read') },
    });
  });

  test.each<readonly [string, number, WebhookInbox | undefined, readonly number[]]>([
    // An eightieth of the median of its tool, then half as much again each time.
    ['photo-colorizer', 1, undefined, [1, 1.5]],
    ['photo-colorizer', 2, undefined, [0.5, 0.75]],
    ['photo-colorizer', 1, listening(), [4, 6]],
    ['character-replace', 1, undefined, [1, 1.5]],
  ])('is looked at by the median of %s, at speed %d', async (kind, speedFactor, inbox, shares) => {
    const { scene } = reading(
      ...[record({ status: 'queued' }), record({ status: 'queued' }), record({})],
    );
    const order = { ...attachOrder('a'), kind, timeoutMs: 3_600_000 };
    await performed(attach(order, { ...scene.context, speedFactor, inbox }));
    const first = Math.max(20, ((toolNamed(kind)?.medianSeconds ?? 0) * 1000) / 80);
    expect(scene.clock.slept).toEqual(shares.map((share) => Math.max(share, 0) * first));
  });

  test('is read at once when an event says that it is over', async () => {
    const inbox = listening();
    const { scene, reads } = reading(record({ status: 'queued' }), record({}));
    const project = record({ id: 'p-a' });
    const over: boolean[] = [];
    scene.clock.sleep = async (_, enough) => {
      await inbox.deliver('image', project, new AbortController().signal);
      over.push(enough.aborted);
    };
    const order = attachOrder('a');
    const { outcome } = await performed(attach(order, { ...scene.context, inbox }));
    expect([outcome.is, over, reads()]).toEqual(['done', [true], 2]);
  });

  test('is not waited for any more when the run stops, also where events are listened to', async () => {
    const { scene } = reading(record({ status: 'rendering' }));
    const { clock, stopper } = scene;
    const seen: boolean[] = [];
    clock.sleep = async (_, enough) => {
      stopper.abort();
      seen.push(enough.aborted);
    };
    const inbox = listening();
    const order = attachOrder('a');
    const { outcome } = await performed(attach(order, { ...scene.context, inbox }));
    expect(outcome).toMatchObject({ ending: 'pending', why: 'stopped' });
    expect(seen).toEqual([true]);
  });

  test('is not waited for any more when the run stops', async () => {
    const { scene } = reading(record({ status: 'rendering' }));
    const performance = attach(attachOrder('a'), scene.context);
    const { clock, stopper } = scene;
    const { sleep } = clock;
    clock.sleep = async (ms, signal) => {
      stopper.abort();
      await sleep.call(clock, ms, signal);
    };
    const { outcome } = await performed(performance);
    expect(outcome).toMatchObject({ ending: 'pending', why: 'stopped' });
  });
});
