// The plan: tasks and credits added up by step, without keeping the tasks.
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../src/base/digest.ts';
import { fingerprintFrom } from '../../../src/model/fingerprint.ts';
import { taskId } from '../../../src/model/task.ts';
import { PlanTally } from '../../../src/plan/plan.ts';
import type { PlannedTask } from '../../../src/plan/planned-action.ts';
import { planText } from '../../../src/views/plan-text.ts';
import { a, b, swapping, swapWorld, type World } from '../../tables/plan-world.ts';

describe('the plan', () => {
  function planOf(world: World, ...items: readonly { key: string }[]) {
    const tally = new PlanTally(world.pipeline.steps);
    for (const task of world.planItem(...items)) {
      tally.add(task);
      if (task.action === 'problem') tally.note(task);
    }
    for (const _ of items) tally.addItem(false);
    return tally.plan(world.pipeline.steps.map(({ name }) => name));
  }

  test('adds up tasks and credits by step, in the order of the pipeline', () => {
    const plan = planOf(swapWorld(), a, b);
    expect(plan).toMatchObject({ items: 2, credits: 20, unpriced: 0, notes: [] });
    expect(plan.rows).toEqual([
      { step: 'actor', kind: 'upload', tasks: { begin: 1 }, credits: 0, unpriced: 0 },
      { step: 'photo', kind: 'upload', tasks: { begin: 2 }, credits: 0, unpriced: 0 },
      { step: 'swap', kind: 'face-swap-photo', tasks: { begin: 2 }, credits: 20, unpriced: 0 },
      { step: 'save', kind: 'download', tasks: { begin: 2 }, credits: 0, unpriced: 0 },
    ]);
  });

  test('counts two photos with the same content once', () => {
    const world = swapWorld();
    world.disk.inputs.set('b.png', 'rose');
    const plan = planOf(world, a, b);
    expect(plan.credits).toBe(10);
    expect(plan.rows.find(({ step }) => step === 'swap')?.tasks).toEqual({ begin: 1, reuse: 1 });
  });

  test('counts copies of a photo once also where face detection must come first', () => {
    const finding = swapping.replace(
      '  swap: { uses: face-swap-photo,',
      '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }\n  swap: { uses: face-swap-photo, if: size(steps.faces.faces) > 0,',
    );
    const world = swapWorld(finding);
    world.disk.inputs.set('b.png', 'rose');
    const plan = planOf(world, a, b);
    expect(plan.rows.find(({ step }) => step === 'swap')?.tasks).toEqual({ maybe: 2 });
    expect(plan.credits).toBe(10);
    world.disk.inputs.set('b.png', 'tulip');
    expect(planOf(world, a, b).credits).toBe(20);
  });

  test('does not take two tasks for one where they read different fields of their items', () => {
    const finding = swapping.replace(
      '  swap: { uses: face-swap-photo,',
      '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }\n  swap: { uses: face-swap-photo, if: size(steps.faces.faces) > 0 && item.key != "",',
    );
    const world = swapWorld(finding);
    world.disk.inputs.set('b.png', 'rose');
    expect(planOf(world, a, b).credits).toBe(20);
  });

  test('counts a price that is not known as not known, and says why once', () => {
    const text = swapping.replace(
      /swap: .*/,
      'swap: { uses: character-replace, with: { end_seconds: 2, assets: { video_file_path: "${{ steps.photo.file_path }}", image_file_path: "${{ steps.actor.file_path }}" } } }',
    );
    const plan = planOf(swapWorld(text), a, b);
    expect(plan).toMatchObject({ credits: 0, unpriced: 2 });
    expect(plan.unpricedWhy).toHaveLength(1);
    expect(plan.unpricedWhy[0]).toContain('swap (character-replace)');
  });

  test('notes what a person should look at, a hundred at most', () => {
    const world = swapWorld();
    const many = Array.from({ length: 120 }, (_, index) => ({ key: `gone${index}` }));
    expect(planOf(world, ...many).notes).toHaveLength(100);
    expect(planOf(world, { key: 'gone' }).notes).toMatchObject([
      { task: 'photo:gone', action: 'problem' },
    ]);
  });
});

describe('one task in the plan', () => {
  const step = (name: string) => {
    const found = swapWorld(
      `${swapping}  tidy: { uses: delete, with: { of: swap } }\n`,
    ).pipeline.steps.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no step ${name}`);
    return found;
  };
  const known = { known: true, credits: 10 } as const;
  const planned = (
    name: string,
    action: PlannedTask['action'],
    more: Partial<PlannedTask> = {},
  ) => ({
    ...{ step: step(name), task: taskId(name, undefined), action, why: 'so' },
    ...more,
  });
  const tally = (...tasks: readonly PlannedTask[]) => {
    const made = new PlanTally();
    for (const task of tasks) made.add(task);
    return made;
  };
  const job = fingerprintFrom(digestOf({ job: 1 }));
  const row = (made: PlanTally, name: string) => made.plan([name]).rows[0];

  test('that is lost is noted, and its price is not counted', () => {
    const made = tally(planned('swap', 'lost', { estimate: known, fingerprint: job }));
    expect(made.plan(['swap'])).toMatchObject({
      ...{ credits: 0, unpriced: 0, noted: 1 },
      notes: [{ task: 'swap', action: 'lost', why: 'so' }],
    });
  });

  test.each(['doubt', 'lost', 'keep'] as const)('that is %s is noted', (action) => {
    expect(tally(planned('swap', action)).plan(['swap'])).toMatchObject({
      ...{ noted: 1, notes: [{ task: 'swap', action, why: 'so' }] },
    });
  });

  test.each(['begin', 'maybe', 'attach', 'copy', 'reuse', 'skipped', 'blocked'] as const)(
    'that is %s is not noted',
    (action) => {
      expect(tally(planned('swap', action)).plan(['swap'])).toMatchObject({ noted: 0, notes: [] });
    },
  );

  test.each(['begin', 'attach'] as const)('that shares a job is reused (%s)', (action) => {
    const one = planned('swap', action, { fingerprint: job, estimate: known });
    expect(row(tally(one, one, one), 'swap')).toMatchObject({
      ...{ tasks: { [action]: 1, reuse: 2 }, credits: 10 },
    });
  });

  test('that may share a job is counted once, and shown each time', () => {
    const one = planned('swap', 'maybe', { alike: digestOf('x'), estimate: known });
    const other = planned('swap', 'maybe', { alike: digestOf('y'), estimate: known });
    expect(row(tally(one, one, other), 'swap')).toMatchObject({ tasks: { maybe: 3 }, credits: 20 });
  });

  test('without a job to share is counted each time', () => {
    const one = planned('swap', 'maybe', { estimate: known });
    expect(row(tally(one, one), 'swap')).toMatchObject({ tasks: { maybe: 2 }, credits: 20 });
    const kept = planned('swap', 'keep', { fingerprint: job });
    expect(row(tally(kept, kept), 'swap')).toMatchObject({ tasks: { keep: 2 } });
  });

  test('that fetches or deletes the same project is done each time, or once', () => {
    const save = planned('save', 'begin', { fingerprint: job });
    expect(row(tally(save, save), 'save')).toMatchObject({ tasks: { begin: 2 } });
    const tidy = planned('tidy', 'begin', { fingerprint: job });
    const swap = planned('swap', 'attach', { fingerprint: job });
    const made = tally(swap, tidy, tidy);
    expect(row(made, 'swap')).toMatchObject({ tasks: { attach: 1 } });
    expect(row(made, 'tidy')).toMatchObject({ tasks: { begin: 1, reuse: 1 } });
  });

  test('whose price is not known is counted, each reason once', () => {
    const dear = (why: string) => planned('swap', 'begin', { estimate: { known: false, why } });
    const made = tally(dear('a'), dear('a'), dear('b'), planned('photo', 'begin'));
    expect(made.plan(['photo', 'gone', 'swap'])).toMatchObject({
      ...{ credits: 0, unpriced: 3, rows: [{ step: 'photo' }, { step: 'swap', unpriced: 3 }] },
      unpricedWhy: ['swap (face-swap-photo): a', 'swap (face-swap-photo): b'],
    });
  });

  test('that is reused is done again where a step needs its values, once for all its twins', () => {
    const again = planned('photo', 'begin', { fingerprint: job });
    const made = tally(planned('photo', 'reuse'), planned('photo', 'reuse'));
    made.renew(again);
    expect(row(made, 'photo')?.tasks).toEqual({ reuse: 1, begin: 1 });
    made.renew(again);
    expect(row(made, 'photo')?.tasks).toEqual({ reuse: 1, begin: 1 });
    made.renew(planned('photo', 'begin', { fingerprint: fingerprintFrom(digestOf({ job: 2 })) }));
    expect(row(made, 'photo')?.tasks).toEqual({ begin: 2 });
  });
});

test('items with a task that cannot run are counted', () => {
  const tally = new PlanTally();
  for (const bad of [true, false, true]) tally.addItem(bad);
  expect(tally.plan([])).toEqual({
    ...{ items: 3, badItems: 2, rows: [], credits: 0, unpriced: 0, uncounted: 0, unpricedWhy: [] },
    ...{ notes: [], noted: 0, files: { changed: 0, elsewhere: 0, stored: 0 } },
  });
});

test('a plan lists the fields that this version does not know, and requests that differ in nothing else', () => {
  const twice = swapping.replace(
    '  save:',
    `  again: { uses: image-background-remover, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  more: { uses: image-background-remover, extra: { mood: { sharp: 1 } }, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save:`,
  );
  const world = swapWorld(twice);
  const tally = new PlanTally(world.pipeline.steps);
  for (const task of world.planItem(a)) tally.add(task);
  const plan = tally.plan(world.pipeline.steps.map(({ name }) => name));
  expect(plan.unknownFields).toEqual([{ step: 'more', fields: ['mood'] }]);
  expect(plan.alikeButExtra).toEqual([['again:a', 'more:a']]);
  const text = planText(plan);
  expect(text).toContain('sent, unknown to this version: more: mood');
  expect(text).toContain('both are paid for: again:a, more:a');
});
