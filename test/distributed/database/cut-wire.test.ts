// The wire to Postgres is cut around every commit of a worker, and at bytes in between. The worker repeats the batch that
// has no answer, as it does while the database is away, and the run is the same as without a cut.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DatabaseAway } from '../../../src/distributed/away.ts';
import type { Ask, Batch, BatchAnswer, Lease } from '../../../src/distributed/database/batch.ts';
import type { CoordinatorStore } from '../../../src/distributed/database/coordinator-store.ts';
import { type EngineDatabase, openEngine } from '../../../src/distributed/database/database.ts';
import type { WorkerStore } from '../../../src/distributed/database/worker-store.ts';
import {
  openPostgresProxy,
  type PostgresProxy,
  type PostgresProxyOptions,
  type WireMoment,
} from '../../../torture/postgres-proxy.ts';
import { complete, created } from '../../model/lines.ts';
import { sharedPostgres } from '../../postgres.ts';
import { askOf, event, importOf, intentOf, issued } from './orders.ts';

const failedTask = { event: 'failed', task: 'swap:b', why: 'the file is empty' } as const;

/** `BYTES=10`: the wire is cut at every tenth byte; otherwise at about twelve of them. */
const bytesApart = process.env['BYTES'] === undefined ? undefined : Number(process.env['BYTES']);

/** The commits of a worker in the life of one order. */
const life = { claim: 1, created: 2, settled: 3 } as const;

describe('a wire that is cut', { tags: 'postgres' }, () => {
  let url: string;
  let engine: EngineDatabase;
  let runs = 0;

  beforeAll(async () => {
    url = await (await sharedPostgres()).newDatabase();
    engine = await openEngine(url, { application: 'shotlist test', connections: 2 });
    await engine.migrate();
  });
  afterAll(async () => engine.close());

  interface Scene {
    readonly coordinator: CoordinatorStore;
    readonly ask: Ask;
    readonly lease: Lease;
    readonly proxy: PostgresProxy;
    /** Over the wire that is cut. */
    readonly orderStore: WorkerStore;
    /** Another worker, whose wire is whole. */
    readonly other: WorkerStore;
  }

  /** An order has been delivered to a worker. */
  async function scene(options: PostgresProxyOptions): Promise<Scene> {
    runs += 1;
    const run = `r${runs}`;
    await engine.import(importOf(run));
    await engine.setStage(run, 'open');
    const coordinator = await engine.run(run).acquire('c1', 60_000);
    if (coordinator === undefined) throw new Error('no term');
    const identity = { worker: 'w1', host: 'h1', places: 4 };
    await coordinator.issue([issued('a', coordinator.epoch)]);
    const [delivery] = await engine.worker(run, identity).fetch(1);
    if (delivery === undefined) throw new Error('nothing is due');
    const { lease } = delivery;
    const proxy = await openPostgresProxy(url, options);
    const cut = await openEngine(proxy.url, { application: 'shotlist cut', connections: 1 });
    onTestFinished(async () => {
      await cut.close();
      await proxy.close();
    });
    return {
      ...{ coordinator, lease, proxy, ask: askOf(lease, 'a', coordinator.epoch) },
      orderStore: cut.worker(run, identity),
      other: engine.worker(run, { ...identity, worker: 'w2' }),
    };
  }

  /** Repeats the call until there is an answer. */
  async function repeated<T>(call: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof DatabaseAway)) throw error;
      }
  }

  const persist = (orderStore: WorkerStore, batch: Partial<Batch>): Promise<BatchAnswer> =>
    repeated(() => orderStore.commit({ facts: [], ends: [], asks: [], ...batch }));

  /** The life of the order, from the claim to its end: what the run knows of it afterwards. */
  async function lived({ orderStore, coordinator, ask, lease }: Scene): Promise<unknown> {
    const { name } = intentOf('a');
    const claimed = await persist(orderStore, { asks: [ask] });
    expect(claimed.claims).toEqual([{ is: 'go' }]);
    const made = await persist(orderStore, { facts: [event('f1', created('a'), name)] });
    expect(['done', 'known']).toContain(made.facts[0]);
    const outcome = { is: 'done', live: {} } as const;
    const over = await persist(orderStore, {
      facts: [event('f2', complete('a'), name)],
      ends: [{ is: 'ended', lease, key: 'a', outcome }],
    });
    expect(['done', 'known']).toContain(over.facts[0]);
    const records = await coordinator.records(0, 100);
    const { queued, active } = await coordinator.facts();
    return {
      records: records.map(({ by: _, ...record }) =>
        'at' in record ? { ...record, at: '' } : record,
      ),
      queue: { queued, active },
    };
  }

  const cutting =
    (at: WireMoment['at'], commit: number) =>
    (moment: WireMoment): 'pass' | 'cut' =>
      moment.at === at && moment.commit === commit ? 'cut' : 'pass';

  const cuts = Object.entries(life).flatMap(([what, commit]) =>
    (['commit', 'committed'] as const).map((at) => ({ what, commit, at })),
  );

  test.each(cuts)(
    'at the $at of the $what, changes nothing for the worker',
    async ({ at, commit }) => {
      const whole = await lived(await scene({}));
      const begun = await scene({ script: cutting(at, commit) });
      expect(await lived(begun)).toEqual(whole);
      const { sent, done } = begun.proxy.commits();
      expect({ sent, done }).toEqual({ sent: 4, done: at === 'commit' ? 3 : 4 });
    },
  );

  test.each([
    { at: 'commit', found: { is: 'go' }, first: { is: 'exists', same: true } },
    { at: 'committed', found: { is: 'exists', same: true }, first: { is: 'go' } },
  ] as const)(
    'at the $at of its claim buys once, whoever asks next',
    async ({ at, found, first }) => {
      const { orderStore, other, ask, coordinator } = await scene({
        script: cutting(at, life.claim),
      });
      const asked = orderStore.commit({ facts: [], ends: [], asks: [ask] });
      await expect(asked).rejects.toThrow(DatabaseAway);
      // Another worker has an order for the same attempt, and asks before the first one asks again.
      await coordinator.issue([issued('b', ask.epoch)]);
      const [delivery] = await other.fetch(1);
      if (delivery === undefined) throw new Error('nothing is due');
      const next = await persist(other, {
        asks: [{ ...ask, lease: delivery.lease }],
      });
      expect(next.claims).toMatchObject([found]);
      expect((await persist(orderStore, { asks: [ask] })).claims).toMatchObject([first]);
      expect(await coordinator.records(0, 100)).toMatchObject([{ is: 'event', key: 'a' }]);
    },
  );

  test.each(['server', 'client'] as const)(
    'at a byte on the way to the %s, changes nothing for the worker',
    async (to) => {
      const measured = await scene({});
      const whole = await lived(measured);
      const bytes = measured.proxy.passed()[to];
      for (let byte = 1; byte < bytes; byte += bytesApart ?? Math.ceil(bytes / 12))
        expect(await lived(await scene({ cutAt: { to, byte } })), `byte ${byte}`).toEqual(whole);
    },
    3_600_000,
  );

  test.each(['commit', 'committed'] as const)(
    'of a coordinator, at the %s of its orders or its records: each is there once',
    async (at) => {
      const { coordinator, lease, other, ask } = await scene({});
      await other.commit({
        facts: [],
        ends: [{ is: 'ended', lease, key: 'a', outcome: { is: 'done', live: {} } }],
        asks: [],
      });
      const run = `r${runs}`;
      // Every commit is cut once: the first, the third, the fifth.
      const odd = (moment: WireMoment): 'pass' | 'cut' =>
        moment.at === at && moment.commit % 2 === 1 ? 'cut' : 'pass';
      const proxy = await openPostgresProxy(url, { script: odd });
      const cut = await openEngine(proxy.url, { application: 'shotlist cut', connections: 1 });
      onTestFinished(async () => {
        await cut.close();
        await proxy.close();
      });
      const orderStore = cut.run(run).inTerm(ask.epoch);
      await repeated(() => orderStore.issue([issued('b', ask.epoch), issued('c', ask.epoch)]));
      const delivered = await other.fetch(10);
      expect(delivered.map(({ issued: order }) => order)).toEqual([
        issued('b', ask.epoch),
        issued('c', ask.epoch),
      ]);
      const fact = event('f1', failedTask);
      const facts = await repeated(() => orderStore.record([fact]));
      expect(facts).toEqual([at === 'commit' ? 'done' : 'known']);
      const records = await coordinator.records(0, 100);
      expect(records.map(({ is }) => is)).toEqual(['ended', 'event']);
    },
  );
});
