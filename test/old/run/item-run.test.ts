// One item in progress: whose outputs it has, what it still uses, and whether anything was done for it.
import { describe, expect, test } from 'vitest';
import type { Fingerprint } from '../../../src/model/fingerprint.ts';
import { valueItem } from '../../../src/model/item.ts';
import type { NewEvent } from '../../../src/model/line.ts';
import { ItemRun } from '../../../src/run/item-run.ts';
import { fingerprint, Parts } from './parts.ts';

const pipeline = `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  more: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.swap.url }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
  again: { uses: upload, with: { file: "\${{ steps.save.path }}" } }
  fetch: { uses: download, with: { of: more, to: "\${{ item.key }}-more.png" } }
  tidy: { uses: delete, with: { of: swap } }
  twin: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  late: { uses: photo-colorizer, needs: [tidy], with: { assets: { image_file_path: "\${{ steps.twin.url }}" } } }
  last: { uses: download, with: { of: late, to: "\${{ item.key }}-late.png" } }
`;

const project = fingerprint('project');
const base = { inputs: {}, env: {}, run: {} };

const done = (job: Fingerprint, task: string): readonly NewEvent[] => [
  {
    ...{ event: 'intent', job, task, kind: 'face-swap-photo', attempt: 1, name: 'n', reserve: 4 },
  },
  { event: 'created', job, project: 'p', credits: 7 },
  { event: 'settled', job, status: 'complete', credits: 7, result: { downloads: 1 } },
];

class Scene extends Parts {
  constructor() {
    super({ pipeline });
    this.journal.append(done(project, 'swap:a'));
    const [upload] = [fingerprint('upload')];
    const result = { file_path: 'f' };
    this.journal.append([
      { event: 'supplied', job: upload, task: 'photo:a', kind: 'upload', result },
      {
        ...{ event: 'output', job: project, task: 'save:a', index: 0, path: 'out/a.png' },
        ...{ bytes: 3, sha256: fingerprint('file') },
      },
    ]);
  }

  give(
    item: ItemRun,
    step: string,
    job: Fingerprint = project,
    live?: Record<string, string>,
  ): void {
    item.setOutputs(this.step(step), job, this.ledger.job(job), live);
  }
}

describe('what a step gave', () => {
  test('belongs to the item run that performs the step, the shared ones to all', () => {
    const scene = new Scene();
    const item = scene.item('a');
    expect(item.ownerOf('swap')).toBe(item);
    expect(item.ownerOf('actor')).toBe(scene.shared);
    expect(item.ownerOf('nobody')).toBeUndefined();
    expect(scene.shared.ownerOf('swap')).toBeUndefined();
    expect([item.isShared, scene.shared.isShared]).toEqual([false, true]);
  });

  test('is seen by its item, and that of the shared steps by every item', () => {
    const scene = new Scene();
    const [a, b] = [scene.item('a'), scene.item('b')];
    scene.give(scene.shared, 'actor', fingerprint('upload'), { file_path: 'actor' });
    scene.give(a, 'swap', project, { url: 'u' });
    expect(a.outputsOf('swap')?.fingerprint).toBe(project);
    expect(b.outputsOf('swap')).toBeUndefined();
    expect(b.outputsOf('actor')?.fingerprint).toBe(fingerprint('upload'));
    expect([a.hasOutputs('swap'), a.hasOutputs('actor'), b.hasOutputs('swap')]).toEqual([
      ...[true, false, false],
    ]);
    expect(scene.shared.outputsOf('nobody')).toBeUndefined();
    expect(a.live(base).steps).toMatchObject({
      ...{ actor: { file_path: 'actor' }, swap: { url: 'u' } },
    });
    expect(Object.keys(b.live(base).steps ?? {})).toEqual(['actor']);
    const names = a.byContent(base);
    expect(names.fingerprintOfStep('swap')).toBe(project);
    expect(names.fingerprintOfStep('more')).toBeUndefined();
    expect(names.scope.steps).toMatchObject({
      swap: { status: 'complete', credits_charged: 7n },
    });
  });

  test('is the paths of its files for a download, whatever is live', () => {
    const scene = new Scene();
    const item = scene.item('a');
    scene.give(item, 'save');
    expect(item.outputsOf('save')?.live).toMatchObject({ path: 'out/a.png', bytes: 3 });
    expect(item.live(base).steps).toMatchObject({ save: { path: 'out/a.png' } });
    expect(item.byContent(base).scope.steps).toMatchObject({ save: { path: 'out/a.png' } });
  });

  test('can be made fresh, once there is something', () => {
    const scene = new Scene();
    const item = scene.item('a');
    expect(() => item.setLive('swap', {})).toThrow('bug: swap has given nothing yet');
    scene.give(item, 'swap');
    expect(item.outputsOf('swap')?.live).toBeUndefined();
    item.setLive('swap', { url: 'fresh' });
    expect(item.outputsOf('swap')?.live).toEqual({ url: 'fresh' });
    expect(item.live(base).steps).toMatchObject({ swap: { url: 'fresh' } });
  });

  test('needs a job, or there is a bug', () => {
    const scene = new Scene();
    expect(() => scene.give(scene.item('a'), 'swap', fingerprint('unknown'))).toThrow(
      'bug: swap:a gave without a job',
    );
  });
});

describe('a project', () => {
  const tidy = (scene: Scene) => scene.step('tidy');

  test('is used while a step that uses it is not over', () => {
    const scene = new Scene();
    const item = scene.item('a');
    expect(item.stillUses(project, tidy(scene))).toBe(false);
    scene.give(item, 'swap');
    expect(item.stillUses(project, tidy(scene))).toBe(true);
    expect(item.stillUses(fingerprint('other'), tidy(scene))).toBe(false);
    item.end('more', 'done');
    expect(item.stillUses(project, tidy(scene))).toBe(true);
    expect(item.stillUses(project, tidy(scene))).toBe(true);
    item.end('save', 'failed');
    expect(item.stillUses(project, tidy(scene))).toBe(false);
    // Another step with the same content has the same project. What waits for the delete does not count.
    scene.give(item, 'twin');
    expect(item.stillUses(project, tidy(scene))).toBe(false);
    expect(item.stillUses(project, scene.step('fetch'))).toBe(true);
    item.end('late', 'done');
    expect(item.stillUses(project, scene.step('fetch'))).toBe(false);
  });

  test('is not used by a step that uses a saved file of it', () => {
    const scene = new Scene();
    const item = scene.item('a');
    scene.give(item, 'save');
    expect(item.stillUses(project, tidy(scene))).toBe(false);
  });

  test('of a shared step is used by items', () => {
    const steps = new Scene().pipeline.steps;
    const scene = new Scene();
    const shared = new ItemRun({
      ...{ steps: steps.filter(({ name }) => name === 'swap'), item: undefined },
    });
    scene.give(shared, 'swap');
    const item = new ItemRun({
      ...{ steps: steps.filter(({ name }) => name === 'save'), item: valueItem({ key: 'a' }, 0) },
      around: shared,
    });
    expect(item.stillUses(project, tidy(scene))).toBe(true);
    expect(shared.stillUses(project, tidy(scene))).toBe(false);
  });
});

describe('an item', () => {
  test.each([
    ['done', true],
    ['failed', true],
    ['blocked', true],
    ['reused', false],
    ['skipped', false],
    ['excluded', false],
  ] as const)('whose task is shown as %s has changed: %s', (shown, changed) => {
    const item = new Scene().item('a');
    const files = undefined;
    expect(item.report('swap', { ending: shown, files })).toBeUndefined();
    expect(item.hasChanged).toBe(changed);
    expect(item.report('swap', { ending: 'done', files })?.ending).toBe(shown);
    expect(item.report('swap', { ending: 'done', files })?.ending).toBe('done');
  });

  test.each([
    ['done', false],
    ['skipped', false],
    ['excluded', false],
    ['failed', true],
    ['doubt', true],
    ['pending', true],
    ['blocked', true],
  ] as const)('with a task that ended as %s is unfinished: %s', (ending, unfinished) => {
    const item = new Scene().item('a');
    item.end('photo', ending);
    expect(item.isUnfinished).toBe(unfinished);
    expect(item.phase('photo')).toBe(ending);
  });

  test('does a step again until it has given again, and has its inputs supplied again once', () => {
    const scene = new Scene();
    const item = scene.item('a');
    item.redo('swap');
    expect(item.isRedone('swap')).toBe(true);
    scene.give(item, 'swap');
    expect(item.isRedone('swap')).toBe(false);
    expect([item.mayResupply('swap'), item.mayResupply('swap')]).toEqual([true, false]);
    expect(item.mayResupply('more')).toBe(true);
  });

  test('names its tasks, and those that save what a delete removes', () => {
    const scene = new Scene();
    expect(
      scene
        .item('a')
        .saversOf(scene.step('tidy'))
        .map(({ name }) => name),
    ).toEqual(['save']);
    expect(scene.item('a').task(scene.step('swap'))).toBe('swap:a');
    expect(scene.shared.task(scene.step('actor'))).toBe('actor');
  });
});
