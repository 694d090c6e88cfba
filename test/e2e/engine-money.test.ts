// Money in a distributed run: one budget for all workers, and nothing that was lost is paid twice.
// @module-tag postgres
import { describe, expect, test } from 'vitest';
import { err } from '../../src/base/result.ts';
import { resolve } from '../../src/features/resolve/resolve.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import type { MediaApi } from '../../src/run/jobs/ports.ts';
import { newEngine, startWorker } from '../engine-rig.ts';
import { envOf, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';
import { ledgerSums, spendingRig } from './spending.ts';

describe('a budget of 200 credits for four workers', () => {
  const workers = 4;
  const jobs = 3;

  async function spree(faults: NonNullable<Parameters<typeof service>[0]>['faults']) {
    const local = await service({ seed: 3, credits: 100_000, ...(faults && { faults }) });
    const rig = spendingRig({ items: 30, window: 24, more: 'budget: { credits: 200 }' });
    const engine = await newEngine();
    for (let number = 0; number < workers; number++) startWorker(rig, local, engine, { jobs });
    const told = await rig.run(local, { engine, speedFactor: 2000 });
    return { local, told };
  }

  test('is used up and never exceeded', async () => {
    const { local, told } = await spree(undefined);
    expect(told.summary.outcome).toBe('budget');
    expect(ledgerSums(local)).toMatchObject({ most: 200, creations: 20 });
  });

  longTest('is exceeded only by what was on the wire when prices doubled midway', async () => {
    const dear = { fault: 'surcharge', percent: 100, when: 'before', skip: 10 } as const;
    const { local, told } = await spree({ faults: [dear] });
    const { most, creations } = ledgerSums(local);
    // 10 creations at 10 credits. Then at most one on the wire of each place was expected to cost 10, and cost 20.
    const surprises = workers * jobs;
    expect(most).toBeLessThanOrEqual(200 + 10 * surprises);
    expect(creations).toBeGreaterThan(10);
    const { charged, reserved } = told.summary.credits;
    expect([charged, reserved]).toEqual([ledgerSums(local).net, 0]);
    expect(told.summary.outcome).toBe('budget');
  });
});

longTest(
  'a creation in doubt is resolved while the run goes on, and its task is finished by the same run',
  async () => {
    const local = await service({ seed: 3 });
    const rig = spendingRig({ items: 3, window: 3 });
    const engine = await newEngine();
    const gate = Promise.withResolvers<void>();
    let creations = 0;
    // The answer to the first creation is lost; the others wait, so that the run stays open.
    const api = (real: MediaApi): MediaApi => ({
      ...real,
      async create(tool, body, known) {
        creations += 1;
        if (creations > 1) await gate.promise;
        const lost = creations === 1;
        const made = await real.create(tool, body, known);
        return lost ? err({ reason: 'unanswered', message: 'cut' }) : made;
      },
    });
    startWorker(rig, local, engine, {}, { api });
    const running = rig.run(local, { engine });
    const loaded = await loadPipeline(rig.file);
    const doubts = async () => {
      const seen = await resultOf(() => status(loaded, { engine }));
      return seen.ok ? seen.value.doubts.flatMap(({ tasks }) => tasks) : [];
    };
    await until('the creation is in doubt', async () => (await doubts()).length === 1);
    const [task = ''] = await doubts();
    const project = local.ledger().find(({ kind }) => kind === 'charge')?.project ?? '';
    const resolution = { how: 'project', project } as const;
    const env = envOf(local);
    const resolved = await resultOf(() =>
      resolve(loaded, task, resolution, {
        engine,
        env,
        service: local.address,
      }),
    );
    expect(resolved).toMatchObject({ ok: true, value: { project } });
    gate.resolve();
    const { summary } = await running;
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 30, reserved: 0 } });
    expect(ledgerSums(local)).toMatchObject({ creations: 3, net: 30 });
    const late = await resultOf(() => resolve(loaded, task, { how: 'not-charged' }, { engine }));
    expect(!late.ok && renderProblem(late.error)).toContain('omit --engine');
  },
);
