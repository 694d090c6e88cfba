// Defaults and profiles with the real command: what is printed, and what is paid.
import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plan } from '../../src/features/plan/plan.ts';
import { runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { renderProblem, resultOf } from '../../src/language/load/refusal.ts';
import type { LocalService } from '../../src/service/start.ts';
import { envOf, photo, Rig, service } from '../rig.ts';
import { found, named, pruned } from './orphaned.ts';
import { drop, WatchedRig } from './watched.ts';

const pipeline = `pipeline: p
items: { glob: "photos/*.png" }
output: out
defaults: { retry: { attempts: 2 } }
profiles:
  large: { with: { up: { scale_factor: 4 } } }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut:
    uses: image-background-remover
    with: { name: a, assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  up:
    uses: ai-image-upscaler
    with: { scale_factor: 2, style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps.cut.url }}" } }
  save: { uses: download, with: { of: up, to: "\${{ item.stem }}.png" } }
`;

async function withPhotos(text = pipeline): Promise<Rig> {
  const rig = new Rig(text);
  rig.write('photos/a.png', await photo(1));
  return rig;
}

/** Runs a pipeline to its end, with or without a profile. */
async function runs(file: string, local: LocalService, profile?: string): Promise<void> {
  const loaded = await loadPipeline(file, { profile });
  const pace = { backoffMs: 1, speedFactor: 1000 };
  const { summary } = await runWith(loaded, { env: envOf(local) }, pace);
  expect(summary.outcome).toBe('done');
}

describe('the file as it is run', () => {
  test('has the same plan beside the original, and reuses all that the original paid for', async () => {
    const rig = await withPhotos();
    const local = await service();
    const env = envOf(local);
    await runs(rig.file, local, 'large');
    const printed = await rig.command(
      ['plan', 'pipeline.yaml', '--resolved', '--profile', 'large'],
      env,
    );
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(printed.stdout.split('\n')[0]).toBe('# pipeline.yaml as it is run with --profile large');
    for (const secret of [local.key, local.address, rig.folder])
      expect(printed.stdout).not.toContain(secret);
    rig.write('resolved.yaml', printed.stdout);
    const original = await plan(await loadPipeline(rig.file, { profile: 'large' }), { env });
    const resolved = await plan(await loadPipeline(rig.path('resolved.yaml')), { env });
    expect(resolved.plan).toEqual(original.plan);
    expect(original.plan).toMatchObject({ credits: 0 });
    const before = local.ledger().length;
    await runs(rig.path('resolved.yaml'), local);
    expect(local.ledger()).toHaveLength(before);
  });

  test('is printed as JSON too', async () => {
    const rig = await withPhotos();
    const { stdout } = await rig.command(['plan', 'pipeline.yaml', '--resolved', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ yaml: expect.stringContaining('attempts: 2') });
  });
});

test('validate checks every profile, and says which one is wrong', async () => {
  const rig = await withPhotos(pipeline.replace('scale_factor: 4', 'scale_factor: 3'));
  const { code, stderr } = await rig.command(['validate', 'pipeline.yaml']);
  expect(code).toBe(2);
  expect(stderr).toContain('pipeline.yaml:6:40: error SL104');
  expect(stderr).toContain('(with --profile large)');
});

test('profiles share the state file: a result is paid once for each, and prune keeps those of all', async () => {
  const rig = await withPhotos();
  const local = await service();
  const charged = async (profile?: string): Promise<number> => {
    const before = local.ledger().length;
    await runs(rig.file, local, profile);
    return local.ledger().length - before;
  };
  expect(await charged()).toBe(2);
  expect(await charged('large')).toBe(1);
  expect(await charged()).toBe(0);
  expect(await charged('large')).toBe(0);
  // The file that a profile replaced is kept beside the one that it saved again.
  const copy = { files: [], kept: 1, projects: [] };
  expect(named(await found(rig, local))).toEqual(copy);
  expect(named((await pruned(rig, local)).removed)).toEqual(copy);
  expect(await charged()).toBe(0);
  expect(await charged('large')).toBe(0);
  // Without the profile in the file, its result is an orphan.
  rig.write('pipeline.yaml', pipeline.replace(/profiles:\n.*\n/, ''));
  expect(named(await found(rig, local)).projects).toEqual(['up:a.png']);
});

test('a watch applies the profile to a changed file, and waits while it is missing', async () => {
  const rig = new WatchedRig(await service({ credits: 1000 }), pipeline);
  await drop(rig, 'photos/a.png', 1);
  const watching = rig.watch({ profile: 'large' });
  await watching.ran(1);
  rig.write('pipeline.yaml', pipeline.replace('  large:', '  larger:'));
  await watching.until('it is missed', () => watching.of('invalid').length === 1);
  const [wrong] = watching.of('invalid');
  expect(wrong?.problem.diagnostics).toMatchObject([{ code: 'SL912' }]);
  rig.write('pipeline.yaml', pipeline);
  await watching.until('it is there again', () => watching.of('watching').length === 2);
  await watching.stop();
});

test('a rehearsal keeps the output folders of profiles apart, as a hosted run does', async () => {
  const draft = 'draft: { output: out/draft, with: { up: { scale_factor: 4 } } }';
  const changed = pipeline.replace(
    'profiles:\n',
    `profiles:\n  ${draft}\n  look: { output: out/draft }\n`,
  );
  const rig = await withPhotos(changed);
  const saved = async (profile?: string): Promise<string> => {
    const { output, summary } = await runWith(
      await loadPipeline(rig.file, { profile }),
      { rehearse: true, rehearsalPictures: 'plain' },
      { backoffMs: 1 },
    );
    expect(summary.outcome).toBe('done');
    return relative(rig.folder, output);
  };
  const own = await saved();
  const before = rig.files(own).map((name) => rig.read(`${own}/${name}`));
  const drafts = await saved('draft');
  expect([own, drafts]).toEqual(['.shotlist/rehearsal/p/out', '.shotlist/rehearsal/p/out-draft']);
  expect(rig.files(drafts)).toEqual(rig.files(own));
  expect(rig.files(own).map((name) => rig.read(`${own}/${name}`))).toEqual(before);
  expect(rig.files(drafts).map((name) => rig.read(`${drafts}/${name}`))).not.toEqual(before);
  expect(await saved('large')).toBe(own);
  expect(await saved('look')).toBe(drafts);
});

test('a library user loads a profile', async () => {
  const rig = await withPhotos();
  expect((await loadPipeline(rig.file, { profile: 'large' })).name).toBe('p');
  const none = await resultOf(() => loadPipeline(rig.file, { profile: 'small' }));
  expect(none.ok ? '' : renderProblem(none.error)).toContain(
    '--profile small: the pipeline has no such profile',
  );
});
