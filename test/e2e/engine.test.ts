// A distributed run keeps the promises of a local one: several workers, one record, and a state file that goes on anywhere.
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../src/contract/base/json.ts';
import { dropEngine } from '../../src/runner/operations/engine.ts';
import { exportState } from '../../src/runner/operations/export.ts';
import { loadPipeline } from '../../src/runner/operations/pipeline/load.ts';
import { renderProblem } from '../../src/runner/operations/pipeline/problem.ts';
import { plan } from '../../src/runner/operations/plan.ts';
import { run } from '../../src/runner/operations/run.ts';
import { status } from '../../src/runner/operations/status.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { bill, envOf, photoRig, type Rig, service, until } from '../rig.ts';

const state = 'photos.state.jsonl';

const loadedOf = async (rig: Rig) => {
  const loaded = await loadPipeline(rig.file);
  if (!loaded.ok) throw new Error(renderProblem(loaded.error));
  return loaded.value;
};

const headerOf = (rig: Rig): unknown => JSON.parse(rig.read(state).split('\n')[0] ?? '');

const isAway = (rig: Rig): boolean => {
  const header = rig.files('.').includes(state) ? headerOf(rig) : undefined;
  return isObject(header) && 'away' in header;
};

/** The job lines without what differs from run to run: dates, and what is made up for each attempt. */
function jobsOf(rig: Rig): readonly unknown[] {
  const lines: readonly unknown[] = rig
    .read(state)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const varying = ['at', 'name', 'project', 'expires', 'sender', 'result'];
  return lines
    .filter(isObject)
    .filter((line) => 'job' in line)
    .map((line) =>
      Object.fromEntries(Object.entries(line).filter(([key]) => !varying.includes(key))),
    );
}

test('a run in parts, here and with workers, is charged once and leaves what one local run leaves', async () => {
  const [rig, plain] = [await photoRig(12), await photoRig(12)];
  const [local, other] = [await service(), await service()];
  const engine = await newEngine();
  await rig.run(local, { items: { limit: 4 } });
  const workers = [1, 2].map(() => startWorker(rig, local, engine, { jobs: 3 }));
  const shared = await rig.run(local, { items: { limit: 8 }, engine });
  expect(shared.summary).toMatchObject({
    ...{ outcome: 'done', items: { done: 8 }, credits: { charged: 40 } },
  });
  expect(isAway(rig)).toBe(false);
  for (const worker of workers) await worker.stop();
  await rig.run(local);
  await plain.run(other);
  expect([...bill(local.ledger()).values()]).toEqual(Array.from({ length: 12 }, () => 10));
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
  await until('the record is away', () => isAway(rig));
  coordinator.kill('SIGKILL');
  return { rig, local, engine, loaded: await loadedOf(rig), env: envOf(local) };
}

/** The term of a coordinator that died lapses, as it does after a while. */
async function lapse(engine: string): Promise<void> {
  const client = new Client({ connectionString: engine });
  await client.connect();
  await client.query('update shotlist.run set coordinator_until = now()');
  await client.end();
}

describe('while the record is in the database', () => {
  test('nothing else uses the state file, and an export brings the record back', async () => {
    const { rig, local, engine, loaded, env } = await abandoned(2);
    const refused = await run(loaded, { env });
    if (refused.ok) throw new Error('a run used the state file');
    expect(renderProblem(refused.error)).toContain('shotlist export');
    const planned = await plan(loaded, { env });
    expect(planned.ok && planned.value.warnings.join()).toContain('--engine');
    expect(await status(loaded, { engine })).toMatchObject({ ok: true });
    const dropped = await dropEngine(engine);
    expect(!dropped.ok && renderProblem(dropped.error)).toContain('shotlist export');
    await lapse(engine);
    expect(await exportState(loaded, { engine })).toMatchObject({ ok: true });
    expect(isAway(rig)).toBe(false);
    expect((await rig.run(local)).summary.outcome).toBe('done');
    expect(await dropEngine(engine)).toMatchObject({ ok: true });
  });

  test('another coordinator takes over, and finishes what the first one began', async () => {
    const { rig, local, engine } = await abandoned(3);
    startWorker(rig, local, engine);
    await lapse(engine);
    const { summary } = await rig.run(local, { engine });
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
    expect(isAway(rig)).toBe(false);
  });
});
