// What a paid project comes to.
import { describe, expect, test } from 'vitest';
import { err, ok, type Result } from '../../../../src/base/result.ts';
import type { ApiFailure } from '../../../../src/contract/api/failure.ts';
import type { Project } from '../../../../src/contract/api/project.ts';
import { toolNamed } from '../../../../src/contract/tools/all.ts';
import { settlementOf } from '../../../../src/core/settlement.ts';
import { LookSchedule } from '../../../../src/plan/look-schedule.ts';
import type { JobContext } from '../../../../src/run/jobs/job-context.ts';
import { LookBudget } from '../../../../src/run/jobs/looks.ts';
import { attach } from '../../../../src/run/jobs/settlement.ts';
import { WebhookInbox } from '../../../../src/run/jobs/webhook-inbox.ts';
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
    expect(said).toEqual(['settled!']);
    expect(events[0]).toMatchObject({ credits: 8 });
    expect([outcome.is, reads()]).toEqual(['done', 3]);
  });

  test('that is settled is only read again, and nothing is recorded', async () => {
    const { scene } = reading(record({}));
    const { said, outcome } = await performed(attach(attachOrder('a', 10, true), scene.context));
    expect([said, outcome.is]).toEqual([[], 'done']);
  });

  test('that was deleted elsewhere is recorded as gone, and its task decided again', async () => {
    const { scene, reads } = reading(record({ enabled: false }));
    const { said, outcome } = await performed(attach(attachOrder('a', 10, true), scene.context));
    expect([said, outcome.is, reads()]).toEqual([['deleted'], 'read', 2]);
  });

  test('that is not found once, and then is there, is nothing special', async () => {
    const lagging = { reason: 'not-found', message: 'Not Found' } as const;
    const { scene } = reading(lagging, record({}));
    const { said, outcome } = await performed(attach(attachOrder('a'), scene.context));
    expect([said, outcome.is]).toEqual([['settled!'], 'done']);
    expect(scene.clock.elapsed()).toBeGreaterThanOrEqual(3_000);
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
    expect(outcome).toMatchObject({ ending: 'pending', code: 'not-found' });
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
    expect(outcome).toMatchObject({ ending: 'pending', code: 'not-found' });
  });

  /** When it is looked at if it is never over, as shares of the median of its tool. */
  const looksAt = async (kind: string, more: Partial<JobContext>, timeoutMs = 3_600_000) => {
    const looks: number[] = [];
    const project = async () => {
      looks.push(scene.clock.elapsed());
      return ok(record({ status: 'rendering' }));
    };
    const scene = new Scene([], { project });
    const order = { ...attachOrder('a'), kind, timeoutMs, since: scene.clock.now() };
    await performed(attach(order, { ...scene.context, ...more }));
    const median = (toolNamed(kind)?.medianSeconds ?? 0) * 1000;
    return looks.map((at) => Math.round((at / median) * 100) / 100);
  };

  test('is looked at from when it may be over, and sooner at a faster service', async () => {
    const looks = await looksAt('photo-colorizer', {}, 60_000);
    expect(looks.slice(0, 5)).toEqual([0.06, 0.11, 0.17, 0.22, 0.28]);
    const known = () => new Map([['photo-colorizer', [10_000, 10_000, 10_000]]]);
    const lookSchedule = new LookSchedule({ speedFactor: 10, known });
    const faster = await looksAt('photo-colorizer', { lookSchedule }, 60_000);
    expect(faster.slice(0, 2)).toEqual([0.49, 0.54]);
  });

  test('is looked at rarely while events arrive, and as without them when they do not', async () => {
    const inbox = listening();
    inbox.endSignalOf('p-a');
    const trusting = await looksAt('photo-colorizer', { inbox });
    expect(trusting.slice(0, 3)).toEqual([10, 20, 40]);
    inbox.missed();
    inbox.endSignalOf('p-a');
    expect((await looksAt('photo-colorizer', { inbox })).slice(0, 2)).toEqual([0.06, 0.11]);
    await inbox.deliver('image', record({ id: 'other' }), new AbortController().signal);
    inbox.endSignalOf('p-a');
    expect((await looksAt('photo-colorizer', { inbox }))[0]).toBe(10);
  });

  test('of which an event may have been missed is looked at once as without events', async () => {
    const looks = await looksAt('photo-colorizer', { inbox: listening() });
    expect(looks.slice(0, 2)).toEqual([0.06, 10]);
  });

  test('teaches how long the next one takes, if its end was looked for in time', async () => {
    const taught = async (took: number, age: number) => {
      const lookSchedule = new LookSchedule({ speedFactor: 1 });
      for (let times = 0; times < 3; times++) {
        const over = record({});
        const project = async () =>
          ok(scene.clock.elapsed() < end ? record({ status: 'rendering' }) : over);
        const scene = new Scene([], { project });
        scene.clock.pass(times * 86_400_000);
        const end = scene.clock.elapsed() + took;
        const since = scene.clock.now() - age;
        const order = { ...attachOrder('a'), kind: 'animation', timeoutMs: 3_600_000, since };
        await performed(attach(order, { ...scene.context, lookSchedule }));
      }
      return lookSchedule.next('animation', 0) / 1000;
    };
    expect(await taught(900_000, 0)).toBeCloseTo(0.95 * 900, -1);
    // It was over long before the first look.
    expect(await taught(0, 3_600_000)).toBe(0.2 * 596);
  });

  /** Ten looks have just been made. */
  const spent = async (scene: Scene): Promise<LookBudget> => {
    const looks = new LookBudget(scene.clock, 1);
    for (let times = 0; times < 10; times++) await looks.turn([]);
    return looks;
  };

  test('waits for its turn: no second has more than ten looks in vain', async () => {
    const { scene, reads } = reading(record({}));
    const order = { ...attachOrder('a'), since: scene.clock.now() };
    await performed(attach(order, { ...scene.context, looks: await spent(scene) }));
    expect([scene.clock.slept, reads()]).toEqual([[500, 500], 1]);
  });

  test('of which an event has told is read without waiting for a turn', async () => {
    const inbox = listening();
    inbox.endSignalOf('p-a');
    await inbox.deliver('image', record({ id: 'p-a' }), new AbortController().signal);
    const { scene, reads } = reading(record({}));
    const looks = await spent(scene);
    await performed(attach(attachOrder('a'), { ...scene.context, looks, inbox }));
    expect([scene.clock.slept, reads()]).toEqual([[], 1]);
  });

  test('is read at once when an event says that it is over', async () => {
    const inbox = listening();
    const { scene, reads } = reading(record({}));
    const project = record({ id: 'p-a' });
    const over: boolean[] = [];
    scene.clock.sleep = async (_, ...enough) => {
      await inbox.deliver('image', project, new AbortController().signal);
      over.push(enough.some(({ aborted }) => aborted));
    };
    const order = attachOrder('a');
    const { outcome } = await performed(attach(order, { ...scene.context, inbox }));
    expect([outcome.is, over, reads()]).toEqual(['done', [true], 1]);
  });

  test('is not waited for any more when the run stops, also where events are listened to', async () => {
    const { scene } = reading(record({ status: 'rendering' }));
    const { clock, stopper } = scene;
    const seen: boolean[] = [];
    clock.sleep = async (_, ...enough) => {
      stopper.abort();
      seen.push(enough.some(({ aborted }) => aborted));
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
