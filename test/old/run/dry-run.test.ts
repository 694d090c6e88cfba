// What would happen: the plan’s view of small pipelines as time goes by and files come and go.
import { describe, expect, test } from 'vitest';
import { notTaken } from '../../../src/model/settled.ts';
import { PlanTally } from '../../../src/plan/plan.ts';
import { endingOf } from '../../../src/plan/planned-action.ts';
import { a, b, day, hash, swapBody, swapping, swapWorld, World } from '../../tables/plan-world.ts';

describe('a first run', () => {
  test('begins everything, and each creation has its price', () => {
    const world = swapWorld();
    expect(world.actions(a)).toEqual({
      actor: 'begin',
      'photo:a': 'begin',
      'swap:a': 'begin',
      'save:a': 'begin',
    });
    const priced = world.planItem(a).filter(({ estimate }) => estimate !== undefined);
    expect(priced).toMatchObject([{ task: 'swap:a', estimate: { known: true, credits: 10 } }]);
    expect(world.planItem(a).find(({ task }) => task === 'save:a')?.to).toBe('a-out.png');
  });

  test('knows the fingerprint of a creation before its inputs are uploaded', () => {
    const world = swapWorld();
    const before = world.planItem(a).find(({ task }) => task === 'swap:a')?.fingerprint;
    world.doAll(a);
    expect(before).toBeDefined();
    expect(world.planItem(a).find(({ task }) => task === 'swap:a')?.fingerprint).toBe(before);
  });

  test('says that a file must be read first', () => {
    const world = swapWorld();
    world.disk.unread.add('a.png');
    expect(world.actions(a)).toMatchObject({ 'photo:a': 'begin', 'swap:a': 'maybe' });
  });
});

describe('a second run', () => {
  test('reuses everything and pays nothing', () => {
    const world = swapWorld();
    expect(world.doAll(a, b)).toEqual(['swap:a', 'swap:b']);
    expect(new Set(Object.values(world.actions(a, b)))).toEqual(new Set(['reuse']));
    expect(world.doAll(a, b)).toEqual([]);
  });

  test('pays nothing for a renamed or copied photo', () => {
    const world = swapWorld();
    world.doAll(a);
    world.disk.inputs.set('c.png', 'rose');
    expect(world.actions({ key: 'c' })).toMatchObject({
      'photo:c': 'reuse',
      'swap:c': 'reuse',
      'save:c': 'copy',
    });
  });

  test('pays for a changed photo only', () => {
    const world = swapWorld();
    world.doAll(a, b);
    world.disk.inputs.set('a.png', 'rose retouched');
    expect(world.doAll(a, b)).toEqual(['swap:a']);
  });

  test('pays for everything where the shared photo changed', () => {
    const world = swapWorld();
    world.doAll(a, b);
    world.disk.inputs.set('actor.png', 'another actor');
    expect(world.doAll(a, b)).toEqual(['swap:a', 'swap:b']);
  });

  test('fetches again what is gone from the disk', () => {
    const world = swapWorld();
    world.doAll(a);
    world.disk.outputs.clear();
    expect(world.actions(a)).toMatchObject({ 'swap:a': 'reuse', 'save:a': 'begin' });
    expect(world.doAll(a)).toEqual([]);
  });
});

describe('uploads that expired', () => {
  test('are left alone where nothing needs them', () => {
    const world = swapWorld();
    world.doAll(a);
    world.now += 30 * day;
    expect(new Set(Object.values(world.actions(a)))).toEqual(new Set(['reuse']));
  });

  test('are done again, free, where something begins that needs them', () => {
    const world = new World(`pipeline: p
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: head-swap, with: { name: x, assets: { head_file_path: "\${{ steps.photo.file_path }}", body_file_path: "\${{ steps.photo.file_path }}" } } }
`);
    world.disk.inputs.set('a.png', 'rose');
    world.happen({
      event: 'supplied',
      job: world.planItem(a)[0]?.fingerprint ?? '',
      task: 'photo:a',
      kind: 'upload',
      result: { file_path: 'x' },
    });
    expect(world.actions(a)).toEqual({ 'photo:a': 'reuse', 'swap:a': 'begin' });
    world.now += 8 * day;
    expect(world.planItem(a).map(({ action, why }) => [action, why])).toEqual([
      ['begin', 'its upload has expired'],
      ['begin', expect.any(String)],
    ]);
  });
});

describe('what is not known yet', () => {
  const finding = `pipeline: p
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  faces: { uses: face-detect, with: { target_file_path: "\${{ steps.photo.file_path }}" } }
  swap:
    uses: face-swap-photo
    if: size(steps.faces.faces) > 0
    with: { ${swapBody.replace('actor', 'photo')} }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}-out.png" } }
`;

  test('is a perhaps, with its price counted', () => {
    const world = swapWorld(finding);
    expect(world.actions(a)).toEqual({
      'photo:a': 'begin',
      'faces:a': 'begin',
      'swap:a': 'maybe',
      'save:a': 'maybe',
    });
    expect(world.planItem(a).find(({ task }) => task === 'swap:a')?.estimate).toEqual({
      known: true,
      credits: 10,
    });
  });

  test('is decided once it is known', () => {
    const world = swapWorld(finding);
    const supply = (task: string, kind: string, faces: readonly { path: string }[]) =>
      world.happen({
        event: 'supplied',
        job: world.planItem(a).find((one) => one.task === task)?.fingerprint ?? '',
        task,
        kind,
        result: { id: 'f', faces: [...faces] },
      });
    supply('photo:a', 'upload', []);
    supply('faces:a', 'face-detect', []);
    expect(world.actions(a)).toEqual({
      'photo:a': 'reuse',
      'faces:a': 'reuse',
      'swap:a': 'skipped',
      'save:a': 'skipped',
    });
    supply('faces:a', 'face-detect', [{ path: 'x' }]);
    expect(world.actions(a)).toMatchObject({ 'swap:a': 'begin', 'save:a': 'begin' });
  });
});

describe('a job with problem', () => {
  const fingerprint = (world: World) =>
    world.planItem(a).find(({ task }) => task === 'swap:a')?.fingerprint ?? '';
  const begin = (world: World, attempt = 1) =>
    world.happen({
      event: 'intent',
      job: fingerprint(world),
      task: 'swap:a',
      kind: 'face-swap-photo',
      attempt,
      name: 'n',
      reserve: 10,
    });

  test('in doubt is held, and what waits for it is blocked', () => {
    const world = swapWorld();
    begin(world);
    expect(world.actions(a)).toMatchObject({ 'swap:a': 'doubt', 'save:a': 'blocked' });
    expect(world.planItem(a).find(({ task }) => task === 'swap:a')?.estimate).toBeUndefined();
  });

  test('in progress is attached to, for nothing', () => {
    const world = swapWorld();
    begin(world);
    world.happen({ event: 'created', job: fingerprint(world), project: 'p', credits: 10 });
    expect(world.actions(a)).toMatchObject({ 'swap:a': 'attach', 'save:a': 'begin' });
    expect(world.planItem(a).find(({ task }) => task === 'swap:a')?.estimate).toBeUndefined();
  });

  test('that failed begins again, at its price', () => {
    const world = swapWorld();
    begin(world);
    world.happen(notTaken(fingerprint(world), { code: 'bad_input', message: 'm' }));
    expect(world.planItem(a).find(({ task }) => task === 'swap:a')).toMatchObject({
      action: 'begin',
      why: expect.stringContaining('bad_input'),
      estimate: { credits: 10 },
    });
  });

  test.each([
    ['that is missing', 'a.png', undefined, 'does not exist'],
    ['that is empty', 'a.png', '', 'is empty'],
    ['that the service does not take', 'a.pdf', 'x', 'takes no .pdf file'],
  ])('is a file %s: it says so, and what needs it is blocked', (_, file, content, why) => {
    const world = new World(swapping.replace('"${{ item.key }}.png"', file));
    world.disk.inputs.set('actor.png', 'actor');
    if (content !== undefined) world.disk.inputs.set(file, content);
    const [, photo, swap] = world.planItem(a);
    expect(photo).toMatchObject({
      action: 'problem',
      problem: { message: expect.stringContaining(why) },
    });
    expect(swap?.action).toBe('blocked');
  });
});

describe('a deleted project', () => {
  const tidying = `${swapping}  tidy: { uses: delete, with: { of: swap } }\n`;
  const more = `  more: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.swap.url }}", source_file_path: "\${{ steps.actor.file_path }}" } } }\n`;

  /** A world in which everything was done and tidied, seen with a new step that needs the result. */
  function tidied(next = tidying + more): World {
    const before = swapWorld(tidying);
    before.doAll(a);
    expect(before.actions(a)).toMatchObject({ 'swap:a': 'reuse', 'tidy:a': 'reuse' });
    const after = swapWorld(next);
    for (const [path, content] of before.disk.outputs) after.disk.outputs.set(path, content);
    for (const line of before.ledger.jobs()) after.ledger.apply({ type: 'job', line });
    return after;
  }

  test('stays reused where its file is there, and a later step can use it', () => {
    expect(tidied().actions(a)).toMatchObject({
      'swap:a': 'reuse',
      'save:a': 'reuse',
      'more:a': 'begin',
    });
  });

  test('is lost where a later step needs it and its file is gone', () => {
    const world = tidied();
    world.disk.outputs.clear();
    const more = world.planItem(a).find(({ task }) => task === 'more:a');
    expect(more).toMatchObject({
      action: 'lost',
      why: expect.stringContaining('its file is gone'),
      estimate: { credits: 10 },
    });
  });

  test('is lost to a download whose file is gone', () => {
    const world = tidied(tidying);
    world.disk.outputs.clear();
    expect(world.actions(a)).toMatchObject({ 'swap:a': 'reuse', 'save:a': 'lost' });
  });

  describe('whose file another checkout saved', () => {
    /** The state file of a world, in a checkout without its outputs. */
    function cloned(before: World): World {
      for (const path of before.disk.outputs.keys()) before.disk.elsewhere.add(path);
      before.disk.outputs.clear();
      return before;
    }

    test('is reused, counted, and pays for nothing', () => {
      const world = cloned(tidied(tidying));
      expect(world.actions(a)).toMatchObject({
        'swap:a': 'reuse',
        'save:a': 'reuse',
        'tidy:a': 'reuse',
      });
      const tally = new PlanTally();
      for (const planned of world.planItem(a)) tally.add(planned);
      expect(tally.plan(['save'])).toMatchObject({
        files: { changed: 0, elsewhere: 1, stored: 0 },
        credits: 0,
        noted: 0,
      });
    });

    test('is lost to a later step that needs its bytes, with a way to get them', () => {
      const world = cloned(tidied());
      expect(world.planItem(a).find(({ task }) => task === 'more:a')).toMatchObject({
        action: 'lost',
        why: 'swap:a is needed, but its project was deleted and out/a-out.png is elsewhere: copy the file here from the checkout that saved it',
      });
    });

    test('is lost where the run requires it', () => {
      const world = cloned(tidied(tidying));
      world.requireOutputs = true;
      expect(world.actions(a)).toMatchObject({ 'swap:a': 'reuse', 'save:a': 'lost' });
    });

    test('keeps its project, and that is no failure', () => {
      const before = swapWorld();
      before.doAll(a);
      const world = swapWorld(tidying);
      for (const line of before.ledger.jobs()) world.ledger.apply({ type: 'job', line });
      for (const path of before.disk.outputs.keys()) world.disk.elsewhere.add(path);
      expect(world.planItem(a).find(({ task }) => task === 'tidy:a')).toMatchObject({
        action: 'defer',
        why: 'kept: its files are elsewhere',
      });
      expect(endingOf('defer')).toBe('skipped');
      world.requireOutputs = true;
      expect(world.actions(a)).toMatchObject({ 'save:a': 'begin', 'tidy:a': 'begin' });
    });

    test('keeps its project also while a new step still uses it', () => {
      const before = swapWorld();
      before.doAll(a);
      const world = swapWorld(tidying + more);
      for (const line of before.ledger.jobs()) world.ledger.apply({ type: 'job', line });
      for (const path of before.disk.outputs.keys()) world.disk.elsewhere.add(path);
      expect(world.actions(a)).toMatchObject({ 'more:a': 'begin', 'tidy:a': 'defer' });
    });

    const chain = `${swapping}\
  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }
  paint: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.again.file_path }}" } } }
`;

    function painted(): World {
      const world = swapWorld(chain);
      world.doAll(a);
      // The upload reads what the download wrote.
      world.disk.inputs.set('out/a-out.png', 'save:a');
      world.doAll(a);
      world.disk.inputs.delete('out/a-out.png');
      return cloned(world);
    }

    test('and uploaded is reused by its recorded content', () => {
      expect(painted().actions(a)).toMatchObject({
        'save:a': 'reuse',
        'again:a': 'reuse',
        'paint:a': 'reuse',
      });
    });

    test('and uploaded is lost to a request once the upload has expired', () => {
      const before = painted();
      const world = swapWorld(chain.replace('paint: {', 'paint: { extra: { new: 1 },'));
      for (const line of before.ledger.jobs()) world.ledger.apply({ type: 'job', line });
      for (const path of before.disk.elsewhere) world.disk.elsewhere.add(path);
      expect(world.actions(a)).toMatchObject({ 'again:a': 'reuse', 'paint:a': 'begin' });
      world.now += 30 * day;
      expect(world.planItem(a).find(({ task }) => task === 'paint:a')).toMatchObject({
        action: 'lost',
        why: 'again:a must be uploaded again, but out/a-out.png is elsewhere: copy the file here from the checkout that saved it, or use --require-outputs while its project is at the service',
      });
    });
  });

  test('is not lost where its file was kept', () => {
    const world = tidied();
    world.disk.outputs.clear();
    world.disk.keptFiles.set(`${hash('save:a')}.png`, 'save:a');
    expect(world.actions(a)).toMatchObject({
      'swap:a': 'reuse',
      'save:a': 'copy',
      'more:a': 'begin',
    });
  });

  test('that is shared, and lost, is shown as lost where an item needs it', () => {
    const sharedText = `pipeline: p
items: { values: [{ key: a }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.actor.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: shared.png } }
  more: { uses: face-swap-photo, with: { name: "\${{ item.key }}", assets: { target_file_path: "\${{ steps.swap.url }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  tidy: { uses: delete, with: { of: swap } }
`;
    const before = swapWorld(sharedText.replace(/ {2}more:.*\n/, ''));
    before.doAll(a);
    const world = swapWorld(sharedText);
    for (const line of before.ledger.jobs()) world.ledger.apply({ type: 'job', line });
    expect(world.actions(a)).toMatchObject({ swap: 'reuse', 'more:a': 'lost', save: 'lost' });
  });
});

describe('a result that is lost here and at the service', () => {
  const tidying = `${swapping}  body: { uses: upload, with: { file: body.png } }
  more: { uses: head-swap, with: { assets: { head_file_path: "\${{ steps.swap.url }}", body_file_path: "\${{ steps.body.file_path }}" } } }
  tidy: { uses: delete, with: { of: swap } }
`;
  const done = (): World => {
    const world = swapWorld(tidying);
    world.disk.inputs.set('body.png', 'a body');
    world.doAll(a);
    expect(new Set(Object.values(world.actions(a)))).toEqual(new Set(['reuse']));
    world.disk.outputs.clear();
    return world;
  };
  const paying = (world: World): World => {
    world.payAgain = new Set();
    return world;
  };

  test('is called lost, and nothing is bought for it', () => {
    expect(done().actions(a)).toMatchObject({ 'swap:a': 'reuse', 'save:a': 'lost' });
  });

  test('is bought again with --pay-again, at its price; what was made of it stays', () => {
    const world = paying(done());
    expect(world.actions(a)).toMatchObject({
      ...{ 'photo:a': 'reuse', 'swap:a': 'begin', 'save:a': 'begin', 'tidy:a': 'begin' },
      ...{ 'more:a': 'reuse' },
    });
    expect(world.planned('swap:a', a)).toMatchObject({
      ...{ why: 'its result is lost', estimate: { known: true, credits: 10 } },
    });
  });

  test('is bought again, once, for a request that needs it, too', () => {
    const world = done();
    world.disk.inputs.set('body.png', 'another body');
    expect(world.actions(a)).toMatchObject({ 'swap:a': 'reuse', 'more:a': 'lost' });
    expect(paying(world).actions(a)).toMatchObject({ 'swap:a': 'begin', 'more:a': 'begin' });
  });
});
