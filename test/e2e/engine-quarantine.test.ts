// A worker that is frozen right after its claim says nothing, and its request may still reach the service. Nobody may say for a
// while that its creation was not charged, wherever the record is.
// @module-tag postgres
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/distributed/database/connection.ts';
import { engineOver } from '../../src/distributed/database/database.ts';
import type { Sql } from '../../src/distributed/database/sql.ts';
import { readIssuedOrder } from '../../src/distributed/order-guard.ts';
import { exportState } from '../../src/features/engine/export.ts';
import { resolve } from '../../src/features/resolve/resolve.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LoadedPipeline } from '../../src/language/load/loaded-pipeline.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { realClock } from '../../src/run/clock.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { envOf, type Rig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { ledgerSums, spendingRig } from './spending.ts';

const task = 'speech:1';

async function loadedOf(rig: Rig): Promise<LoadedPipeline> {
  const loaded = await loadPipeline(rig.file);
  return loaded;
}

/** A worker claims the first creation of a run, and freezes; its lease lapses. */
async function freeze(engine: string): Promise<Sql> {
  const sql = await connect(engine, { application: 'a frozen worker', connections: 2 });
  const database = await engineOver(sql);
  onTestFinished(() => database.close());
  await until('an order is claimed', async () => {
    for (const { terms } of await database.runs()) {
      const orderStore = database.worker(terms.run, { worker: 'frozen', host: 'h', places: 1 });
      for (const { lease, issued } of await orderStore.fetch(1)) {
        const read = readIssuedOrder(issued);
        if (!read.ok || read.value.order.operation !== 'create') throw new Error('no creation');
        const { order, epoch, seen } = read.value;
        const { fingerprint: job, kind, attempt, name, reserve } = order;
        const { measure } = order.expectation;
        const intent = {
          event: 'intent',
          job,
          task: order.task,
          kind,
          attempt,
          name,
          reserve,
          measure,
        } as const;
        const ask = { lease, epoch, seen, key: order.key, intent, again: false };
        const { claims } = await orderStore.commit({ facts: [], ends: [], asks: [ask] });
        return claims[0]?.is === 'go';
      }
    }
    return false;
  });
  await sql.query(`update shotlist_queue.job set heartbeat_on = now() - interval '1 min'`);
  return sql;
}

const after = (minutes: number) => ({
  clock: { ...realClock, now: () => realClock.now() + minutes * 60_000 },
});

const notCharged = async (rig: Rig, options: Parameters<typeof resolve>[3] = {}) => {
  const resolved = await resultOf(async () =>
    resolve(await loadedOf(rig), task, { how: 'not-charged' }, options),
  );
  return resolved.ok ? resolved.value.state : renderProblem(resolved.error);
};

/** It can be said after 20 minutes, and the task is paid once then. */
async function expectQuarantine(rig: Rig, local: Awaited<ReturnType<typeof service>>) {
  const state = () => rig.read('spending.state.jsonl');
  expect(state()).toContain('"code":"silent"');
  expect(await notCharged(rig)).toContain('--not-charged is possible from');
  expect(await notCharged(rig, after(19))).toContain('--not-charged is possible from');
  expect(ledgerSums(local).creations).toBe(0);
  expect(await notCharged(rig, after(21))).toBe('failed');
  expect(state()).toContain('"notCharged"');
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done' });
  expect(ledgerSums(local)).toMatchObject({ creations: 1, net: 10 });
}

describe('a doubt about a frozen worker stays in quarantine in the state file', () => {
  test('that a run leaves', async () => {
    const local = await service();
    const rig = spendingRig({ items: 1 });
    const engine = await newEngine();
    const running = rig.run(local, { engine });
    await freeze(engine);
    expect(await notCharged(rig, { engine })).toContain('--not-charged is possible from');
    startWorker(rig, local, engine);
    expect((await running).summary.outcome).toBe('doubt');
    await expectQuarantine(rig, local);
  });

  longTest(
    'that a run leaves whose coordinator is stopped before another worker has looked',
    async () => {
      const local = await service();
      const rig = spendingRig({ items: 1 });
      const engine = await newEngine();
      const stop = new AbortController();
      const running = rig.run(local, { engine, signal: stop.signal });
      await freeze(engine);
      stop.abort();
      expect((await running).summary.outcome).toBe('interrupted');
      await expectQuarantine(rig, local);
    },
  );

  longTest('that an export writes after the coordinator is gone', async () => {
    const local = await service();
    const rig = spendingRig({ items: 1 });
    const engine = await newEngine();
    const coordinator = rig.start(['run', 'pipeline.yaml', '--engine', engine], envOf(local));
    const sql = await freeze(engine);
    coordinator.kill('SIGKILL');
    await sql.query('update shotlist.run set coordinator_until = now()');
    await exportState(await loadedOf(rig), { engine });
    await expectQuarantine(rig, local);
  });
});
