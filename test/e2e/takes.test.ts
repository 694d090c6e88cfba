// Takes: `reroll` pays for another one on purpose, once; `pick` chooses, and only then does anything downstream run again.

import { describe, expect, test } from 'vitest';
import { resolve } from '../../src/features/resolve/resolve.ts';
import { resultOf } from '../../src/language/load/refusal.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { bill, envOf, photoRig, plainly, Rig, service } from '../rig.ts';
import { sampleOf } from '../sweep.ts';
import { cutAt, PowerCut } from './power-cut.ts';
import { chained, loadedFrom, picks, plans, plansReroll, rerolls, unlike } from './taken.ts';

const charged = (local: { ledger(): Parameters<typeof bill>[0] }): number =>
  [...bill(local.ledger()).values()].reduce((sum, credits) => sum + credits, 0);

const state = 'photos.state.jsonl';
const swap = 'swap:p1.png';

describe('reroll', () => {
  test('pays for one more take, saves it, deletes its project, and leaves the result as it is', async () => {
    const [rig, local] = [await photoRig(2), await service()];
    const internals = unlike();
    await rig.run(local, {}, internals);
    const before = rig.read('out/p1.png');
    const planned = await plansReroll(rig, local, swap);
    expect(planned.plan.credits).toBe(10);
    const { summary, takes } = await rerolls(rig, local, [swap], internals);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
    expect(charged(local)).toBe(30);
    expect(takes).toEqual([
      {
        tasks: [swap],
        takes: [
          expect.objectContaining({ number: 1, picked: true, state: 'deleted', credits: 10 }),
          expect.objectContaining({ number: 2, picked: false, state: 'deleted', credits: 10 }),
        ],
      },
    ]);
    expect(rig.read('out/p1.png')).toBe(before);
    expect(rig.read('out/takes/swap/p1.png.take2.png')).not.toBe(before);
    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ credits: { charged: 0 }, tasks: { done: 0 } });
    expect((await plans(rig, local)).plan.takes).toEqual([{ task: swap, known: 2, picked: 1 }]);
  });

  test('of an item is one of its last paid results, and nothing downstream runs before a pick', async () => {
    const [rig, local] = [await photoRig(1, chained), await service()];
    await rig.run(local);
    const one = charged(local);
    expect((await rerolls(rig, local, ['p1.png'])).takes[0]?.tasks).toEqual(['colour:p1.png']);
    await rerolls(rig, local, [swap]);
    const both = charged(local);
    expect(both).toBe(2 * one);
    await rig.run(local);
    expect(charged(local)).toBe(both);
  });

  test('of two tasks buys nothing for the other tasks of their items', async () => {
    const [rig, local] = [await photoRig(2, chained), await service()];
    await rig.run(local, { items: { only: 'p1.png' } });
    await rig.run(local, { until: ['save'] });
    const before = charged(local);
    const names = ['colour:p1.png', 'swap:p2.png'];
    const { plan } = await plansReroll(rig, local, ...names);
    const { summary } = await rerolls(rig, local, names);
    expect(summary.credits.charged).toBe(plan.credits);
    expect(charged(local) - before).toBe(plan.credits);
    const [swapped, coloured] = [10, before - 20];
    expect(plan.credits).toBe(swapped + coloured);
  });

  test('keeps to the budget of one item, which its takes count in', async () => {
    const budget = 'output: out\nbudget: { per_item: 25 }';
    const pipeline = chained.replace('output: out', budget).replace(/ {2}colour[\s\S]*/, '');
    const [rig, local] = [await photoRig(1, pipeline), await service()];
    await rig.run(local);
    await rerolls(rig, local, [swap]);
    const { summary } = await rerolls(rig, local, [swap]);
    expect(summary).toMatchObject({
      ...{ outcome: 'budget', held: 1, problems: [] },
      cap: { name: 'budget.per_item', most: 25, spent: 20, needed: 30 },
    });
    expect(charged(local)).toBe(20);
    const tight = await rerolls(rig, local, [swap], {}, { budget: 5 });
    expect(tight.summary.outcome).toBe('budget');
    expect(charged(local)).toBe(20);
  });

  // Every third line, in turns: what is cut after one is what is cut before the next.
  const cuts = [
    ['before', 1],
    ['after', 2],
  ] as const;
  test.each(sampleOf(cuts, 2))(
    'cut %s a line of the journal is completed by the next one, which buys no third take',
    async (when, from) => {
      for (let line = from; ; line += 3) {
        const local = await startService(plainly);
        const rig = await photoRig(1);
        try {
          await rig.run(local);
          const cut = cutAt(line, when, rig.path(state));
          const death = await rerolls(rig, local, [swap], cut).catch((error: unknown) => error);
          if (!(death instanceof PowerCut)) return expect(line).toBeGreaterThan(5);
          cut.restore();
          const where = `cut ${when} line ${line}`;
          const doubted = /"(intent|doubt)"/.test(lastEvent(rig.read(state)));
          if (doubted) {
            const refused = await rerolls(rig, local, [swap]).catch((error: unknown) => error);
            expect(String(refused), where).toContain('has a take in doubt (take 2)');
            await settled(rig, local);
          }
          // What is complete is a reason for one more.
          const complete = rig.read(state).includes('takes/swap');
          const again = await rerolls(rig, local, [swap]);
          expect(again.summary.outcome, where).toBe('done');
          expect(charged(local), where).toBe(complete ? 30 : 20);
        } finally {
          await local.close();
        }
      }
    },
  );
});

/** A person looks whether the service has the project of the take in doubt. */
async function settled(rig: Rig, local: LocalService): Promise<void> {
  const known = rig.read(state);
  const made = local.ledger().find(({ project }) => project !== null && !known.includes(project));
  const resolution =
    made?.project === undefined || made.project === null
      ? ({ how: 'not-charged' } as const)
      : ({ how: 'project', project: made.project } as const);
  const resolved = await resultOf(async () =>
    resolve(await loadedFrom(rig), swap, resolution, { env: envOf(local) }),
  );
  expect(resolved).toMatchObject({ ok: true });
}

test('a take that is paid and not saved is told of, until a reroll completes it', async () => {
  const [rig, local] = [await photoRig(1), await service()];
  await rig.run(local);
  const cut = cutAt(4, 'before', rig.path(state));
  await expect(rerolls(rig, local, [swap], cut)).rejects.toThrow(PowerCut);
  cut.restore();
  const { events, summary } = await rig.run(local);
  const left = `take 2 of ${swap} is paid and not saved yet: shotlist reroll completes it`;
  expect(events).toContainEqual({ type: 'warning', message: left });
  expect(summary.credits.charged).toBe(0);
  const shown = await rig.command(['status', 'pipeline.yaml'], envOf(local));
  expect(shown.stdout).toContain(`→ shotlist reroll pipeline.yaml ${swap} completes take 2`);
  await rerolls(rig, local, [swap]);
  expect(charged(local)).toBe(20);
});

const lastEvent = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

describe('pick', () => {
  test('makes the next run copy the file, and pay for what is downstream: exactly what the plan says', async () => {
    const [rig, local] = [await photoRig(1, chained), await service()];
    const internals = unlike();
    await rig.run(local, {}, internals);
    const downstream = charged(local) - 10;
    const [first, second] = [rig.read('out/p1.png'), 'out/takes/swap/p1.png.take2.png'];
    await rerolls(rig, local, [swap], internals);
    const requests = local.ledger().length;
    const picked = await picks(rig, swap, 2);
    expect(picked).toMatchObject({ tasks: [swap], take: 2, changed: true });
    expect(local.ledger()).toHaveLength(requests);
    // Before anything replaces it, the file of the first take has a place of its own.
    expect(rig.read('out/takes/swap/p1.png.take1.png')).toBe(first);
    expect(rig.read('out/p1.png')).toBe(first);
    const { plan } = await plans(rig, local);
    expect(plan.credits).toBe(downstream);
    const { summary } = await rig.run(local, {}, internals);
    expect(summary.credits.charged).toBe(downstream);
    expect(rig.read('out/p1.png')).toBe(rig.read(second));
    const colour = rig.read('out/colour/p1.png');
    expect((await rig.run(local)).summary).toMatchObject({ credits: { charged: 0 } });
    // Back again: everything is known from before.
    await picks(rig, swap, 1);
    expect((await plans(rig, local)).plan.credits).toBe(0);
    expect((await rig.run(local, {}, internals)).summary.credits.charged).toBe(0);
    expect(rig.read('out/p1.png')).toBe(first);
    expect(rig.read('out/colour/p1.png')).not.toBe(colour);
    expect(charged(local)).toBe(10 + 10 + 2 * downstream);
    // Neither take is an orphan.
    const pruned = await rig.command(['prune', 'pipeline.yaml'], envOf(local));
    expect(pruned.stdout).not.toContain('take');
  });

  test('of a deleted project needs no download', async () => {
    const [rig, local] = [await photoRig(1), await service()];
    const internals = unlike();
    await rig.run(local, {}, internals);
    await rerolls(rig, local, [swap], internals);
    await picks(rig, swap, 2);
    const { summary } = await rig.run(local, {}, internals);
    expect(summary).toMatchObject({ outcome: 'done', credits: { charged: 0 } });
    expect(rig.read('out/p1.png')).toBe(rig.read('out/takes/swap/p1.png.take2.png'));
    expect((await rig.run(local)).summary.tasks.done).toBe(0);
  });
});

test('one element of a fan-out is rerolled by its index, and what it is made of is not', async () => {
  const rig = new Rig(`pipeline: p
output: out
steps:
  img: { uses: ai-image-generator, with: { image_count: 2, model: flux-schnell, resolution: 640px, style: { prompt: a lighthouse } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  save: { uses: download, with: { of: up, to: "\${{ each.index }}.png" } }
`);
  const local = await service();
  await rig.run(local);
  const bought = charged(local);
  const whole = rerolls(rig, local, ['up']);
  await expect(whole).rejects.toThrow(/up has 2 elements[\s\S]*such as up\[0\]/);
  await rerolls(rig, local, ['up[1]']);
  expect(bill(local.ledger()).get('p up[1]')).toBe(50);
  await rerolls(rig, local, ['img']);
  expect(charged(local)).toBe(bought + 25 + 10);
  // Both pictures of the result are saved.
  expect(rig.files('out/takes')).toEqual(['img.take2-1.png', 'img.take2-2.png', 'up[1].take2.png']);
  await picks(rig, 'img', 2);
  expect((await plans(rig, local)).plan.credits).toBe(50);
});

describe('what has no takes is refused, and nothing is sent', () => {
  test('by reroll and by pick', async () => {
    const [rig, local] = [await photoRig(2, chained), await service()];
    await rig.run(local, { items: { only: 'p1.png' } });
    const requests = local.ledger().length;
    const said = async (work: Promise<unknown>): Promise<string> =>
      await work.then(
        () => 'nothing',
        (error: unknown) => String(error),
      );
    const reroll = (...names: readonly string[]): Promise<string> =>
      said(rerolls(rig, local, names));
    expect(await reroll('swap:p9.png')).toMatch(
      /no task "swap:p9.png"[\s\S]*did you mean "swap:p1.png"/,
    );
    expect(await reroll('p9.png')).toMatch(/no item "p9.png"[\s\S]*did you mean "p1.png"/);
    expect(await reroll('save:p1.png')).toContain('save:p1.png is free');
    expect(await reroll('swap')).toMatch(/swap is done for each item[\s\S]*swap:p1.png/);
    expect(await reroll('swap:p2.png')).toMatch(
      /has no result that a take could follow[\s\S]*shotlist run/,
    );
    expect(await reroll(swap, 'colour:p1.png')).toContain(`colour:p1.png uses ${swap}`);
    expect(await said(picks(rig, swap, 2))).toContain('has one take at most');
    expect(local.ledger()).toHaveLength(requests);
  });
});
