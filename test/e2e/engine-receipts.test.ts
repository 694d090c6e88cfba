// Distributed runs and the receipts: the coordinator asks them before it orders anything, and they outlive the state file,
// the database and the coordinator.
// @module-tag postgres
import { readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exportState } from '../../src/features/engine/export.ts';
import { run } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import { parseLine } from '../../src/model/record/line.ts';
import type { MediaApi } from '../../src/run/jobs/ports.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { query } from '../postgres.ts';
import { bill, envOf, photoRig, Rig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { ledgerSums, speech, spendingRig } from './spending.ts';

const loadedOf = async (rig: Rig) => {
  const loaded = await loadPipeline(rig.file);
  return loaded;
};

/** The state and the mark of each paid attempt. */
const paidJobs = (rig: Rig, name = 'photos'): readonly string[] =>
  rig
    .read(`${name}.state.jsonl`)
    .split('\n')
    .flatMap((text) => {
      const line = parseLine(text);
      return line.ok && 'job' in line.value ? line.value.attempts : [];
    })
    .map(({ state, adopted }) => `${state}${adopted ? ', adopted' : ''}`);

const lose = (rig: Rig, name = 'photos'): void => rmSync(rig.path(`${name}.state.jsonl`));

longTest(
  'a state file that is lost after a distributed run is made up for by the next run, distributed or not',
  async () => {
    const rig = await photoRig(2);
    const local = await service();
    const [engine, other] = [await newEngine(), await newEngine()];
    startWorker(rig, local, engine);
    await rig.run(local, { engine });
    const paid = [10, 10];
    expect([...bill(local.ledger()).values()]).toEqual(paid);
    const files = rig.files('out');

    lose(rig);
    // The database of the last run knows more than a state file that is not there.
    const refused = await resultOf(async () =>
      run(await loadedOf(rig), { engine, env: envOf(local) }),
    );
    expect(!refused.ok && renderProblem(refused.error)).toContain('older than the last run');
    startWorker(rig, local, other);
    // A database takes what was paid for over; a state file gets its own back.
    for (const [next, state] of [
      [{ engine: other }, 'deleted, adopted'],
      [{}, 'deleted'],
    ] as const) {
      const { summary } = await rig.run(local, next);
      expect(summary).toMatchObject({
        ...{ outcome: 'done', items: { done: 2 }, credits: { charged: 0, refunded: 0 } },
      });
      expect(paidJobs(rig)).toEqual(Array(2).fill(state));
      expect(rig.files('out')).toEqual(files);
      lose(rig);
    }
    expect([...bill(local.ledger()).values()]).toEqual(paid);
  },
);

longTest(
  'what a local run paid for elsewhere on this machine is adopted by a distributed run, and stays so in both records',
  async () => {
    const [first, rig] = [await photoRig(2), await photoRig(2)];
    const local = await service();
    await first.run(local);
    const engine = await newEngine();
    startWorker(rig, local, engine);
    const { summary } = await rig.run(local, { engine });
    // The projects are deleted. The workers cannot see the other folder, so the coordinator copies its files.
    expect(summary).toMatchObject({
      ...{ outcome: 'done', items: { done: 2 }, credits: { charged: 0, refunded: 0, reserved: 0 } },
    });
    expect(rig.files('out')).toEqual(first.files('out'));
    for (const file of rig.files('out'))
      expect(readFileSync(rig.path(`out/${file}`))).toEqual(
        readFileSync(first.path(`out/${file}`)),
      );
    // Each stay in a database leaves a mark.
    const jobs = (): readonly string[] =>
      rig
        .read('photos.state.jsonl')
        .split('\n')
        .filter((line) => line.startsWith('{"job"'));
    const before = jobs();
    expect(paidJobs(rig)).toEqual(Array(2).fill('deleted, adopted'));
    for (const next of [{}, { engine }]) {
      expect((await rig.run(local, next)).summary.credits.charged).toBe(0);
      expect(paidJobs(rig)).toEqual(Array(2).fill('deleted, adopted'));
    }
    const back = await resultOf(async () =>
      exportState(await loadedOf(rig), { engine, takeBack: true }),
    );
    expect(back).toMatchObject({ ok: true });
    expect(jobs()).toEqual(before);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
  },
);

/** A coordinator in a process of its own has ordered everything. */
async function ordering(items: number) {
  const rig = spendingRig({ items });
  const local = await service({ seed: 3 });
  const engine = await newEngine();
  const coordinator = rig.start(
    ['run', 'pipeline.yaml', '--yes', '--engine', engine],
    envOf(local),
  );
  const queued =
    "select count(*)::int as n from shotlist_queue.job where data::text like '%create%'";
  await until('all is ordered', async () => {
    const open = await query(engine, "select to_regclass('shotlist_queue.job') is not null as is");
    return open[0]?.['is'] === true && (await query(engine, queued))[0]?.['n'] === items;
  });
  /** The term of the coordinator lapses, as it does after a while. Later workers look at projects sooner. */
  const kill = async (): Promise<void> => {
    coordinator.kill('SIGKILL');
    const others = 'datname = current_database() and pid <> pg_backend_pid()';
    const alive = `select from pg_stat_activity where ${others}`;
    await until('it is gone', async () => (await query(engine, alive)).length === 0);
    await query(
      engine,
      `update shotlist.run set coordinator_until = now();
       update shotlist.terms set options = regexp_replace(options, '"speedFactor":1\\M', '"speedFactor":1000')`,
    );
  };
  return { rig, local, engine, coordinator, kill };
}

longTest(
  'what workers do after their coordinator was killed is in the receipts when the record comes back',
  async () => {
    const { rig, local, engine, kill } = await ordering(4);
    await kill();
    const worker = startWorker(rig, local, engine);
    const paid = 'select count(*)::int as n from shotlist.job where project is not null';
    await until('all is paid', async () => (await query(engine, paid))[0]?.['n'] === 4);
    await worker.stop();
    const env = envOf(local);
    await exportState(await loadedOf(rig), { engine, env });
    lose(rig, 'spending');
    const next = await newEngine();
    startWorker(rig, local, next);
    const { summary } = await rig.run(local, { engine: next });
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(paidJobs(rig, 'spending')).toEqual(Array(4).fill('complete, adopted'));
    expect(ledgerSums(local)).toMatchObject({ creations: 4, net: 40 });
  },
);

test('what a killed coordinator had ordered, and no worker has begun, is bought once by the next one', async () => {
  const { rig, local, engine, kill } = await ordering(4);
  await kill();
  const running = rig.run(local, { engine });
  const orders = `select count(*)::int as n from shotlist_queue.job where data::text ~ 'epoch[^a-z0-9]+2'`;
  await until('all is ordered again', async () => (await query(engine, orders))[0]?.['n'] === 4);
  startWorker(rig, local, engine);
  const { summary } = await running;
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 40, reserved: 0 } });
  expect(ledgerSums(local)).toMatchObject({ creations: 4, net: 40 });
  lose(rig, 'spending');
  expect((await rig.run(local)).summary.credits).toMatchObject({ charged: 0, reserved: 0 });
});

longTest(
  'a state file and a database that are lost with the coordinator leave nothing that is bought again',
  async () => {
    const { rig, local, engine, coordinator } = await ordering(4);
    let creations = 0;
    const api = (real: MediaApi): MediaApi => ({
      ...real,
      async create(tool, body, known) {
        creations += 1;
        if (creations === 2) coordinator.kill('SIGKILL');
        return await real.create(tool, body, known);
      },
    });
    const worker = startWorker(rig, local, engine, { jobs: 1 }, { api });
    await until('all is sent', () => creations === 4);
    await worker.stop();
    lose(rig, 'spending');
    const { summary } = await rig.run(local);
    // What the coordinator still heard of is adopted; the rest may be paid, and nobody knows.
    expect(summary.credits.charged).toBe(0);
    expect(ledgerSums(local)).toMatchObject({ creations: 4, net: 40 });
  },
);

const words = (from: number): Rig => {
  const all = Array.from({ length: 4 }, (_, index) => `w${from + index}`.padEnd(100, 'o'));
  return new Rig(
    `pipeline: words${from}\nitems: { values: [${all.join(', ')}] }\nsteps:\n${speech}`,
  );
};

test.each([
  { one: 'distributed', other: 'distributed' },
  { one: 'distributed', other: 'local' },
])(
  'two runs at the same time, $one and $other, pay once for what they have in common',
  async ({ other }) => {
    const local = await service({ seed: 5, credits: 10_000 });
    const rigs = [words(0), words(2)];
    const told = await Promise.all(
      rigs.map(async (rig, index) => {
        const engine = index === 0 || other === 'distributed' ? await newEngine() : undefined;
        if (engine !== undefined) startWorker(rig, local, engine, { jobs: 3 });
        return await rig.run(local, engine === undefined ? {} : { engine });
      }),
    );
    expect(told.map(({ summary }) => summary.outcome)).toEqual(['done', 'done']);
    expect(ledgerSums(local)).toMatchObject({ creations: 6, net: 60 });
    const charged = told.map(({ summary }) => summary.credits.charged);
    expect(charged.reduce((sum, credits) => sum + credits)).toBe(60);
  },
);
