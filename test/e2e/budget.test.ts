// Promise 3: the budget is a hard cap. The service's own ledger is looked at after every entry.
import { describe, expect, test } from 'vitest';
import type { RunInternals } from '../../src/features/run/run.ts';
import type { FaultRule } from '../../src/service/faults/schema.ts';
import type { LocalService } from '../../src/service/start.ts';
import { type Rig, service, type Told } from '../rig.ts';
import { ledgerSums, spendingRig, spread } from './spending.ts';

const window = 32;
const refunds: readonly FaultRule[] = [
  { fault: 'job-error', code: 'no_source_face', probability: 0.1 },
  { fault: 'job-error', code: 'unknown_error', probability: 0.1 },
];

interface Spree {
  readonly local: LocalService;
  readonly rig: Rig;
  run(internals?: RunInternals): Promise<Told>;
}

/** 80 items of 10 credits, 32 at once, and a budget for 40 of them, unless it is said. */
async function spree(faults: readonly FaultRule[], budget = 400): Promise<Spree> {
  const local = await service({ seed: 3, credits: 100_000, faults: { faults } });
  const rig = spendingRig({ items: 80, window, more: `budget: { credits: ${budget} }` });
  return { local, rig, run: (internals) => rig.run(local, { speedFactor: 2000 }, internals) };
}

const warningsOf = ({ events }: Told): readonly string[] =>
  events.flatMap((one) => (one.type === 'warning' ? [one.message] : []));

/** What happens to hold after each of them: the run's own account is the service's, and nothing is left in the air. */
function expectLedgersToAgree({ summary }: Told, local: LocalService): void {
  const { charged, refunded, reserved } = summary.credits;
  expect([charged - refunded, reserved]).toEqual([ledgerSums(local).net, 0]);
  expect(summary).toMatchObject({ outcome: 'budget' });
}

describe('80 items, 32 at once, with a budget of 400 credits', () => {
  test('refunded at random and charged at or below the estimate: never more, and it is used up', async () => {
    const { local, run } = await spree([...refunds, ...spread('after', [-50, -30, -20, -10])]);
    const told = await run();
    const sums = ledgerSums(local);
    expect(sums.most).toBeLessThanOrEqual(400);
    // What is left buys no further creation; refunds made room for others in the same run.
    expect(sums.net).toBeGreaterThan(390);
    expect(sums.refunds).toBeGreaterThan(4);
    expect(sums.creations).toBeGreaterThan(44);
    expectLedgersToAgree(told, local);
  });

  test('of which the last are charged up to 20 % more in the end: over by no more than that, and each addition is said', async () => {
    const late = spread('after', [20, 15, 10, 1]).map((rule) => ({ ...rule, skip: 30 }));
    const { local, rig, run } = await spree(late);
    const told = await run();
    const { most, added } = ledgerSums(local);
    expect(most).toBeGreaterThan(400);
    expect(most).toBeLessThanOrEqual(400 + added);
    expectLedgersToAgree(told, local);

    const raised = local
      .ledger()
      .filter(({ project, kind }) => project !== null && kind === 'adjustment');
    const said = warningsOf(told).filter((message) => message.includes('the service added'));
    expect(said).toHaveLength(raised.length);
    const status = await rig.command(['status', 'pipeline.yaml']);
    for (const { project, credits } of raised) {
      const sum = `${-credits} credit${credits === -1 ? '' : 's'}`;
      const message = said.find((one) => one.endsWith(`project ${project}`)) ?? '';
      expect(message).toMatch(/^speech:\d+: /);
      expect(message).toContain(`added ${sum} `);
      expect(status.stdout).toMatch(
        new RegExp(`added ${sum} after its answer: speech:\\d+ \\(project ${project}\\)`),
      );
    }
  });

  test('charged up to 20 % more in the end from the first on: what was learned keeps the rest within it', async () => {
    const { local, run } = await spree([...refunds, ...spread('after', [20, 15, 10, 1])]);
    const told = await run();
    const { most, added, net } = ledgerSums(local);
    expect(added).toBeGreaterThan(10);
    // Promised is "by no more than what was added"; but an addition that is known is expected of all others.
    expect(most).toBeLessThanOrEqual(400);
    expect(net).toBeGreaterThan(400 - 12);
    expectLedgersToAgree(told, local);
  });

  test('charged 20 % more at once from the first on: never more, since the first goes alone', async () => {
    const { local, run } = await spree([{ fault: 'surcharge', percent: 20, when: 'before' }]);
    const told = await run();
    // Whole creations of 12 credits.
    expect(ledgerSums(local)).toMatchObject({ most: 396, net: 396, creations: 33 });
    expect(warningsOf(told).filter((message) => message.includes('were expected'))).toEqual([
      expect.stringMatching(/^speech:1: project \S+ was charged 12 credits where 10 were expected/),
    ]);
    expectLedgersToAgree(told, local);
  });

  test('or fewer than are in progress at once, charged 20 % more from the first on: never more', async () => {
    const { local, run } = await spree([{ fault: 'surcharge', percent: 20, when: 'before' }], 240);
    expectLedgersToAgree(await run(), local);
    expect(ledgerSums(local)).toMatchObject({ most: 240, net: 240, creations: 20 });
  });

  test('charged 20 % more at once from some moment on: over by no more than the difference for what was in the air', async () => {
    const dear = { fault: 'surcharge', percent: 20, when: 'before' } as const;
    // As late as it can be worst: what is left of the budget is all in the air.
    const { local, run } = await spree([{ ...dear, skip: 16 }]);
    const creations = watchCreations();
    const told = await run(creations.internals);
    const { most } = ledgerSums(local);
    const unforeseen = creations.charged.filter(({ reserve, credits }) => reserve < credits).length;
    expect(unforeseen).toBeGreaterThan(0);
    expect(unforeseen).toBeLessThanOrEqual(window);
    // Nobody can know a price before the service says it: this is the most that can be promised.
    expect(most).toBeLessThanOrEqual(400 + 2 * unforeseen);
    // From then on the estimate is raised, and nothing is recorded to be sent that does not fit.
    expect(creations.afterRaise.filter(({ reserve }) => reserve < 12)).toEqual([]);
    expect(creations.afterRaise.filter(({ committed }) => committed > 400)).toEqual([]);
    expectLedgersToAgree(told, local);
  });
});

interface Intent {
  readonly reserve: number;
  /** Credits charged and expected with it, all that is in the air at 12. */
  readonly committed: number;
}

/** Follows the journal as it is written. */
function watchCreations() {
  const air = new Map<string, number>();
  const charged: { readonly reserve: number; readonly credits: number }[] = [];
  const afterRaise: Intent[] = [];
  let raised = false;
  const see = (text: string): void => {
    const { event, job, reserve, credits, status } = JSON.parse(text);
    if (event === 'intent') {
      air.set(job, reserve);
      const spent = charged.reduce((sum, one) => sum + one.credits, 0);
      if (raised) afterRaise.push({ reserve, committed: spent + 12 * air.size });
    } else if (event === 'created') {
      charged.push({ reserve: air.get(job) ?? 0, credits });
      air.delete(job);
      raised ||= credits === 12;
    } else if (status === 'not_taken') air.delete(job);
  };
  const internals: RunInternals = {
    lines: (file) => ({
      append(text) {
        see(text);
        file.append(text);
      },
      sync: () => file.sync(),
    }),
  };
  return { internals, charged, afterRaise };
}
