// The plan of an item that cannot be done as it is, of steps that a run leaves out, and of inputs that are made again.
import { describe, expect, test } from 'vitest';
import { a, b, day, swapping, swapWorld, type World } from '../../tables/plan-world.ts';

const tidying = `${swapping}  tidy: { uses: delete, with: { of: swap } }\n`;

describe('an item with a task that cannot run', () => {
  // Its second photo is missing; the first could be swapped all the same.
  const two = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  maybe: { uses: photo-colorizer, if: size(steps.faces.faces) > 0, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" }, name: x } }
  other: { uses: upload, with: { file: "\${{ item.key }}-other.png" } }
  last: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.other.file_path }}" } } }
`;

  test('buys nothing, and does what is free', () => {
    const world = swapWorld(two);
    expect(world.actions(a)).toEqual({
      ...{ 'photo:a': 'begin', 'swap:a': 'blocked', 'faces:a': 'begin', 'maybe:a': 'blocked' },
      ...{ 'other:a': 'problem', 'last:a': 'blocked' },
    });
    expect(world.planned('swap:a', a).why).toBe('not bought: other:a cannot run');
    expect(world.planned('last:a', a).why).toBe('waits for other');
  });

  test('ends so in the run too: each step has its verdict', () => {
    const world = swapWorld(two);
    const [, plan] = world.dryItems(a);
    if (plan === undefined) throw new Error('no plan');
    expect(plan.badTasks.map(({ task }) => task)).toEqual(['other:a']);
    const why = 'not bought: other:a cannot run';
    expect(Object.fromEntries(plan.verdicts)).toEqual({
      'other:a': {
        ...{ ending: 'failed', why: 'a-other.png does not exist', diagnostic: 'SL507' },
        named: ['a-other.png'],
      },
      'swap:a': { ending: 'blocked', why },
      'maybe:a': { ending: 'blocked', why },
    });
    world.disk.inputs.set('a-other.png', 'x');
    const [, fine] = world.dryItems(a);
    expect([fine?.badTasks, fine?.verdicts.size]).toEqual([[], 0]);
  });

  test('still reuses, and waits for, what was paid', () => {
    const world = swapWorld(two);
    world.disk.inputs.set('a-other.png', 'x');
    const job = world.planned('swap:a', a).fingerprint ?? '';
    world.happen(
      {
        ...{ event: 'intent', job, task: 'swap:a', kind: 'photo-colorizer', attempt: 1 },
        ...{ name: 'n', reserve: 1 },
      },
      { event: 'created', job, project: 'p', credits: 1 },
    );
    world.disk.inputs.delete('a-other.png');
    expect(world.actions(a)).toMatchObject({ 'swap:a': 'attach', 'maybe:a': 'blocked' });
  });
});

describe('a request of which only some values are known', () => {
  const finding = (more: string, condition = '') => `pipeline: p
items: { values: [{ key: a, size: 1 }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  it: { uses: ai-image-upscaler, ${condition}with: { ${more}, style: { enhancement: Balanced, prompt: "\${{ string(size(steps.faces.faces)) }}" }, assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
`;
  const factor = 'scale_factor: "${{ int(item.size) }}"';

  test('is in problem where one of them cannot be sent', () => {
    const world = swapWorld(finding(factor));
    expect(world.planned('it:a', { key: 'a', size: 77 })).toMatchObject({
      ...{ action: 'problem', why: expect.stringContaining('scale_factor') },
      problem: { at: ['steps', 'it', 'with', 'scale_factor'] },
    });
    expect(world.planned('it:a', { key: 'a', size: 2 })).toMatchObject({
      ...{ action: 'maybe', why: 'depends on faces' },
    });
  });

  test('is fine where it is not to be sent at all', () => {
    const world = swapWorld(finding(factor, 'if: item.size < 3, '));
    expect(world.planned('it:a', { key: 'a', size: 77 }).action).toBe('skipped');
    const open = swapWorld(finding(factor, 'if: size(steps.faces.faces) > item.size, '));
    expect(open.planned('it:a', { key: 'a', size: 77 }).action).toBe('problem');
  });
});

describe('a step that the run leaves out', () => {
  const without = (world: World, ...steps: readonly string[]): World => {
    world.excluded = new Set(steps);
    return world;
  };

  test('is not begun, and nothing that waits for it is', () => {
    const world = without(swapWorld(tidying), 'swap');
    expect(world.actions(a)).toEqual({
      ...{ actor: 'begin', 'photo:a': 'begin', 'swap:a': 'excluded' },
      ...{ 'save:a': 'excluded', 'tidy:a': 'excluded' },
    });
    expect(world.planned('swap:a', a)).toMatchObject({
      ...{ why: 'this run excludes the step', fingerprint: expect.any(String) },
    });
    expect(world.planned('swap:a', a)).not.toHaveProperty('estimate');
    expect(world.planned('save:a', a).why).toBe('swap is excluded');
  });

  test('is reused where it is done, and what needs it goes on', () => {
    const world = swapWorld();
    world.doAll(a);
    world.disk.outputs.clear();
    without(world, 'swap', 'photo');
    expect(world.actions(a)).toMatchObject({
      ...{ 'photo:a': 'reuse', 'swap:a': 'reuse', 'save:a': 'begin' },
    });
  });

  test('stays skipped, and is not called blocked: it would not begin either way', () => {
    const skipping = swapping.replace(
      'uses: face-swap-photo,',
      'uses: face-swap-photo, if: item.key == "z",',
    );
    const skipped = without(swapWorld(skipping), 'swap', 'save');
    expect(skipped.actions(a)).toMatchObject({ 'swap:a': 'skipped', 'save:a': 'skipped' });
    const blocked = without(swapWorld(), 'swap');
    blocked.disk.inputs.delete('a.png');
    expect(blocked.actions(a)).toMatchObject({ 'photo:a': 'problem', 'swap:a': 'excluded' });
  });

  test('has no problem of its own', () => {
    const world = without(swapWorld(), 'photo');
    world.disk.inputs.delete('a.png');
    expect(world.actions(a)).toMatchObject({ 'photo:a': 'excluded', 'swap:a': 'excluded' });
    expect(world.planned('photo:a', a).fingerprint).toBeUndefined();
  });
});

describe('a place that cannot be written', () => {
  const bad = (world: World): World => {
    world.unusable = (to) => (to === 'a-out.png' ? 'to: it is bad' : undefined);
    return world;
  };

  test('is a problem of the download, and nothing is bought for its item', () => {
    const world = bad(swapWorld());
    expect(world.actions(a, b)).toEqual({
      ...{ actor: 'begin', 'photo:a': 'begin', 'photo:b': 'begin' },
      ...{ 'swap:a': 'blocked', 'save:a': 'blocked', 'swap:b': 'begin', 'save:b': 'begin' },
    });
    const [, plan] = world.dryItems(a);
    expect(plan?.badTasks).toMatchObject([
      {
        ...{ task: 'save:a', action: 'problem', why: 'to: it is bad' },
        problem: { message: 'to: it is bad', at: ['steps', 'save', 'with', 'to'] },
      },
    ]);
  });

  test('is none where the file is there already', () => {
    const world = swapWorld();
    world.doAll(a);
    expect(bad(world).actions(a)).toMatchObject({ 'save:a': 'reuse' });
  });
});

describe('what is known of a task', () => {
  test('is the file of an upload, the place of a download, and the price of what is paid', () => {
    const tasks = swapWorld().planItem(a);
    const has = (key: 'file' | 'to' | 'estimate') =>
      tasks.filter((task) => task[key] !== undefined).map(({ task }) => task);
    expect(has('file')).toEqual(['actor', 'photo:a']);
    expect(has('to')).toEqual(['save:a']);
    expect(has('estimate')).toEqual(['swap:a']);
  });

  test('has no price where nothing is paid', () => {
    const world = swapWorld();
    world.doAll(a);
    expect(world.planned('swap:a', a)).not.toHaveProperty('estimate');
  });
});

describe('inputs that expired', () => {
  const chain = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.faces.faces[0].path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
`;
  const supplied = (): World => {
    const world = swapWorld(chain);
    world.supplied('actor', 'upload', { file_path: 'x' }, a);
    world.supplied('photo:a', 'upload', { file_path: 'y' }, a);
    world.supplied('faces:a', 'face-detect', { id: 'f', faces: [{ path: 'z' }] }, a);
    return world;
  };
  const whys = (world: World) =>
    Object.fromEntries(world.planItem(a).map(({ task, action, why }) => [task, [action, why]]));

  test('are reused while they are good', () => {
    expect(supplied().actions(a)).toEqual({
      ...{ actor: 'reuse', 'photo:a': 'reuse', 'faces:a': 'reuse', 'swap:a': 'begin' },
    });
  });

  test('are done again with what they are made of, where a request needs them', () => {
    const world = supplied();
    world.now += 8 * day;
    expect(whys(world)).toMatchObject({
      'photo:a': ['begin', 'its upload has expired'],
      'faces:a': ['begin', 'its face detection has expired'],
      'swap:a': ['begin', expect.any(String)],
    });
    // The shared one is done again for whoever asks first.
    expect(world.planned('actor').action).toBe('reuse');
    expect(whys(world)).toMatchObject({ actor: ['begin', 'its upload has expired'] });
  });

  test('are done again for a face detection that is done again itself', () => {
    const world = swapWorld(chain);
    world.supplied('photo:a', 'upload', { file_path: 'y' }, a);
    world.now += 8 * day;
    expect(world.actions(a)).toMatchObject({ 'photo:a': 'begin', 'faces:a': 'begin' });
  });

  test('are left alone where what needs them is only waited for', () => {
    const world = supplied();
    const job = world.planned('swap:a', a).fingerprint ?? '';
    world.happen({
      ...{ event: 'intent', job, task: 'swap:a', kind: 'face-swap-photo', attempt: 1 },
      ...{ name: 'n', reserve: 1 },
    });
    world.happen({ event: 'created', job, project: 'p', credits: 1 });
    world.now += 8 * day;
    expect(world.actions(a)).toMatchObject({
      ...{ actor: 'reuse', 'photo:a': 'reuse', 'faces:a': 'reuse', 'swap:a': 'attach' },
    });
  });
});

describe('later steps', () => {
  test('see the paths of a saved file, as the run will', () => {
    const text = `${swapping}  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }\n`;
    const world = swapWorld(text);
    expect(world.planned('again:a', a)).toMatchObject({
      ...{ action: 'maybe', why: 'depends on save' },
    });
    world.disk.inputs.set('out/a-out.png', 'save:a');
    world.doAll(a);
    expect(world.planned('again:a', a)).toMatchObject({
      ...{ action: 'reuse', file: 'out/a-out.png' },
    });
  });

  test('see what a finished task was charged', () => {
    const when = (more: number) =>
      `${swapping}  more: { uses: photo-colorizer, if: steps.swap.credits_charged > ${more}, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }\n`;
    const world = (text: string) => {
      const [first, next] = [swapWorld(), swapWorld(text)];
      first.doAll(a);
      for (const line of first.ledger.jobs()) next.ledger.apply({ type: 'job', line });
      return next.planned('more:a', a).action;
    };
    expect([world(when(9)), world(when(10))]).toEqual(['begin', 'skipped']);
  });
});
