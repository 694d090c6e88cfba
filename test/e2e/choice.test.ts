// Choosing steps and items: a run does what was chosen, plan says the same beforehand, what is left out is never deleted,
// and whatever was chosen in which order, the next full run completes everything and pays for nothing twice.
import { describe, expect, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import type { RunOptions } from '../../src/features/run/run.ts';
import { status } from '../../src/features/status/status.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import type { LocalService } from '../../src/service/start.ts';
import {
  bill,
  envOf,
  photo,
  photoPipeline,
  photoRig,
  type Rig,
  service,
  type Told,
} from '../rig.ts';
import { sampleOf } from '../sweep.ts';

type Chosen = Pick<RunOptions, 'items' | 'only' | 'until' | 'exclude' | 'retryFailed'>;

/** For each step: how many tasks are done, reused, excluded. */
type Steps = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What plan says a run would do, in the words of a run. */
async function foretold(rig: Rig, local: LocalService, chosen: Chosen): Promise<Steps> {
  const loaded = await loadPipeline(rig.file);
  const planned = await plan(loaded, { ...chosen, env: envOf(local) });
  const words: Readonly<Record<string, string>> = {
    begin: 'done',
    maybe: 'done',
    attach: 'done',
    copy: 'done',
    reuse: 'reused',
  };
  const steps: Record<string, Record<string, number>> = {};
  for (const { step, tasks } of planned.plan.rows) {
    const counts: Record<string, number> = {};
    for (const [action, count] of Object.entries(tasks)) {
      const word = words[action] ?? action;
      counts[word] = (counts[word] ?? 0) + count;
    }
    steps[step] = counts;
  }
  return steps;
}

/** What a run did. */
function happened({ events }: Told): Steps {
  const steps: Record<string, Record<string, number>> = {};
  for (const one of events) {
    if (one.type !== 'task') continue;
    const counts = steps[one.step] ?? {};
    counts[one.ending] = (counts[one.ending] ?? 0) + 1;
    steps[one.step] = counts;
  }
  return steps;
}

const deletions = (local: LocalService): number =>
  local.requests()['DELETE /v1/image-projects/:id'] ?? 0;

const choices: readonly Chosen[] = [
  { only: ['swap'] },
  { only: ['save'] },
  { only: ['tidy'] },
  { only: ['actor', 'faces'] },
  { only: ['swap', 'save'] },
  { until: ['faces'] },
  { until: ['swap'] },
  { until: ['tidy'] },
  { exclude: ['save'] },
  { exclude: ['tidy'] },
  { exclude: ['swap'] },
  { exclude: ['photo'] },
  { exclude: ['actor'] },
  { until: ['save'], exclude: ['faces'] },
  { exclude: ['p2.png'] },
  { exclude: ['{p2,p3}.png', 'save'], only: ['swap', 'save'] },
  { items: { only: 'p[12].png' }, until: ['save'] },
  { items: { limit: 1 } },
  { retryFailed: true },
];

// EVERY=1 tries every choice at each of these moments.
describe.each([
  ['at the beginning', undefined, sampleOf(choices, 13)],
  ['when all photos are swapped', { until: ['swap'] }, sampleOf(choices, 13, 1)],
  ['when one photo is finished', { items: { only: 'p2.png' } }, sampleOf(choices, 13, 2)],
] as const)('%s', (_name, before, tried) => {
  test.each(tried.map((chosen) => [JSON.stringify(chosen), chosen] as const))(
    '%s: plan and run agree, nothing unsaved is deleted, and the next full run completes it',
    async (_words, chosen) => {
      const local = await service();
      const rig = await photoRig(3);
      if (before !== undefined) await rig.run(local, before);
      const expected = await foretold(rig, local, chosen);
      const told = await rig.run(local, chosen);
      expect(told.summary).toMatchObject({ outcome: 'done' });
      expect(happened(told)).toEqual(expected);
      expect(deletions(local)).toBeLessThanOrEqual(rig.files('out').length);
      expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
      expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10]);
      expect(rig.files('out')).toEqual(['p1.png', 'p2.png', 'p3.png']);
      expect(deletions(local)).toBe(3);
    },
  );
});

describe('a shared project that is deleted without a download', () => {
  /** The actor is coloured once; every photo's swap uses that, then it goes. */
  const sharing = `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  actor: { uses: upload, with: { file: actor.png } }
  coloured: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.actor.file_path }}" } } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap:
    uses: face-swap-photo
    with:
      name: \${{ item.stem }}
      assets:
        target_file_path: \${{ steps.photo.file_path }}
        source_file_path: \${{ steps.coloured.url }}
  save: { uses: download, with: { of: swap, to: "\${{ item.stem }}.png" } }
  drop: { uses: delete, with: { of: coloured, discard: true } }
`;

  test.each<[string, Chosen]>([
    ['--items', { items: { only: 'p1.png' } }],
    ['--exclude <a step that uses it>, also of some items', { exclude: ['swap', 'p3.png'] }],
    ['--until <a step that uses it>', { until: ['save'] }],
  ])('is kept with %s, since others need it still; plan says so', async (_flag, chosen) => {
    const local = await service();
    const rig = await photoRig(3, sharing);
    const expected = await foretold(rig, local, chosen);
    expect(expected['drop']).toEqual({ excluded: 1 });
    const told = await rig.run(local, chosen);
    expect(told.summary).toMatchObject({ outcome: 'done' });
    expect(happened(told)).toEqual(expected);
    expect(deletions(local)).toBe(0);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', items: { done: 3 } });
    expect(deletions(local)).toBe(1);
    expect([...bill(local.ledger()).values()]).toEqual([10, 10, 10, 10]);
    expect((await rig.run(local)).summary).toMatchObject({ tasks: { done: 0 } });
  });

  test('goes when all items are chosen', async () => {
    const local = await service();
    const rig = await photoRig(2, sharing);
    const chosen = { items: { only: 'p*.png', limit: 9 } };
    const expected = await foretold(rig, local, chosen);
    const told = await rig.run(local, chosen);
    expect(happened(told)).toEqual(expected);
    expect(deletions(local)).toBe(1);
  });
});

describe('--retry-failed', () => {
  const oneByOne = photoPipeline.replace('output: out', 'output: out\nlimits: { items: 1 }');
  const unfit = { fault: 'job-error', on: 'face-swap-photo', code: 'no_source_face' } as const;
  const keys = ({ events }: Told): readonly string[] =>
    events.flatMap((one) => (one.type === 'item' ? [one.item] : []));
  const failures = async (rig: Rig): Promise<readonly string[]> => {
    const { failures } = await status(await loadPipeline(rig.file), { hosted: true });
    return failures.map(({ task }) => task);
  };

  test('takes the items with tasks that failed, and no others', async () => {
    const local = await service({ faults: { faults: [{ ...unfit, skip: 1, count: 1 }] } });
    const rig = await photoRig(3, oneByOne);
    expect((await rig.run(local)).summary).toMatchObject({ outcome: 'failed' });
    expect(await failures(rig)).toEqual(['swap:p2.png']);
    rig.write('photos/a-new-one.png', await photo(9));
    const told = await rig.run(local, { retryFailed: true });
    expect(told.summary).toMatchObject({ outcome: 'done', items: { total: 1, done: 1 } });
    expect(keys(told)).toEqual(['p2.png']);
    expect(await failures(rig)).toEqual([]);
    expect([...bill(local.ledger()).values()].filter((credits) => credits > 0)).toEqual([
      10, 10, 10,
    ]);
    expect((await rig.run(local, { retryFailed: true })).summary).toMatchObject({
      outcome: 'done',
      items: { total: 0 },
    });
  });

  test('takes a photo whose changed content failed, although its first content was done', async () => {
    const local = await service({ faults: { faults: [{ ...unfit, skip: 2, count: 1 }] } });
    const rig = await photoRig(2, oneByOne);
    await rig.run(local);
    rig.write('photos/p1.png', await photo(50));
    expect((await rig.run(local)).summary.outcome).toBe('failed');
    expect(await failures(rig)).toEqual(['swap:p1.png']);
    const told = await rig.run(local, { retryFailed: true });
    expect(keys(told)).toEqual(['p1.png']);
    expect(told.summary).toMatchObject({ outcome: 'done', credits: { charged: 10 } });
  });

  test('lets a photo alone that failed and was replaced by one that is done; status no longer calls it failed', async () => {
    const local = await service({ faults: { faults: [{ ...unfit, count: 1 }] } });
    const rig = await photoRig(2, oneByOne);
    await rig.run(local);
    rig.write('photos/p1.png', await photo(50));
    expect((await rig.run(local)).summary.outcome).toBe('done');
    expect(await failures(rig)).toEqual([]);
    expect(keys(await rig.run(local, { retryFailed: true }))).toEqual([]);
  });

  test('takes every item when a shared task failed', async () => {
    const local = await service({
      faults: {
        faults: [{ fault: 'broken', when: 'before', status: 500, on: 'PUT /uploads/*', count: 5 }],
      },
    });
    const rig = await photoRig(2, oneByOne.replace(/ {2}photo:[\s\S]*/, ''));
    await rig.run(local);
    expect(await failures(rig)).toEqual(['actor']);
    expect((await rig.run(local, { retryFailed: true })).summary).toMatchObject({
      outcome: 'done',
      items: { total: 2 },
    });
  });
});

describe('the commands', () => {
  test('refuse what does not exist with exit code 2, and send nothing', async () => {
    const local = await service();
    const rig = await photoRig(2);
    for (const [command, args, says] of [
      ['plan', ['--only', 'swpa'], '--only swpa: there is no such step; did you mean "swap"'],
      ['run', ['--exclude', 'tydi'], 'there is no such step, and no item matches it'],
      ['run', ['--only'], 'argument missing'],
    ] as const) {
      const { code, stderr } = await rig.command([command, 'pipeline.yaml', ...args], envOf(local));
      expect(stderr, command).toContain(says);
      expect(code, command).toBe(2);
    }
    expect(local.requests()).toEqual({});
  });

  test('say what is excluded, and end with 0 when what was chosen is done', async () => {
    const local = await service();
    const rig = await photoRig(2);
    const chosen = ['--until', 'save', '--exclude', 'p2.png'];
    const plan = await rig.command(['plan', 'pipeline.yaml', ...chosen, '--json'], envOf(local));
    expect(JSON.parse(plan.stdout).plan).toMatchObject({ credits: 10 });
    const run = await rig.command(['run', 'pipeline.yaml', ...chosen], envOf(local));
    expect(run.code).toBe(0);
    expect(rig.files('out')).toEqual(['p1.png']);
    expect(deletions(local)).toBe(0);
  });
});
