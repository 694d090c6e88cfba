// An outage of the service in a distributed run: each worker waits, and the coordinator shows one outage.
// @module-tag postgres
import { expect } from 'vitest';
import { err } from '../../src/base/result.ts';
import type { MediaApi } from '../../src/run/jobs/ports.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { query } from '../postgres.ts';
import { bill, photoRig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

/** How many workers have recorded something of their own. */
async function tellers(engine: string): Promise<number> {
  const [row] = await query(
    engine,
    `select count(distinct by_)::integer as count from shotlist.record where is_ = 'told'`,
  );
  return Number(row?.['count']);
}

longTest(
  'three workers that see one outage are told as one outage, and nothing is paid twice',
  async () => {
    const rig = await photoRig(6);
    const local = await service();
    const engine = await newEngine();
    let isDown = true;
    const api = (real: MediaApi): MediaApi => ({
      ...real,
      async uploadAddresses(items) {
        if (!isDown) return await real.uploadAddresses(items);
        return err({ reason: 'unreachable', message: 'connect ECONNREFUSED' });
      },
    });
    const workers = [1, 2, 3].map(() => startWorker(rig, local, engine, { jobs: 2 }, { api }));
    const running = rig.run(local, { engine, backoffMs: 50 });
    await until('all have told of it', async () => (await tellers(engine)) === 3);
    isDown = false;
    const { summary, events } = await running;
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 6 } });
    const seen = events.filter((event) => event.type === 'waiting' || event.type === 'back');
    expect(seen.filter(({ type }) => type === 'back')).toHaveLength(1);
    expect(seen.at(-1)).toMatchObject({ type: 'back', of: 'service' });
    expect(seen[0]).toMatchObject({
      ...{ type: 'waiting', of: 'service', tries: 1 },
      why: expect.stringMatching(/^cannot be reached \(connect ECONNREFUSED\), seen by \S+$/),
    });
    for (const { events: own } of workers)
      expect(own.filter(({ type }) => type === 'back')).toHaveLength(1);
    expect([...bill(local.ledger()).values()]).toEqual(Array.from({ length: 6 }, () => 10));
  },
);

longTest(
  'workers whose creations get no answer end the buying of the run, and leave the rest for later',
  async () => {
    const rig = await photoRig(16);
    const local = await service({
      faults: { faults: [{ fault: 'reset', on: 'POST /v1/face-swap-photo', when: 'after' }] },
    });
    const engine = await newEngine();
    for (const _ of [1, 2]) startWorker(rig, local, engine, { jobs: 3 });
    const { summary } = await rig.run(local, { engine, backoffMs: 20 });
    // Of each worker what was under way, and two trials.
    expect(summary.tasks.doubt).toBeLessThanOrEqual(2 * (3 + 2));
    expect(bill(local.ledger()).size).toBe(summary.tasks.doubt);
    expect(summary).toMatchObject({
      outcome: 'doubt',
      stoppedBy: 'unanswered',
      tasks: { failed: 0 },
    });
  },
);
