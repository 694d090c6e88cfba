// A distributed run keeps the promises of a local one: several workers, one record, and a state file that goes on anywhere.
// @module-tag postgres
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../src/base/json.ts';
import { dropEngine } from '../../src/features/engine/engine.ts';
import { exportState } from '../../src/features/engine/export.ts';
import { type WorkerEvent, workerWith } from '../../src/features/engine/worker.ts';
import { plan } from '../../src/features/plan/plan.ts';
import { run } from '../../src/features/run/run.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import type { MediaApi } from '../../src/run/jobs/ports.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { query } from '../postgres.ts';
import { bill, envOf, photoRig, type Rig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { spendingRig } from './spending.ts';

const state = 'photos.state.jsonl';

const loadedOf = async (rig: Rig) => {
  const loaded = await loadPipeline(rig.file);
  return loaded;
};

const linesIn = (rig: Rig): readonly JsonObject[] =>
  rig
    .read(state)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(isObject);

/** The mark of the move to a database. */
const awayOf = (rig: Rig): JsonObject | undefined =>
  rig.files('.').includes(state)
    ? linesIn(rig).find((line) => line['mark'] === 'away' && line['over'] === undefined)
    : undefined;

const isAway = (rig: Rig): boolean => awayOf(rig) !== undefined;

/** The job lines without what differs from run to run: dates, and what is made up for each attempt. */
const jobsOf = (rig: Rig): readonly unknown[] =>
  linesIn(rig)
    .filter((line) => 'job' in line)
    .map(withoutVarying);

const varying = ['at', 'read', 'name', 'of', 'run', 'project', 'result'];

function withoutVarying(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVarying);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !varying.includes(key));
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutVarying(field)]));
}

test('a run in parts, here, interrupted with workers and to its end with them, is charged once and leaves what one local run leaves', async () => {
  const [rig, plain] = [await photoRig(6), await photoRig(6)];
  const [local, other] = [await service(), await service()];
  const engine = await newEngine();
  await rig.run(local, { items: { limit: 2 } });
  const workers = [1, 2].map(() => startWorker(rig, local, engine, { jobs: 3 }));
  const stopper = new AbortController();
  const stopped = await resultOf(async () =>
    run(await loadedOf(rig), {
      ...{ engine, items: { limit: 4 }, env: envOf(local), signal: stopper.signal },
      onEvent: (event) => {
        if (event.type === 'task') stopper.abort();
      },
    }),
  );
  expect(stopped).toMatchObject({ ok: true, value: { summary: { outcome: 'interrupted' } } });
  // The record is back: a local run may go on now, and so may one with workers.
  expect(isAway(rig)).toBe(false);
  const shared = await rig.run(local, { items: { limit: 4 }, engine });
  expect(shared.summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
  expect(isAway(rig)).toBe(false);
  for (const worker of workers) await worker.stop();
  await rig.run(local);
  await plain.run(other);
  expect([...bill(local.ledger()).values()]).toEqual(Array.from({ length: 6 }, () => 10));
  expect(jobsOf(rig)).toEqual(jobsOf(plain));
  expect(rig.files('out')).toEqual(plain.files('out'));
  for (const file of rig.files('out'))
    expect(readFileSync(rig.path(`out/${file}`))).toEqual(readFileSync(plain.path(`out/${file}`)));
  const again = await rig.run(local, { engine });
  expect(again.summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
});

/** A coordinator that dies while the record is in the database. */
async function abandoned(items: number) {
  const rig = await photoRig(items);
  const local = await service();
  const engine = await newEngine();
  const coordinator = rig.start(['run', 'pipeline.yaml', '--engine', engine], envOf(local));
  const open = "select run from shotlist.run where stage = 'open'";
  await until('the record is away', async () => (await query(engine, open)).length > 0);
  coordinator.kill('SIGKILL');
  return { rig, local, engine, loaded: await loadedOf(rig), env: envOf(local) };
}

/** Another coordinator has the run, as after a long silence of the first one. */
async function takeTerm(engine: string): Promise<void> {
  const taking =
    "update shotlist.run set coordinator = 'other', epoch = epoch + 1 where epoch > 0 returning run";
  await until('the term is taken', async () => (await query(engine, taking)).length > 0);
}

/** The term of a coordinator that died lapses, as it does after a while. */
const lapse = (engine: string): Promise<unknown> =>
  query(engine, 'update shotlist.run set coordinator_until = now()');

test('a coordinator that was silent for too long stops, and leaves the record to the next one', async () => {
  const rig = await photoRig(2);
  const local = await service();
  const engine = await newEngine();
  const loaded = await loadedOf(rig);
  // Its refusal may come while the term is still being taken.
  const begun = resultOf(() => run(loaded, { engine, env: envOf(local) }));
  await until('the run is coordinated', () => isAway(rig));
  await takeTerm(engine);
  const ended = await begun;
  if (ended.ok) throw new Error('the run went on');
  expect(renderProblem(ended.error)).toContain('another coordinator has taken over');
  expect(isAway(rig)).toBe(true);
});

/** What a worker leaves that dies while it saves a result. */
function plantLeftover(rig: Rig): string {
  mkdirSync(rig.path('out'), { recursive: true });
  const file = rig.path(
    `out/.shotlist-${'0'.repeat(32)}-${String(awayOf(rig)?.['run']).slice(0, 8)}.part`,
  );
  writeFileSync(file, '');
  return file;
}

test('while the record is in the database, another coordinator takes over, and finishes what the first one began', async () => {
  const { rig, local, engine } = await abandoned(3);
  const leftover = plantLeftover(rig);
  startWorker(rig, local, engine);
  await lapse(engine);
  const { summary } = await rig.run(local, { engine });
  expect(summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
  expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
  expect(isAway(rig)).toBe(false);
  expect(existsSync(leftover)).toBe(false);
});

longTest(
  'while the record is in the database, nothing else uses the state file; another copy of the folder is told that it gets the record, and the first one can take it back',
  async () => {
    const { rig, local, engine, loaded, env } = await abandoned(2);
    const refusal = async (work: () => Promise<unknown>): Promise<string> => {
      const ended = await resultOf(work);
      return ended.ok ? 'it was not refused' : renderProblem(ended.error);
    };
    expect(await refusal(() => run(loaded, { env }))).toContain('shotlist export');
    expect(await refusal(() => plan(loaded, { env }))).toContain('--engine');
    await status(loaded, { engine });
    expect(await refusal(() => dropEngine(engine))).toContain('shotlist export');
    await lapse(engine);
    const copy = await photoRig(2);
    const worker = startWorker(copy, local, engine);
    const { summary, events } = await copy.run(local, { engine });
    expect(summary.outcome).toBe('done');
    expect(events).toContainEqual({
      type: 'warning',
      message: expect.stringContaining('began in another copy of this folder'),
    });
    expect(await refusal(() => run(loaded, { env, engine }))).toContain('--take-back');
    expect(await refusal(() => exportState(loaded, { engine }))).toContain('--take-back');
    // The copy is lost.
    await exportState(loaded, { engine, takeBack: true });
    expect(isAway(rig)).toBe(false);
    // But for the marks that say when the record was there.
    const lines = (one: Rig): readonly string[] =>
      one
        .read('photos.state.jsonl')
        .split('\n')
        .filter((line) => !line.startsWith('{"mark"'));
    expect(lines(rig)).toEqual(lines(copy));
    await rig.run(local);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10]);
    // A worker that looks for orders would miss the tables.
    await worker.stop();
    await dropEngine(engine);
  },
);

longTest('projects that render hold no worker', async () => {
  const rig = spendingRig({ items: 5 });
  const local = await service({ speed: 20 });
  const engine = await newEngine();
  const log: string[] = [];
  const api = (real: MediaApi): MediaApi => ({
    ...real,
    async create(tool, body, known) {
      log.push('create');
      return await real.create(tool, body, known);
    },
    async project(record, id) {
      const read = await real.project(record, id);
      if (read.ok) log.push(read.value.status);
      return read;
    },
  });
  startWorker(rig, local, engine, { jobs: 1 }, { api });
  // The first look is long after the project is over: a worker with one place that waited for it would create one by one.
  const { summary } = await rig.run(local, { engine, speedFactor: 4 });
  expect(summary).toMatchObject({ outcome: 'done', items: { done: 5 } });
  const before = log.slice(0, log.indexOf('complete'));
  expect(before.filter((what) => what === 'create').length).toBeGreaterThan(2);
});

test('a worker whose tables are dropped stops, and says how to make them again', async () => {
  const rig = await photoRig(1);
  const local = await service();
  const engine = await newEngine();
  const events: WorkerEvent[] = [];
  const options = { engine, root: rig.folder, env: envOf(local) };
  const ended = resultOf(() =>
    workerWith({ ...options, onEvent: (event) => void events.push(event) }, {}),
  );
  await until('the worker waits for a run', () => events.some(({ type }) => type === 'idle'));
  await dropEngine(engine);
  const stopped = await ended;
  if (stopped.ok) throw new Error('the worker was told to stop');
  expect(renderProblem(stopped.error)).toContain('make them: shotlist engine migrate');
});
