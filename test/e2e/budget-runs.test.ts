// One budget over several runs: those that share a --run-id, and one that was interrupted and goes on.
import { expect, test } from 'vitest';
import type { RunInternals, RunOptions } from '../../src/features/run/run.ts';
import type { LocalService } from '../../src/service/start.ts';
import { ended, envOf, type Rig, service, type Told, until } from '../rig.ts';
import { gate, ledgerSums, speech, spendingRig } from './spending.ts';

const budgeted = (credits: number, window = 8): Rig =>
  spendingRig({ items: 60, window, more: `budget: { credits: ${credits} }` });

/** Runs until so many creations were answered, then is interrupted. */
async function interruptedAfter(
  creations: number,
  [rig, local, options]: readonly [Rig, LocalService, RunOptions?],
): Promise<Told> {
  const controller = new AbortController();
  let answered = 0;
  const internals: RunInternals = {
    api: (api) => ({
      ...api,
      async create(tool, body, known) {
        const made = await api.create(tool, body, known);
        answered += 1;
        if (answered === creations) controller.abort();
        return made;
      },
    }),
  };
  const told = await rig.run(local, { ...options, signal: controller.signal }, internals);
  expect(told.summary.outcome).toBe('interrupted');
  return told;
}

test('runs of one --run-id never charge more than the budget together, interrupted and killed or not; another id has one of its own', async () => {
  const faults = {
    faults: [{ fault: 'job-error', code: 'no_source_face', probability: 0.2 } as const],
  };
  const local = await service({ seed: 5, credits: 100_000, faults });
  const rig = budgeted(200);
  const nightly = { runId: 'nightly' };

  await interruptedAfter(6, [rig, local, nightly]);
  const first = ledgerSums(local);
  expect(first.creations).toBeGreaterThanOrEqual(6);
  expect(first.most).toBeLessThan(200);

  const child = rig.start(['run', 'pipeline.yaml', '--run-id', 'nightly'], envOf(local));
  const dead = ended(child);
  await until('it has bought more', () => ledgerSums(local).creations >= first.creations + 2);
  child.kill('SIGKILL');
  await dead;

  const { summary } = await rig.run(local, nightly);
  const sums = ledgerSums(local);
  expect(sums.most).toBeLessThanOrEqual(200);
  // What the kill left in doubt is set aside, as if it had been paid: it may have been.
  expect(sums.net + summary.credits.reserved).toBeGreaterThan(190);
  expect(summary.outcome).toBe(summary.tasks.doubt > 0 ? 'doubt' : 'budget');
  expect(summary.tasks.doubt).toBeLessThanOrEqual(8);

  expect((await rig.run(local, nightly)).summary.credits.charged).toBe(0);

  const weekly = await rig.run(local, { runId: 'weekly' });
  const { charged, refunded, reserved } = weekly.summary.credits;
  expect(charged - refunded + reserved).toBeGreaterThan(190);
  expect(charged - refunded + reserved).toBeLessThanOrEqual(200);
});

test('what is given back of another id’s charges makes no room in a budget', async () => {
  const failing = { fault: 'job-error', code: 'no_source_face', count: 6 } as const;
  const works = gate();
  const options = { ...works.options, credits: 100_000 };
  const local = await service({ ...options, faults: { faults: [failing] } });
  const rig = budgeted(100, 6);
  const { summary } = await interruptedAfter(6, [rig, local, { runId: 'one' }]);
  expect(summary.credits).toEqual({ charged: 60, refunded: 0, reserved: 0 });
  works.open();
  const second = await rig.run(local, { runId: 'two' });
  expect(second.summary.credits).toEqual({ charged: 100, refunded: 60, reserved: 0 });
});

test('without --run-id an interrupted run goes on under its own number and budget, and one that ended does not', async () => {
  const local = await service({ credits: 100_000 });
  const rig = budgeted(100, 4);
  await interruptedAfter(5, [rig, local]);
  const { summary } = await rig.run(local);
  expect(summary.outcome).toBe('budget');
  expect(ledgerSums(local)).toMatchObject({ most: 100, net: 100, creations: 10 });
  const runs = (): readonly string[] =>
    rig
      .read('spending.state.jsonl')
      .split('\n')
      .filter((line) => line.startsWith('{"run"'));
  expect(runs()).toEqual([expect.stringContaining('"run":1')]);

  await rig.run(local);
  expect(ledgerSums(local)).toMatchObject({ most: 200, net: 200 });
  expect(runs()).toHaveLength(2);
});

test('a charge that became less later is expected in full again by the next run of one --run-id', async () => {
  const faults = { faults: [{ fault: 'surcharge', percent: -50, when: 'after' } as const] };
  const local = await service({ credits: 100_000, faults });
  const rig = budgeted(70);
  const nightly = { runId: 'nightly' };
  const { summary } = await rig.run(local, { ...nightly, items: { limit: 4 } });
  expect(summary.credits).toEqual({ charged: 40, refunded: 20, reserved: 0 });
  // 50 credits are left: at 5 each the whole window of 8 would be sent, and 80 charged.
  await rig.run(local, nightly);
  expect(ledgerSums(local).most).toBeLessThanOrEqual(70);
  expect(ledgerSums(local).net).toBeGreaterThan(60);
});

test('an addition to what an interrupted run had bought is said by the run that hears of it, and counted once', async () => {
  const faults = { faults: [{ fault: 'surcharge', percent: 20, when: 'after' } as const] };
  const works = gate();
  const local = await service({ ...works.options, credits: 100_000, faults });
  // An item may cost what the first step does in the end, and the second: 12 and 12.
  const rig = spendingRig({
    ...{ items: 3, window: 3, more: 'budget: { credits: 100, per_item: 24 }' },
    steps: `${speech}${speech.replace('speech', 'again').replace('Elon', 'Mo')}    needs: [speech]\n`,
  });
  await interruptedAfter(3, [rig, local]);
  works.open();
  const { events, summary } = await rig.run(local);
  const said = events.flatMap((one) =>
    one.type === 'warning' && one.message.includes('the service added 2 credits')
      ? [one.message.replace(/: the service.*/, '')]
      : [],
  );
  expect(said.sort()).toEqual([
    'again:1',
    'again:2',
    'again:3',
    'speech:1',
    'speech:2',
    'speech:3',
  ]);
  expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 42, refunded: 0 } });
  expect(ledgerSums(local)).toMatchObject({ net: 72, creations: 6 });
});
