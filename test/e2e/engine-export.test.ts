// The end of a distributed run moves its record back to the state file. Wherever that is disturbed or stopped, nothing is
// lost, and exactly one of the database and the file is the record.
// @module-tag postgres
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { DatabaseAway } from '../../src/distributed/away.ts';
import { coordinate } from '../../src/distributed/coordinate.ts';
import type { Fact } from '../../src/distributed/database/batch.ts';
import {
  type CoordinatorStore,
  TermOver,
} from '../../src/distributed/database/coordinator-store.ts';
import { RunGone } from '../../src/distributed/database/worker-store.ts';
import { EngineFile } from '../../src/distributed/engine-file.ts';
import { termsOf } from '../../src/distributed/terms.ts';
import { forget } from '../../src/features/forget/forget.ts';
import { boundPipeline } from '../../src/language/load/bound-pipeline.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { Ledger as Record } from '../../src/model/record/ledger.ts';
import { realClock } from '../../src/run/clock.ts';
import type { Clock } from '../../src/run/jobs/ports.ts';
import { JournalWriter } from '../../src/run/journal-writer.ts';
import { loadRecord } from '../../src/state/load-record.ts';
import { pathsOf } from '../../src/state/run-paths.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { query } from '../postgres.ts';
import { bill, envOf, photoRig, type Rig, service } from '../rig.ts';
import { longTest, sampleOf } from '../sweep.ts';

/** Pauses are short. */
const clock: Clock = {
  ...realClock,
  sleep: (ms, signal) => realClock.sleep(Math.min(ms, 5), signal),
};

const recordOf = async (rig: Rig): Promise<Record> => {
  const loaded = await loadRecord(rig.path('photos.state.jsonl'));
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value.ledger;
};

const isAway = async (rig: Rig): Promise<boolean> =>
  (await recordOf(rig)).marks().some(({ mark }) => mark === 'away');

/** Between the coordinator and each call of its order store. */
type Meddle = (call: string, work: () => Promise<unknown>) => Promise<unknown>;

function meddled(orderStore: CoordinatorStore, meddle: Meddle): CoordinatorStore {
  return new Proxy(orderStore, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      // A stream of lines is read before the end of a run.
      if (name === 'jobs') return method.bind(target);
      return (...args: unknown[]) =>
        meddle(String(name), async () => await Reflect.apply(method, target, args));
    },
  });
}

/** One of two photos is done, and a coordinator has nothing more to do. */
async function ending(meddle: Meddle) {
  const rig = await photoRig(2);
  const local = await service();
  const url = await newEngine();
  await rig.run(local, { items: { limit: 1 } });
  const loaded = await loadPipeline(rig.file);
  const bound = boundPipeline(loaded);
  const target = { kind: 'hosted', address: local.address, key: local.key } as const;
  const paths = pathsOf(bound, target, {});
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const terms = termsOf(bound, paths, { speedFactor: 1, backoffMs: 1 });
  const begun = await coordinate(bound, paths, url, { clock, onWarning, terms });
  const { session } = begun;
  onTestFinished(() => begun[Symbol.asyncDispose]());
  const orderStore = meddled(session.orderStore, meddle);
  const file = new EngineFile({
    ...{ session: { ...session, orderStore }, bound, paths, clock, onWarning, watch: undefined },
  });
  file.begin(new JournalWriter(session.ledger, file, clock));
  const { database } = session.engine;
  const { run } = session.run.terms;
  const worker = database.worker(run, { worker: 'w', host: 'h', places: 1 });
  const says = (fact: Fact) => worker.commit({ facts: [fact], ends: [], asks: [] });
  const stage = async () => (await database.runs()).map((one) => one.stage)[0];
  const takeOver = () => change(url, `coordinator = 'other', epoch = epoch + 1`);
  const finish = async () => {
    // The coordinator that died is silent.
    await change(url, 'coordinator_until = null');
    startWorker(rig, local, url);
    const { summary } = await rig.run(local, { engine: url });
    return { outcome: summary.outcome, bill: [...bill(local.ledger()).values()] };
  };
  return { rig, file, warnings, says, stage, takeOver, finish };
}

const change = (url: string, what: string): Promise<unknown> =>
  query(url, `update shotlist.run set ${what}`);

const failed: Fact = {
  ...{ is: 'event', id: 'late', key: '' },
  event: { event: 'failed', task: 'save:p2', why: 'a worker said so late' },
};

test('a database that goes away at every call of the export is waited for, and said once', async () => {
  const calls = new Map<string, number>();
  const { rig, file, stage, warnings } = await ending(async (call, work) => {
    const times = (calls.get(call) ?? 0) + 1;
    calls.set(call, times);
    if (times === 1) throw new DatabaseAway('before it took effect');
    const answer = await work();
    if (times === 2) throw new DatabaseAway('after it took effect');
    return answer;
  });
  expect(await file.writeWhole()).toEqual({ ok: true, value: undefined });
  await file.close();
  expect([await isAway(rig), await stage()]).toEqual([false, 'exported']);
  for (const call of ['active', 'records', 'fold', 'seal', 'handOver'])
    expect(calls.get(call), call).toBeGreaterThan(2);
  expect(warnings).toEqual([expect.stringContaining('is away: waiting for it')]);
});

// What is after the fold is before the seal: between them, only the state file is locked.
const deaths = [
  ['fold', 'before'],
  ['seal', 'before'],
  ['seal', 'after'],
  ['handOver', 'before'],
  ['handOver', 'after'],
] as const;

test.each(sampleOf(deaths, 4, 3))(
  'a coordinator that dies at %s %s it took effect leaves one record',
  async (moment, when) => {
    const { file, rig, finish } = await ending(async (call, work) => {
      if (call === moment && when === 'after') await work();
      if (call === moment) throw new Error('died');
      return await work();
    });
    await expect(file.writeWhole()).rejects.toThrow('died');
    await file.close();
    // The file is written between the two.
    expect(await isAway(rig)).toBe(moment !== 'handOver');
    expect(await finish()).toEqual({ outcome: 'done', bill: [10, 10] });
    expect(await isAway(rig)).toBe(false);
  },
);

longTest(
  'what a worker records while the record is moved is in the state file, or the worker hears that it is not',
  async () => {
    const answers: unknown[] = [];
    const world = await ending(async (call, work) => {
      const answer = await work();
      if (call === 'fold' && answers.length === 0) answers.push((await world.says(failed)).facts);
      if (call === 'seal' && answer === true)
        await expect(world.says({ ...failed, id: 'later' })).rejects.toThrow(RunGone);
      return answer;
    });
    expect(await world.file.writeWhole()).toMatchObject({ ok: true });
    await world.file.close();
    expect(answers).toEqual([['done']]);
    expect(world.rig.read('photos.state.jsonl')).toContain('a worker said so late');
  },
);

const terms = [
  { moment: 'seal', stage: 'open' },
  { moment: 'handOver', stage: 'importing' },
] as const;

test.each(sampleOf(terms, 2, 1))(
  'a coordinator whose term is over at $moment leaves the record to the next one',
  async (now) => {
    const world = await ending(async (call, work) => {
      if (call === now.moment) await world.takeOver();
      return await work();
    });
    await expect(world.file.writeWhole()).rejects.toThrow(TermOver);
    await world.file.close();
    expect([await isAway(world.rig), await world.stage()]).toEqual([true, now.stage]);
    expect(await world.finish()).toEqual({ outcome: 'done', bill: [10, 10] });
  },
);

test('the record keeps what it knew before a database had it: who sent an attempt, and when', async () => {
  const rig = await photoRig(1);
  const local = await service();
  await rig.run(local);
  const task = { by: 'task', task: 'swap:p1.png' } as const;
  await forget(await loadPipeline(rig.file), task, { env: envOf(local) });
  await rig.run(local);
  const sent = (record: Record) =>
    [...record.own()].map(({ name, run, at }) => ({ name, run, at }));
  const before = sent(await recordOf(rig));
  const engine = await newEngine();
  startWorker(rig, local, engine);
  rmSync(rig.path('out/p1.png'));
  await rig.run(local, { engine, payAgain: true });
  const record = await recordOf(rig);
  expect(before).toHaveLength(2);
  expect(sent(record)).toEqual(expect.arrayContaining(before));
  expect(sent(record)).toHaveLength(3);
  expect([record.missing(), record.paidTwice()]).toEqual([[], []]);
  // The run of the database says of its creations, too.
  expect(record.runs().map(({ creations }) => creations)).toEqual([1, 1, 1]);
});
