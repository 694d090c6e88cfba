// The plan: tasks and credits added up by step, without keeping the tasks.
import { describe, expect, test } from 'vitest';
import { PlanTally } from '../../../src/runner/plan/plan.ts';
import { a, b, swapping, swapWorld, type World } from './world.ts';

describe('the plan', () => {
  function planOf(world: World, ...items: readonly { key: string }[]) {
    const tally = new PlanTally();
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
