// What counts as an orphan, by the plan and the state file alone.
import { describe, expect, test } from 'vitest';
import { findOrphans } from '../../../src/features/prune/find-orphans.ts';
import { lostForGood, type Orphans } from '../../../src/features/prune/orphan.ts';
import { PlanReferences, pathKey } from '../../../src/features/prune/references.ts';
import type { KeptFile } from '../../../src/files/leftovers.ts';
import { uploadFingerprint } from '../../../src/model/fingerprint.ts';
import { valueItem } from '../../../src/model/item.ts';
import type { JobView } from '../../../src/model/job-view.ts';
import { Disk, hash, jobLine, outputLine, pipelineOf } from '../../tables/plan-world.ts';

const store = '0123456789abcdef';

const pipeline = (more = '') => `pipeline: p
items: { values: [{ key: a }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  swap: { uses: image-background-remover, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}.png" } }
${more}`;

/** A job of one item, saved at `out/<key>.png` with its words as content. */
function job(words: string, key: string, more: Partial<JobView> = {}): JobView {
  return jobLine('complete', {
    ...{ job: hash(words), kind: 'image-background-remover', tasks: [`swap:${key}`] },
    ...{ project: `project of ${words}`, credits: 5, result: { downloads: 1 } },
    outputs: [outputLine(`save:${key}`, `out/${key}.png`, words)],
    ...more,
  });
}

interface Scene {
  readonly text?: string;
  readonly jobs: readonly JobView[];
  /** The fingerprints of planned swaps, by the item's key; undefined: not decided. */
  readonly planned?: Readonly<Record<string, string | undefined>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly kept?: readonly string[];
  /** Files that a step uploads. */
  readonly reads?: readonly string[];
  /** The contents of files that a step uploads. */
  readonly uploads?: readonly string[];
  readonly unseen?: readonly string[];
  readonly unreachable?: readonly string[];
  readonly store?: string;
}

function orphansIn(scene: Scene): Orphans {
  const { text = pipeline(), jobs, planned = { a: 'of a' }, files = {} } = scene;
  const { steps } = pipelineOf(text);
  const disk = new Disk();
  for (const [path, content] of Object.entries(files)) disk.outputs.set(path, content);
  const kept = (scene.kept ?? []).map((content): KeptFile => {
    disk.keptFiles.set(`${hash(content)}.png`, content);
    return { sha256: hash(content), extension: 'png', bytes: content.length, at: 0 };
  });
  const jobOf = (fingerprint: string) => jobs.find((one) => one.job === fingerprint);
  const references = new PlanReferences(
    jobOf,
    () => [],
    (path) => path,
  );
  const step = (name: string) => {
    const found = steps.find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no step ${name}`);
    return found;
  };
  const items = Object.keys(planned).map((key, index) => valueItem({ key }, index));
  for (const { key } of items) {
    const words = planned[key];
    if (words === undefined) references.awaits(step('swap'));
    else references.needs(hash(words), '');
  }
  for (const file of scene.reads ?? []) references.reads(file);
  for (const content of scene.uploads ?? []) references.needs(uploadFingerprint(hash(content)), '');
  return findOrphans({
    ...{ steps, items, references, kept, jobOf },
    jobs: () => jobs,
    facts: {
      store: scene.store,
      output: (path) => disk.output(path),
      kept: (digest, extension) => disk.kept(digest, extension),
      isElsewhere: (output) => disk.isElsewhere(output),
    },
    leftovers: {
      isGone: (item) => scene.unseen?.includes(item) !== true,
      isReachable: (path) => scene.unreachable?.includes(path) !== true,
      writtenAt: () => 0,
    },
  });
}

const found = (scene: Scene) => {
  const { files, kept, projects } = orphansIn(scene);
  return {
    files: files.map(({ path }) => path),
    kept: kept.length,
    projects: projects.map(({ project }) => project),
  };
};

const nothing = { files: [], kept: 0, projects: [] };
const [a, b] = [job('of a', 'a'), job('of b', 'b')];
const files = { 'out/a.png': 'of a', 'out/b.png': 'of b' };
const ofB = { files: ['out/b.png'], kept: 0, projects: ['project of of b'] };

describe('a result whose item is gone', () => {
  test('is an orphan, with its file and its project', () => {
    expect(found({ jobs: [a, b], files })).toEqual(ofB);
  });

  test('is none if a planned task has the same job, under any name', () => {
    expect(found({ jobs: [a, b], files, planned: { a: 'of a', c: 'of b' } })).toEqual(nothing);
  });

  test('is none while a step of its kind is not decided', () => {
    const scene = { jobs: [a, b], files, planned: { a: 'of a', c: undefined } };
    expect(found(scene)).toEqual(nothing);
    expect(orphansIn(scene).left.undecided).toEqual([
      { step: 'swap', kind: 'image-background-remover', tasks: 1 },
    ]);
  });

  test('is none if the item may be out of sight', () => {
    const scene = { jobs: [a, b], files, unseen: ['b'] };
    expect(found(scene)).toEqual(nothing);
    expect(orphansIn(scene).left.unseen).toBe(1);
  });

  test('is none if its job is unfinished, in doubt, or of a kind that nobody knows', () => {
    for (const state of ['intended', 'doubt', 'created', 'failed', 'forgotten'] as const)
      expect(found({ jobs: [a, job('of b', 'b', { state })], files })).toEqual(nothing);
    expect(found({ jobs: [a, job('of b', 'b', { kind: 'unknown' })], files })).toEqual(nothing);
  });

  test.each([
    ['changed', { ...files, 'out/b.png': 'retouched' }],
    ['gone', { 'out/a.png': 'of a' }],
  ])('keeps its project if its file is %s', (_, files) => {
    const scene = { jobs: [a, b], files };
    expect(found(scene)).toEqual(nothing);
    expect(orphansIn(scene).left.unsaved).toBe(1);
  });

  test('keeps its project if one of several files is missing', () => {
    const two = job('of b', 'b', { result: { downloads: 2 } });
    expect(found({ jobs: [a, two], files })).toEqual({ ...ofB, projects: [] });
  });

  test('keeps a project of which nothing was ever downloaded', () => {
    expect(found({ jobs: [a, { ...b, outputs: [] }], files })).toEqual(nothing);
    expect(found({ jobs: [a, { ...b, result: {} }], files }).projects).toEqual([]);
  });

  test('may lose its project if only the store has its file', () => {
    const stored = job('of b', 'b', {
      outputs: [{ ...outputLine('save:b', 'out/b.png', 'of b'), stored: store }],
    });
    const scene = { jobs: [a, stored], files: { 'out/a.png': 'of a' }, store };
    expect(found(scene)).toEqual({ ...ofB, files: [] });
    expect(orphansIn(scene).projects[0]?.onlyStored).toHaveLength(1);
    expect(found({ ...scene, store: 'fedcba9876543210' })).toEqual(nothing);
  });

  test('keeps a file that a step uploads, by its path or by its content', () => {
    expect(found({ jobs: [a, b], files, reads: ['OUT/B.png'] }).files).toEqual([]);
    const upload = jobLine('supplied', { job: uploadFingerprint(hash('of b')), kind: 'upload' });
    const scene = { jobs: [a, b, upload], files };
    expect(found(scene).files).toEqual(['out/b.png']);
    expect(found({ ...scene, uploads: ['of b'] }).files).toEqual([]);
  });

  test('keeps a file at the path of a result that is needed, and calls it not changed', () => {
    const moved = job('of b', 'b', { outputs: [outputLine('save:b', 'out/A.png', 'of b')] });
    const scene = { jobs: [a, moved], files: { ...files, 'out/A.png': 'of a' } };
    expect(orphansIn(scene).left.changed).toEqual([]);
    expect(found({ ...scene, files: { ...files, 'out/A.png': 'of b' } }).files).toEqual([]);
  });

  test('is listed once if two jobs saved the same file', () => {
    const twin = job('twin', 'b', { outputs: [outputLine('save:b', 'out/b.png', 'of b')] });
    const { files: listed } = orphansIn({ jobs: [a, b, twin], files });
    expect(listed.map(({ records }) => records.map(({ job }) => job))).toEqual([
      [hash('of b'), hash('twin')],
    ]);
  });

  test('leaves a file that cannot be reached safely', () => {
    const scene = { jobs: [a, b], files, unreachable: ['out/b.png'] };
    expect(found(scene)).toEqual({ ...ofB, files: [] });
    expect(orphansIn(scene).left.outside).toBe(1);
  });

  test('is lost for good if neither the service nor the store keeps it', () => {
    expect(lostForGood(orphansIn({ jobs: [a, b], files }))).toEqual({ results: 1, credits: 5 });
    const stored = job('of b', 'b', {
      outputs: [{ ...outputLine('save:b', 'out/b.png', 'of b'), stored: store }],
    });
    const kept = lostForGood(orphansIn({ jobs: [a, stored], files, store }));
    expect(kept).toEqual({ results: 0, credits: 0 });
  });
});

describe('a result whose task the pipeline has, with other content', () => {
  const old = job('old a', 'a', { outputs: [outputLine('save:a', 'out/a-old.png', 'old a')] });
  const both = { ...files, 'out/a-old.png': 'old a' };

  test('keeps its file, and its project may go', () => {
    expect(found({ jobs: [a, old], files: both })).toEqual({
      ...nothing,
      projects: ['project of old a'],
    });
  });

  test('keeps its project if only a kept file has the result', () => {
    const replaced = job('old a', 'a');
    const scene = { jobs: [a, replaced], files, kept: ['old a'] };
    expect(found(scene)).toEqual({ ...nothing, kept: 1 });
    const [kept] = orphansIn(scene).kept;
    expect(kept?.records).toEqual([{ job: hash('old a'), task: 'save:a', index: 0 }]);
  });

  test('keeps its kept file if that is the only copy', () => {
    const replaced = job('old a', 'a', { state: 'deleted' });
    const scene = { jobs: [a, replaced], files, kept: ['old a'] };
    expect(found(scene)).toEqual(nothing);
    expect(orphansIn(scene).left.lastCopies).toBe(1);
  });
});

describe('a kept file', () => {
  test('stays if nobody recorded its content', () => {
    const scene = { jobs: [a], files, kept: ['my own'] };
    expect(found(scene)).toEqual(nothing);
    expect(orphansIn(scene).left.unrecorded).toBe(1);
  });

  test('stays if one of its results needs it', () => {
    const twin = job('twin', 'c', {
      outputs: [outputLine('save:c', 'out/c.png', 'of b')],
    });
    const scene = { jobs: [a, b, twin], files: { 'out/a.png': 'of a' }, kept: ['of b'] };
    expect(found({ ...scene, planned: { a: 'of a', c: 'twin' } }).kept).toBe(0);
    expect(found(scene).kept).toBe(1);
  });

  test('is an orphan if its result is in its place too', () => {
    const [kept] = orphansIn({ jobs: [a], files, kept: ['of a'] }).kept;
    expect(kept?.records).toEqual([]);
  });
});

describe('the file of a photo with another name', () => {
  const renamed = job('of a', 'a', {
    outputs: [outputLine('save:a', 'out/a.png', 'of a'), outputLine('save:b', 'out/b.png', 'of a')],
  });

  test('is an orphan only if the new file is in its place', () => {
    const whole = { 'out/a.png': 'of a', 'out/b.png': 'of a' };
    expect(found({ jobs: [renamed], files: whole })).toEqual({ ...nothing, files: ['out/b.png'] });
    expect(found({ jobs: [renamed], files: { ...whole, 'out/a.png': 'other' } })).toEqual(nothing);
    expect(found({ jobs: [renamed], files: whole, unseen: ['b'] })).toEqual(nothing);
  });
});

describe('the results of earlier days', () => {
  test.each([
    [
      'a step that reads the day',
      'with: { assets: { image_file_path: "${{ steps.photo.file_path }}" }, name: "${{ run.date }}" } }',
    ],
    [
      'an if: that reads it',
      'if: size(run.due) == 0, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } } }',
    ],
  ])('of %s are history', (_, rest) => {
    const daily = pipeline().replace(/(swap: \{ uses: image-background-remover, ).*/, `$1${rest}`);
    const scene = { text: daily, jobs: [a, b], files };
    expect(found(scene)).toEqual(nothing);
    expect(orphansIn(scene).left.history).toBe(1);
  });

  test('of a step with a daily path, or below a daily step, are history', () => {
    const daily = pipeline().replace('to: "', 'to: "${{ run.date }}/');
    expect(found({ text: daily, jobs: [a, b], files })).toEqual(nothing);
    const below = pipeline().replace('file: "', 'file: "${{ run.date }}/');
    expect(found({ text: below, jobs: [a, b], files })).toEqual(nothing);
  });
});

test('two paths that some file system takes for one are one', () => {
  expect(pathKey('Out/É.png')).toBe(pathKey('out/e\u0301.PNG'));
});
