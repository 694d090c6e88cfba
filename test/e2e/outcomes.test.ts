// How a run came out, as a person meets it: what stopped it, what is paid for, and what to do next. What did not fail is
// never called failed.
import { expect, test } from 'vitest';
import { bill, ended, envOf, photoPipeline, photoRig, service, until } from '../rig.ts';
import { longTest } from '../sweep.ts';

/** 10 credits for each of three photos. */
const capped = (budget: string): string =>
  photoPipeline.replace('output: out', `output: out\nbudget: { ${budget} }`);

/** The last line of `run --json`. */
const summaryIn = (stdout: string) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').summary;

// What a person reads of each: test/transcripts/budget.txt.
test('a run that a cap stops says which cap it was, and what would be enough', async () => {
  for (const [budget, flag, cap] of [
    ['credits: 15', undefined, { name: 'budget.credits', most: 15, spent: 10, needed: 20 }],
    ['credits: 25', 15, { name: '--budget', most: 15, spent: 10, needed: 20 }],
    ['per_day: 15', undefined, { name: 'budget.per_day', most: 15, spent: 10, needed: 30 }],
    ['per_item: 5', undefined, { name: 'budget.per_item', most: 5, spent: 0, needed: 10 }],
  ] as const) {
    const [local, rig] = [await service(), await photoRig(3, capped(budget))];
    const { summary } = await rig.run(local, flag === undefined ? {} : { budget: flag });
    const held = cap.name === 'budget.per_item' ? 3 : 0;
    // Nothing is wrong with a task that is not bought.
    const nothing = { problems: [], groups: [] };
    expect(summary, cap.name).toMatchObject({ outcome: 'budget', cap, held, ...nothing });
  }
});

longTest(
  'after Ctrl-C, what is paid and still renders is counted, and nothing counts as failed',
  async () => {
    const [local, rig] = [await service({ speed: 1 }), await photoRig(3)];
    const child = rig.start(['run', 'pipeline.yaml', '--json'], envOf(local));
    const end = ended(child);
    await until('two projects are charged', () => bill(local.ledger()).size >= 2);
    child.kill('SIGINT');
    const { code, stdout } = await end;
    expect(code).toBe(130);
    const { paid, groups } = summaryIn(stdout);
    expect(paid.rendering + paid.ready).toBe(bill(local.ledger()).size);
    expect(groups).toEqual([]);
    const status = await rig.command(
      ['status', 'pipeline.yaml', '--items', '--json'],
      envOf(local),
    );
    expect(JSON.parse(status.stdout)).toMatchObject({ failures: [] });
    expect(status.stdout).not.toContain('"failed"');
  },
);

test('a tick takes --yes, as every flag of a run that makes sense for it', async () => {
  const [local, rig] = [await service(), await photoRig(1)];
  const { code, stderr } = await rig.command(['tick', 'pipeline.yaml', '--yes'], envOf(local));
  expect(stderr).toBe('');
  expect([0, 6]).toContain(code);
});
