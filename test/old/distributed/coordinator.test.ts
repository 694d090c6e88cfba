// What a coordinator tells its run arrives in the order in which it was told, and says what it was made from.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestOf } from '../../../src/base/digest.ts';
import { Coordinator } from '../../../src/distributed/coordinator.ts';
import type { CoordinatorStore } from '../../../src/distributed/database/coordinator-store.ts';
import { type EngineDatabase, engineOver } from '../../../src/distributed/database/database.ts';
import type { Sql } from '../../../src/distributed/database/sql.ts';
import type { Delivery, WorkerStore } from '../../../src/distributed/database/worker-store.ts';
import { EnginePerformer } from '../../../src/distributed/engine-performer.ts';
import { SharedOutages } from '../../../src/distributed/shared-outages.ts';
import { fingerprintFrom } from '../../../src/model/fingerprint.ts';
import { realClock } from '../../../src/run/clock.ts';
import type { JobOrder } from '../../../src/run/jobs/job.ts';
import { connectToDatabase } from '../../distributed/database/database.ts';
import { importOf, issued } from '../../distributed/database/orders.ts';

let sql: Sql;
let engine: EngineDatabase;

beforeAll(async () => {
  sql = await connectToDatabase();
  engine = await engineOver(sql);
  await engine.migrate();
});
afterAll(async () => engine.close());

async function begin(run: string) {
  await engine.import(importOf(run));
  await engine.setStage(run, 'open');
  const orderStore = await engine.run(run).acquire('c1', 10_000);
  if (orderStore === undefined) throw new Error('no term');
  const closed = async () =>
    (await sql.query('select closed from shotlist.run where run = $1', [run]))[0]?.['closed'];
  return { orderStore, closed };
}

test('a phase that is closed does not close the next one, also when its word takes longer', async () => {
  const { orderStore, closed } = await begin('r1');
  const held = Promise.withResolvers<void>();
  const closedWhenIssued: unknown[] = [];
  const changed: Partial<CoordinatorStore> = {
    close: async (why) => {
      if (why !== undefined) await held.promise;
      await orderStore.close(why);
    },
    issue: async (orders) => {
      closedWhenIssued.push(await closed());
      await orderStore.issue(orders);
    },
  };
  const coordinator = new Coordinator({
    ...{
      orderStore: withChanged(orderStore, changed),
      clock: realClock,
      folded: 0,
    },
    ...{ quit: new AbortController().signal, beforeIssue: async () => undefined },
  });
  coordinator.close('results are saved first');
  coordinator.close(undefined);
  coordinator.issue(issued('a', orderStore.epoch));
  held.resolve();
  await coordinator.end();
  expect(await closed()).toBeNull();
  expect(closedWhenIssued).toEqual([null]);
});

test('a coordinator whose term is over closes and stops nothing', async () => {
  const { orderStore, closed } = await begin('r2');
  await orderStore.release();
  const next = await engine.run('r2').acquire('c2', 10_000);
  expect(next?.epoch).toBe(orderStore.epoch + 1);
  await orderStore.close('late');
  await orderStore.stop();
  expect(await closed()).toBeNull();
  const worker = engine.worker('r2', { worker: 'w1', host: 'h1', places: 1 });
  expect(await worker.beat([], 0)).toMatchObject({ stopping: false });
});

test('an order that waited for a place of its kind names the records that its price is made from', async () => {
  const { orderStore } = await begin('r3');
  const clock = realClock;
  const coordinator = new Coordinator({
    ...{ orderStore, clock, folded: 0, quit: new AbortController().signal },
    beforeIssue: async () => undefined,
  });
  const nobody = async (): Promise<never> => {
    throw new Error('nothing is performed here');
  };
  const performer = new EnginePerformer({
    ...{ coordinator, phase: 1, limits: { [attach('a').kind]: 1 } },
    local: {
      begin: () => undefined,
      end: () => undefined,
      close: () => undefined,
      abort: () => undefined,
      perform: nobody,
    },
    outages: new SharedOutages(clock, () => undefined),
    onEvent: () => undefined,
    onHealed: () => undefined,
  });
  const journal = { begun: () => undefined, recorded: () => undefined };
  const orders = { ...journal, claim: nobody, again: nobody, record: nobody };
  coordinator.begin();
  performer.begin({ recorded: () => undefined, fail: () => undefined });
  const first = performer.perform(attach('a'), orders);
  // Ends with the test.
  void performer.perform(attach('b'), orders);
  const worker = engine.worker('r3', { worker: 'w1', host: 'h1', places: 1 });
  const { lease, issued: one } = await delivered(worker);
  expect(one).toMatchObject({ order: { key: '1.1.a' }, seen: 0 });
  const outcome = { is: 'done', live: {} } as const;
  const ends = [{ is: 'ended', lease, key: '1.1.a', outcome } as const];
  await worker.commit({ facts: [], ends, asks: [] });
  expect(await first).toEqual(outcome);
  expect(coordinator.folded).toBe(1);
  expect((await delivered(worker)).issued).toMatchObject({ order: { key: '1.1.b' }, seen: 0 });
  performer.end();
  await coordinator.abandon();
});

const attach = (key: string): JobOrder => ({
  ...{ operation: 'attach', key, task: `swap:${key}`, kind: 'face-swap-photo', attempts: 1 },
  ...{ fingerprint: fingerprintFrom(digestOf({ key })), project: key, settled: false },
  ...{ since: 0, credits: 1, timeoutMs: 1000 },
});

/** The next order that is due. */
async function delivered(worker: WorkerStore): Promise<Delivery> {
  for (;;) {
    const [delivery] = await worker.fetch(1);
    if (delivery !== undefined) return delivery;
  }
}

function withChanged(
  orderStore: CoordinatorStore,
  changed: Partial<CoordinatorStore>,
): CoordinatorStore {
  return new Proxy(orderStore, {
    get(target, name) {
      const method: unknown = Reflect.get(name in changed ? changed : target, name);
      return typeof method === 'function' ? method.bind(target) : method;
    },
  });
}
