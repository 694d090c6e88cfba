// Defaults, fragments and profiles with the real command: what is printed, what is paid, what a stranger's file cannot do.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
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

const cut = `description: Cuts out what is in the item's photo.
inputs: { label: { type: string } }
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut:
    uses: image-background-remover
    with: { name: "\${{ inputs.label }}", assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
`;
const pipeline = `pipeline: p
items: { glob: "photos/*.png" }
output: out
include: [{ file: common/cut.yaml, as: main, with: { label: a } }]
defaults: { retry: { attempts: 2 } }
profiles:
  large: { with: { up: { scale_factor: 4 } } }
steps:
  up:
    uses: ai-image-upscaler
    with: { scale_factor: 2, style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps['main-cut'].url }}" } }
  save: { uses: download, with: { of: up, to: "\${{ item.stem }}.png" } }
`;

async function withPhotos(text = pipeline): Promise<Rig> {
  const rig = new Rig(text);
  rig.write('common/cut.yaml', cut);
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
    expect(JSON.parse(stdout)).toMatchObject({ yaml: expect.stringContaining('main-cut:') });
  });
});

test('validate checks every profile, and says which one is wrong', async () => {
  const rig = await withPhotos(pipeline.replace('scale_factor: 4', 'scale_factor: 3'));
  const { code, stderr } = await rig.command(['validate', 'pipeline.yaml']);
  expect(code).toBe(2);
  expect(stderr).toContain('pipeline.yaml:7:40: error SL104');
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

test('an include touches nothing outside the repository', async () => {
  const including = (file: string): string =>
    pipeline.replace('common/cut.yaml', file).replaceAll('photos/', '../photos/');
  const rig = await withPhotos();
  rig.write('repository/.git/HEAD', '');
  rig.write('repository/.git/hidden.yaml', cut);
  mkdirSync(rig.path('repository/links'));
  symlinkSync(rig.path('common/cut.yaml'), rig.path('repository/links/file.yaml'));
  symlinkSync(rig.path('common'), rig.path('repository/links/folder'));
  for (const [file, why] of [
    ['../common/cut.yaml', 'is outside the repository'],
    ['x/../../common/cut.yaml', 'is outside the repository'],
    ['links/file.yaml', 'is outside the repository'],
    ['links/folder/cut.yaml', 'is outside the repository'],
    ['.git/hidden.yaml', 'is in a .git folder'],
    ['links', 'is a folder'],
  ] as const) {
    rig.write('repository/pipeline.yaml', including(file));
    const loaded = await resultOf(() => loadPipeline(rig.path('repository/pipeline.yaml')));
    const said = loaded.ok ? '' : renderProblem(loaded.error);
    expect(said, file).toContain(why);
    expect(said, file).toContain(
      `repository/pipeline.yaml:4:19: error ${file === 'links' ? 'SL902' : 'SL702'}: include: `,
    );
  }
  // A folder above the pipeline, in the same repository, is fine.
  rig.write('.git/HEAD', '');
  rig.write('pipelines/pipeline.yaml', including('../common/cut.yaml'));
  expect((await loadPipeline(rig.path('pipelines/pipeline.yaml'))).name).toBe('p');
});

test('consent to a service ends when an included file changes', async () => {
  const local = await service();
  const rig = await withPhotos(`service: ${local.address}\n${pipeline}`);
  const env = { SHOTLIST_API_KEY: local.key, XDG_STATE_HOME: rig.path('user') };
  const codeOf = async (): Promise<number | null> =>
    (await rig.command(['plan', 'pipeline.yaml'], env)).code;
  expect(await codeOf()).toBe(2);
  expect(await rig.command(['trust', 'pipeline.yaml'], env)).toMatchObject({ code: 0 });
  expect(await codeOf()).toBe(0);
  rig.write('common/cut.yaml', cut.replace('item.path', 'item.path + ""'));
  expect(await codeOf()).toBe(2);
  rig.write('common/cut.yaml', cut);
  expect(await codeOf()).toBe(0);
});

test('a watch takes up a changed fragment, and waits while it is missing or wrong', async () => {
  const rig = new WatchedRig(await service({ credits: 1000 }), pipeline);
  rig.write('common/cut.yaml', cut);
  await drop(rig, 'photos/a.png', 1);
  const watching = rig.watch({ profile: 'large' });
  await watching.ran(1);
  rmSync(rig.path('common/cut.yaml'));
  await watching.until('it is missed', () => watching.of('invalid').length === 1);
  rig.write('common/cut.yaml', cut.replace('uses: upload', 'uses: uplod'));
  await watching.until('it is wrong', () => watching.of('invalid').length === 2);
  const [, wrong] = watching.of('invalid');
  expect(wrong === undefined ? '' : renderProblem(wrong.problem)).toContain(
    '> 4 |   photo: { uses: uplod',
  );
  rig.write('common/cut.yaml', cut);
  await watching.until('it is right again', () => watching.of('watching').length === 2);
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
