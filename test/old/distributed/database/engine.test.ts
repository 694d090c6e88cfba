// The database of an engine: the same suite over Postgres inside the process and over a real server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ask, Fact, Lease } from '../../../../src/distributed/database/batch.ts';
import {
  type CoordinatorStore,
  TermOver,
} from '../../../../src/distributed/database/coordinator-store.ts';
import { type EngineDatabase, engineOver } from '../../../../src/distributed/database/database.ts';
import type { Sql } from '../../../../src/distributed/database/sql.ts';
import { Ledger } from '../../../../src/model/ledger.ts';
import type { JobLine } from '../../../../src/model/line.ts';
import { jobSchema } from '../../../../src/model/line-schemas.ts';
import { connectToServer } from '../../../distributed/database/database.ts';
import { askOf, event, importOf, issued, jobLine } from '../../../distributed/database/orders.ts';
import { startPglite } from '../../../distributed/database/pglite.ts';
import { rowOf, rowsOf, totalsOf } from '../../../distributed/database/rows.ts';
import {
  abandoned,
  adopted,
  at,
  complete,
  created,
  deleted,
  doubted,
  errored,
  forgotten,
  intent,
  job,
  output,
  refused,
} from '../../../model/lines.ts';
import { isMissing } from '../../../programs.ts';
import { sampleOf } from '../../../sweep.ts';

const servers: readonly { readonly server: string; readonly start: () => Promise<Sql> }[] = [
  { server: 'PGlite', start: startPglite },
  { server: 'Postgres', start: connectToServer },
];

// PGlite stands in for a server where there is none; EVERY=1 tries both.
const tried = isMissing('postgres') ? servers.slice(0, 1) : sampleOf(servers, 2, 1);

describe.each(tried)('over $server', ({ start }) => {
  let sql: Sql;
  let engine: EngineDatabase;
  let runs = 0;

  beforeAll(async () => {
    sql = await start();
    engine = await engineOver(sql);
    await engine.migrate();
  });
  afterAll(async () => engine.close());

  const worker = { worker: 'w1', host: 'h1', places: 4 };

  async function begin(options: Parameters<typeof importOf>[1] = {}) {
    runs += 1;
    const run = `r${runs}`;
    await engine.import(importOf(run, options));
    await engine.setStage(run, 'open');
    const coordinator = await engine.run(run).acquire('c1', 10_000);
    if (coordinator === undefined) throw new Error('no term');
    return { run, coordinator, orderStore: engine.worker(run, worker) };
  }

  type Begun = Awaited<ReturnType<typeof begin>>;

  /** Issues an order of the job `a`, and fetches it. */
  async function delivered(
    { coordinator, orderStore }: Begun,
    job = 'a',
    key = job,
  ): Promise<Lease> {
    const one = issued(job, coordinator.epoch);
    await coordinator.issue([{ ...one, order: { ...one.order, key } }]);
    const [delivery] = await orderStore.fetch(1);
    if (delivery === undefined) throw new Error('nothing is due');
    return delivery.lease;
  }

  const ask = async ({ orderStore }: Begun, one: Ask) =>
    (await orderStore.commit({ facts: [], ends: [], asks: [one] })).claims[0];
  const write = async ({ orderStore }: Begun, ...facts: Fact[]) =>
    (await orderStore.commit({ facts, ends: [], asks: [] })).facts;

  async function linesOf(coordinator: CoordinatorStore): Promise<JobLine[]> {
    const lines: JobLine[] = [];
    for await (const group of coordinator.jobs()) lines.push(...group);
    return lines;
  }

  describe('a run', () => {
    test('is found as it was imported', async () => {
      const line = jobLine('old', {
        state: 'complete',
        project: 'p',
        credits: 3,
        name: 'n',
        reserve: 4,
      });
      const { run, coordinator } = await begin({ jobs: [line] });
      const { pipeline, service } = importOf(run).terms;
      const found = await engine.find(pipeline, service);
      expect(found).toMatchObject({
        terms: importOf(run).terms,
        stage: 'open',
        canary: 'canary',
      });
      expect(found?.coordinator?.name).toBe('c1');
      await coordinator.release();
      expect((await engine.find(pipeline, service))?.coordinator).toBeUndefined();
      const snapshot = await coordinator.snapshot();
      expect(snapshot).toEqual({
        header: importOf(run).header,
        runs: importOf(run).runs,
        tasks: [],
        seq: 0,
      });
      expect(await linesOf(coordinator)).toEqual([line]);
    });

    test('is not replaced while it is open', async () => {
      const { run } = await begin();
      const { terms, ...from } = importOf(run);
      const next = { ...from, terms: { ...terms, run: `${run}-again` } };
      await expect(engine.import(next)).rejects.toThrow('export it first');
      await engine.setStage(run, 'exported');
      await engine.import(next);
      const runs = (await engine.runs()).map((one) => one.terms.run);
      expect(runs).toContain(next.terms.run);
      expect(runs).not.toContain(run);
    });
  });

  describe('orders', () => {
    test('come as they were issued, and are renewed, parked and ended by their lease', async () => {
      const begun = await begin();
      const { coordinator, orderStore } = begun;
      await coordinator.issue([issued('a', coordinator.epoch)]);
      const [delivery] = await orderStore.fetch(10);
      expect(delivery?.issued).toEqual(issued('a', coordinator.epoch));
      expect(await coordinator.active()).toBe(1);
      const lease = delivery?.lease ?? { id: '', retry: 0 };
      expect(await orderStore.beat([lease], 1)).toEqual({
        lost: [],
        stopping: false,
        over: false,
      });
      const parked = {
        is: 'parked',
        lease,
        next: issued('a', coordinator.epoch),
        afterMs: 60_000,
      } as const;
      const first = await orderStore.commit({ facts: [], ends: [parked], asks: [] });
      expect(first.ends).toEqual([true]);
      const again = await orderStore.commit({ facts: [], ends: [parked], asks: [] });
      expect(again.ends).toEqual([true]);
      expect(await coordinator.facts()).toMatchObject({ queued: 0, parked: 1, active: 0 });
      expect(await orderStore.fetch(10)).toEqual([]);
      expect(await coordinator.takeQueued()).toEqual(['a']);
      expect(await coordinator.facts()).toMatchObject({ queued: 0, parked: 0, active: 0 });
    });

    test('end once for each lease', async () => {
      const begun = await begin();
      const lease = await delivered(begun);
      const end = { is: 'ended', lease, key: 'a', outcome: { is: 'done', live: {} } } as const;
      const ends = async () =>
        (await begun.orderStore.commit({ facts: [], ends: [end], asks: [] })).ends;
      expect(await ends()).toEqual([true]);
      expect(await ends()).toEqual([true]);
      const records = await begun.coordinator.records(0, 10);
      expect(records).toEqual([{ is: 'ended', key: 'a', seq: 1, by: 'w1', outcome: end.outcome }]);
    });

    test('are renewed and ended at the same time, in whatever order', async () => {
      const { coordinator, orderStore } = await begin();
      const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
      await coordinator.issue(keys.map((key) => issued(key, coordinator.epoch)));
      const leases = (await orderStore.fetch(200)).map(({ lease }) => lease);
      const outcome = { is: 'done', live: {} } as const;
      for (let start = 0; start < leases.length; start += 20) {
        const rest = leases.slice(start);
        await sql.query(`update shotlist_queue.job set heartbeat_on = now() - interval '5 s'`);
        const ends = rest
          .slice(0, 20)
          .map((lease) => ({ is: 'ended', lease, key: lease.id, outcome }) as const);
        const [ended] = await Promise.all([
          orderStore.commit({
            facts: [],
            ends: ends.toReversed(),
            asks: rest.slice(20).map((lease) => askOf(lease, lease.id, coordinator.epoch)),
          }),
          orderStore.beat(rest, rest.length),
          orderStore.beat(rest.toReversed(), rest.length),
        ]);
        expect(ended.ends).toEqual(ends.map(() => true));
      }
    });

    const silence = () =>
      sql.query(
        `update shotlist_queue.job set heartbeat_on = now() - interval '1 minute', start_after = now()`,
      );

    test('of a worker that was silent and fetched its order again are told apart', async () => {
      const begun = await begin();
      const { coordinator, orderStore } = begun;
      const old = await delivered(begun);
      await silence();
      await coordinator.supervise();
      await silence();
      const [next] = await orderStore.fetch(1);
      if (next === undefined) throw new Error('nothing is due');
      const { lease } = next;
      expect(lease).toEqual({ id: old.id, retry: 1 });
      expect(await orderStore.beat([old, lease], 2)).toMatchObject({ lost: [old] });
      const asks = [old, lease].map((one) => askOf(one, 'a', coordinator.epoch));
      const { claims } = await orderStore.commit({ facts: [], ends: [], asks });
      expect(claims).toEqual([{ is: 'stale' }, { is: 'go' }]);
      const outcome = { is: 'done', live: {} } as const;
      const rest = { ...issued('a', coordinator.epoch), seenMs: 1 };
      const ended = await orderStore.commit({
        facts: [],
        ends: [
          { is: 'ended', lease: old, key: 'a', outcome },
          { is: 'parked', lease: old, next: rest, afterMs: 0 },
          { is: 'ended', lease, key: 'a', outcome },
        ],
        asks: [],
      });
      expect(ended.ends).toEqual([false, false, true]);
      expect(await coordinator.facts()).toMatchObject({ queued: 0, parked: 0, active: 0 });
    });

    test('of a silent worker are delivered again, and given up after many deliveries', async () => {
      const begun = await begin();
      const lease = await delivered(begun);
      await silence();
      expect(await begun.coordinator.supervise()).toEqual([]);
      expect(await begun.orderStore.beat([lease], 1)).toMatchObject({ lost: [lease] });
      await silence();
      const [next] = await begun.orderStore.fetch(1);
      expect(next?.lease).toEqual({ id: lease.id, retry: 1 });
      const end = { is: 'ended', lease, key: 'a', outcome: { is: 'done', live: {} } } as const;
      expect(await begun.orderStore.commit({ facts: [], ends: [end], asks: [] })).toMatchObject({
        ends: [false],
      });
      expect(await ask(begun, askOf(lease, 'a', begun.coordinator.epoch))).toEqual({
        is: 'stale',
      });
      await sql.query('update shotlist_queue.job set retry_count = 20 where id = $1', [lease.id]);
      await silence();
      expect(await begun.coordinator.supervise()).toEqual(['a']);
      expect(await begun.coordinator.supervise()).toEqual([]);
    });
  });

  describe('a claim', () => {
    test('is given once for each name, and again to the lease that lost the answer', async () => {
      const begun = await begin();
      const lease = await delivered(begun);
      const one = askOf(lease, 'a', begun.coordinator.epoch);
      expect(await ask(begun, one)).toEqual({ is: 'go' });
      expect(await ask(begun, one)).toEqual({ is: 'go' });
      const other = await delivered(begun, 'a', 'again');
      expect(await ask(begun, { ...one, lease: other })).toMatchObject({
        is: 'exists',
        same: true,
        state: 'intended',
      });
      const [record, ...rest] = await begun.coordinator.records(0, 10);
      expect(record).toMatchObject({
        is: 'event',
        key: 'a',
        by: 'w1',
        seq: 1,
        event: one.intent,
      });
      expect(rest).toEqual([]);
    });

    test('of an earlier attempt is not given after a later one', async () => {
      const begun = await begin();
      let orders = 0;
      const claim = async (attempt: number) => {
        orders += 1;
        const lease = await delivered(begun, 'a', `order ${orders}`);
        return await ask(begun, askOf(lease, 'a', begun.coordinator.epoch, attempt));
      };
      for (const attempt of [1, 2]) {
        expect(await claim(attempt)).toEqual({ is: 'go' });
        const fact = event(`f${attempt}`, refused(), `a #${attempt}`);
        expect(await write(begun, fact)).toEqual(['done']);
      }
      expect(await claim(1)).toMatchObject({ is: 'exists', same: false, state: 'failed' });
    });

    const paid = [created(), complete(), output()];
    test.each([
      { what: 'is intended', facts: [], again: false },
      { what: 'is in doubt', facts: [doubted()], again: false },
      { what: 'is created', facts: [created()], again: false },
      { what: 'is complete', facts: [created(), complete()], again: false },
      { what: 'was deleted', facts: [...paid, deleted()], again: false, next: true },
      { what: 'was forgotten', facts: [...paid, forgotten()], again: false, next: true },
      { what: 'was refunded', facts: [created(), errored()], again: false, next: true },
      { what: 'was abandoned', facts: [doubted(), abandoned()], again: false, next: true },
      { what: 'was not taken', facts: [refused()], again: true },
    ])('of a number whose attempt $what is given: $again', async ({ facts, again, next }) => {
      const begun = await begin();
      const first = await delivered(begun);
      await ask(begun, askOf(first, 'a', begun.coordinator.epoch));
      const events = facts.map((one, index) => event(`f${index}`, one));
      expect(await write(begun, ...events)).toEqual(facts.map(() => 'done'));
      const under = async (attempt: number, name: string) => {
        const lease = await delivered(begun, 'a', name);
        const one = askOf(lease, 'a', begun.coordinator.epoch, attempt);
        const answer = await ask(begun, { ...one, intent: { ...one.intent, name } });
        return answer?.is === 'go' ? 'go' : answer;
      };
      expect(await under(3, 'too far')).toMatchObject({ is: 'exists', same: false });
      const reused = await under(1, 'another name');
      expect(reused).toEqual(again ? 'go' : expect.objectContaining({ is: 'exists', same: false }));
      if (again) return;
      const after = await under(2, 'the next one');
      expect(after).toEqual(
        next === true ? 'go' : expect.objectContaining({ is: 'exists', same: false }),
      );
    });

    test('is refused for a reason', async () => {
      const begun = await begin();
      const { coordinator, orderStore } = begun;
      const lease = await delivered(begun);
      const one = askOf(lease, 'a', begun.coordinator.epoch);
      expect(await ask(begun, { ...one, epoch: 0 })).toEqual({ is: 'stale' });
      await coordinator.close('why');
      expect(await ask(begun, one)).toEqual({ is: 'closed', why: 'why' });
      await coordinator.close(undefined);
      await coordinator.cap(9);
      expect(await ask(begun, one)).toEqual({ is: 'budget' });
      await coordinator.cap(10);
      await orderStore.slowDown(60_000);
      expect(await ask(begun, one)).toMatchObject({ is: 'wait' });
      await sql.query('update shotlist.run set throttled_until = null');
      expect(await ask(begun, { ...one, again: true })).toMatchObject({
        is: 'exists',
        same: false,
      });
      expect(await ask(begun, one)).toEqual({ is: 'go' });
      expect(await ask(begun, { ...one, again: true })).toEqual({ is: 'go' });
      await write(begun, event('f1', created('a', 12), 'a #1'));
      const other = await delivered(begun, 'b');
      await coordinator.cap(undefined);
      expect(await ask(begun, askOf(other, 'b', begun.coordinator.epoch))).toEqual({
        is: 'repriced',
      });
      expect(await ask(begun, { ...askOf(other, 'b', begun.coordinator.epoch), seen: 2 })).toEqual({
        is: 'go',
      });
    });
  });

  describe('facts', () => {
    test('count once, and only where the state of the job allows them', async () => {
      const begun = await begin();
      const lease = await delivered(begun);
      await ask(begun, askOf(lease, 'a', begun.coordinator.epoch));
      expect(await write(begun, event('f1', created(), 'a #1'))).toEqual(['done']);
      expect(await write(begun, event('f1', created(), 'a #1'))).toEqual(['known']);
      expect(await write(begun, event('f2', created(), 'a #1'))).toEqual(['known']);
      expect(await write(begun, event('f3', doubted(), 'a #1'))).toEqual(['refused']);
      expect(await write(begun, event('f4', complete(), 'a #0'))).toEqual(['refused']);
      expect(await write(begun, event('f5', complete(), 'a #1'), event('f6', output()))).toEqual([
        'done',
        'done',
      ]);
      expect(await write(begun, event('f7', complete(), 'a #1'))).toEqual(['known']);
      const records = await begun.coordinator.records(0, 100);
      expect(records.map(({ is }) => is)).toEqual([
        'event',
        'event',
        'refused',
        'refused',
        'event',
        'event',
      ]);
    });

    test('heal a doubt, but not what a person has said', async () => {
      const begun = await begin();
      for (const [name, person] of [
        ['a', false],
        ['b', true],
      ] as const) {
        const lease = await delivered(begun, name);
        await ask(begun, askOf(lease, name, begun.coordinator.epoch));
        expect(await write(begun, event(`${name}1`, doubted(name), `${name} #1`))).toEqual([
          'done',
        ]);
        if (person)
          expect(await begun.coordinator.record([event('p', refused(name))])).toEqual(['done']);
        expect(await write(begun, event(`${name}2`, created(name), `${name} #1`))).toEqual([
          person ? 'refused' : 'done',
        ]);
      }
    });

    test('are taken from a coordinator only in its term', async () => {
      const { coordinator } = await begin();
      expect(await coordinator.acquire('c2', 1000)).toBeUndefined();
      await coordinator.release();
      const next = await coordinator.acquire('c2', 1000);
      expect(next?.epoch).toBe(coordinator.epoch + 1);
      await expect(coordinator.renew(1000)).rejects.toThrow(TermOver);
      const fact = event('f', intent());
      await expect(coordinator.record([fact])).rejects.toBeInstanceOf(TermOver);
      await expect(coordinator.fold(await coordinator.snapshot(), [])).rejects.toBeInstanceOf(
        TermOver,
      );
      expect(await (next ?? coordinator).record([fact])).toEqual(['done']);
    });

    test('of adoptions leave the states, credits and pasts that the ledger says, whatever the job was before', async () => {
      const states = jobSchema.properties.state.enum;
      const lineOf = (of: string, state: JobLine['state']): JobLine => {
        const event = adopted(of, state, { name: 'known', credits: 7 });
        const { adopted: _, ...line } = event.event === 'adopted' ? event.line : jobLine(of);
        return { ...line, past: [{ name: 'old', project: 'old', credits: 5 }] };
      };
      const befores = [undefined, ...states].flatMap((before) =>
        [false, true].map((isAdopted) => ({ before, isAdopted })),
      );
      const cases = befores.flatMap(({ before, isAdopted }) =>
        states.flatMap((state) =>
          ['known', 'other'].map((name) => {
            const of = `${before} ${isAdopted} ${state} ${name}`;
            const mark = isAdopted ? { adopted: at } : {};
            const line = before === undefined ? undefined : { ...lineOf(of, before), ...mark };
            const past = [{ name: 'past', credits: 3, adopted: true as const }];
            return { line, event: adopted(of, state, { name, past }) };
          }),
        ),
      );
      const jobs = cases.flatMap(({ line }) => (line === undefined ? [] : [line]));
      const begun = await begin({ jobs });
      const facts = cases.map((one, index) => event(`f${index}`, one.event));
      const ledger = new Ledger();
      for (const line of importOf('').runs) ledger.apply({ type: 'run', line });
      for (const line of jobs) ledger.apply({ type: 'job', line });
      const before = ledger.total;
      const wanted = cases.map((one) => {
        const line = { ...one.event, at };
        const copy = new Ledger();
        if (one.line !== undefined) copy.apply({ type: 'job', line: one.line });
        const isLegal = copy.apply({ type: 'event', line }).ok;
        if (isLegal) ledger.apply({ type: 'event', line });
        return isLegal ? 'done' : 'refused';
      });
      expect(await begun.coordinator.record(facts)).toEqual(wanted);
      expect(ledger.total).toMatchObject({ charged: before.charged, refunded: before.refunded });
      const rows = new Set(await rowsOf(sql, begun.run));
      expect(rows).toEqual(new Set([...ledger.jobs()].map(rowOf)));
      expect(await totalsOf(sql, begun.run)).toEqual(ledger.total);
      // A refund of what was adopted gives this run nothing back.
      const refunds = [...ledger.jobs()]
        .filter(({ state, adopted: is }) => state === 'created' && is !== undefined)
        .map(({ job: of }, index) => {
          const refund = { event: 'settled', job: of, status: 'error', credits: 0 } as const;
          return event(`r${index}`, refund);
        });
      await begun.coordinator.record(refunds);
      expect(await totalsOf(sql, begun.run)).toEqual(ledger.total);
    });

    test('of begun attempts without an answer become doubts', async () => {
      const begun = await begin();
      const lease = await delivered(begun);
      await ask(begun, askOf(lease, 'a', begun.coordinator.epoch));
      await begun.coordinator.doubtIntended('nobody knows');
      await begun.coordinator.doubtIntended('nobody knows');
      expect(await begun.coordinator.records(1, 10)).toMatchObject([
        { is: 'event', event: { event: 'doubt', job: job('a'), why: 'nobody knows' } },
      ]);
    });
  });

  test('a fold replaces lines, and keeps the rest', async () => {
    const begun = await begin({ jobs: [jobLine('a'), jobLine('b')] });
    const { coordinator } = begun;
    const snapshot = { ...(await coordinator.snapshot()), seq: 0 };
    const changed = jobLine('b', { attempt: 7 });
    await coordinator.fold({ ...snapshot, seq: 5 }, [changed, jobLine('c')]);
    expect(await coordinator.snapshot()).toEqual({ ...snapshot, seq: 5 });
    const lines = await linesOf(coordinator);
    expect(new Set(lines)).toEqual(new Set([jobLine('a'), changed, jobLine('c')]));
  });

  test('turns are spread over the minute, for all workers', async () => {
    const { run, orderStore } = await begin();
    const first = await orderStore.turns(2, 60);
    const second = await engine.worker(run, { ...worker, worker: 'w2' }).turns(1, 60);
    expect(first[0]).toBe(0);
    expect(Number(first[1])).toBeGreaterThan(900);
    expect(Number(second[0])).toBeGreaterThan(1800);
  });

  test('the condition names the server and the version of the tables', async () => {
    const condition = await engine.condition();
    expect(condition.server).toContain('PostgreSQL');
    expect(condition.tables).toBe(condition.wanted);
    expect(condition.changedFrom).toBeUndefined();
    await engine.migrate();
    expect((await engine.condition()).tables).toBe(condition.wanted);
  });
});
