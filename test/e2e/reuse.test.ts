// Profiles in a watch and in a rehearsal; what is paid for them: test/stories/profiles.test.ts.
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { runWith } from '../../src/features/run/run.ts';
import { loadPipeline } from '../../src/language/load/load.ts';
import { photo, Rig, service } from '../rig.ts';
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
