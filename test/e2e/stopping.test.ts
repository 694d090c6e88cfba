// Ctrl-C once, twice, SIGTERM, a closed terminal or pipe: whenever a run is stopped, what was sent is recorded, and the
// next run goes on from there without paying again.
import { describe, expect, test } from 'vitest';
import type { ApiFailure } from '../../src/api/failure.ts';
import { err, ok } from '../../src/base/result.ts';
import type { MediaApi } from '../../src/run/ports.ts';
import type { Plugs } from '../../src/workspace/run.ts';
import { bill, photoPipeline, photoRig, service } from '../rig.ts';

const throttled: ApiFailure = { reason: 'throttled', message: '' };

describe('a stop while a creation is under way', () => {
  /** Every creation is refused once; then the run is stopped while the next one is being answered. */
  function stoppedInCreation(answered: (api: MediaApi) => MediaApi['create']): {
    readonly plugs: Plugs;
    readonly signal: AbortSignal;
  } {
    const controller = new AbortController();
    const refused = new Set<unknown>();
    const plugs: Plugs = {
      api: (api) => ({
        ...api,
        async create(tool, body) {
          if (!refused.has(body['name'])) {
            refused.add(body['name']);
            return err(throttled);
          }
          const answer = await answered(api)(tool, body);
          controller.abort();
          return answer;
        },
      }),
    };
    return { plugs, signal: controller.signal };
  }

  test('that was sent again keeps its answer: the project is recorded, and not paid again', async () => {
    const local = await service();
    const rig = await photoRig(2);
    const { plugs, signal } = stoppedInCreation((api) => api.create);
    const first = await rig.run(local, { signal }, plugs);
    expect(first.summary.outcome).toBe('interrupted');
    const paid = bill(local.ledger()).size;
    expect(paid).toBeGreaterThan(0);
    expect(first.summary.credits).toMatchObject({ charged: paid * 10, reserved: 0 });
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 2 } });
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  });

  test('that was sent again and got no answer is in doubt, not forgotten', async () => {
    const local = await service();
    const rig = await photoRig(1);
    const { plugs, signal } = stoppedInCreation((api) => async (tool, body) => {
      await api.create(tool, body);
      return err({ reason: 'unanswered', message: 'ECONNRESET' });
    });
    await rig.run(local, { signal }, plugs);
    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ outcome: 'doubt', tasks: { doubt: 1 } });
    expect([...bill(local.ledger()).values()]).toEqual([10]);
  });
});

describe('a stop waits for nothing but answers', () => {
  test.each([
    [
      'a service that asks to come back in an hour',
      { reason: 'throttled', message: '', retryAfterMs: 3_600_000 },
      {},
    ],
    ['a backoff of an hour', throttled, { backoffMs: 3_600_000 }],
  ] as const)('not for %s', async (_name, failure: ApiFailure, options) => {
    const local = await service();
    const rig = await photoRig(2);
    const controller = new AbortController();
    const plugs: Plugs = {
      api: (api) => ({
        ...api,
        async create() {
          queueMicrotask(() => controller.abort());
          return err(failure);
        },
      }),
    };
    const { summary } = await rig.run(local, { ...options, signal: controller.signal }, plugs);
    expect(summary.outcome).toBe('interrupted');
    expect(bill(local.ledger()).size).toBe(0);
    expect((await rig.run(local)).summary.outcome).toBe('done');
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  });

  test('not for the turn of a request, where there are few a minute', async () => {
    const local = await service();
    const rig = await photoRig(
      2,
      photoPipeline.replace('output: out', 'output: out\nlimits: { requests_per_minute: 1 }'),
    );
    const controller = new AbortController();
    const plugs: Plugs = {
      api: (api) => ({
        ...api,
        async uploadAddress(file) {
          queueMicrotask(() => controller.abort());
          return await api.uploadAddress(file);
        },
      }),
    };
    const { summary } = await rig.run(local, { signal: controller.signal }, plugs);
    expect(summary.outcome).toBe('interrupted');
    expect(bill(local.ledger()).size).toBe(0);
  });

  test('not for a project that takes its time', async () => {
    const local = await service();
    const rig = await photoRig(2);
    const controller = new AbortController();
    const plugs: Plugs = {
      api: (api) => ({
        ...api,
        async faceDetection(id) {
          for (;;) {
            const read = await api.faceDetection(id);
            if (!read.ok || read.value.status === 'complete') return read;
          }
        },
        async project(record, id) {
          const read = await api.project(record, id);
          queueMicrotask(() => controller.abort());
          return read.ok ? ok({ ...read.value, status: 'rendering' }) : read;
        },
      }),
    };
    const { summary } = await rig.run(local, { haste: 0.001, signal: controller.signal }, plugs);
    expect(summary.outcome).toBe('interrupted');
    expect(summary.credits.charged).toBe(bill(local.ledger()).size * 10);
  });
});
