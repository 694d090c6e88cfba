// Profiles share the state file and the payments of their pipeline. What a person sees of them: test/transcripts/reuse.txt.
import { expect, test } from 'vitest';
import {
  type EditOptions,
  loadPipeline,
  type Orphans,
  orphans,
  type Plan,
  plan,
  prune,
  resolvedPipeline,
  run,
} from '../../src/index.ts';
import { World } from '../kit/world.ts';

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
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  up:
    uses: ai-image-upscaler
    with: { scale_factor: 2, style: { enhancement: Balanced }, assets: { image_file_path: "\${{ steps.cut.url }}" } }
  save: { uses: download, with: { of: up, to: "\${{ item.stem }}.png" } }
`;

const begin = (): World => new World(pipeline, { 'photos/a.png': 'rose' }, { disk: 'folder' });

const load = (world: World, { env }: EditOptions, profile?: string) =>
  loadPipeline(world.file, { env, profile });

/** How many creations a run sends. */
async function runs(world: World, profile?: string): Promise<number> {
  const before = world.service.projects.size;
  const { summary } = await world.do(async (_, own) => run(await load(world, own, profile), own));
  expect(summary.outcome).toBe('done');
  return world.service.projects.size - before;
}

const planned = (world: World, profile?: string): Promise<Plan> =>
  world.do(async (_, own) => (await plan(await load(world, own, profile), own)).plan);

test('the file as it is run has the same plan, and reuses all that the original paid for', async () => {
  const world = begin();
  await runs(world, 'large');
  const original = await planned(world, 'large');
  const { yaml } = resolvedPipeline(world.file, { profile: 'large' });
  world.edit(yaml);
  expect(await planned(world)).toEqual(original);
  expect(original.credits).toBe(0);
  expect(await runs(world)).toBe(0);
});

test('a result is paid once for each, and prune keeps those of all', async () => {
  const world = begin();
  for (const [profile, creations] of [
    [undefined, 2],
    ['large', 1],
    [undefined, 0],
    ['large', 0],
  ] as const)
    expect(await runs(world, profile)).toBe(creations);
  const named = ({ files, kept, projects }: Pick<Orphans, 'files' | 'kept' | 'projects'>) => [
    files.length,
    kept.length,
    projects.map(({ tasks }) => tasks[0]),
  ];
  const found = async () => named(await world.do((loaded, own) => orphans(loaded, own)));
  // The file that a profile replaced is kept beside the one that it saved again.
  expect(await found()).toEqual([0, 1, []]);
  const { removed } = await world.do((loaded, own) => prune(loaded, own));
  expect(named(removed)).toEqual([0, 1, []]);
  expect([await runs(world), await runs(world, 'large')]).toEqual([0, 0]);
  // Without the profile in the file, its result is an orphan.
  world.edit(pipeline.replace(/profiles:\n.*\n/, ''));
  expect((await found())[2]).toEqual(['up:a.png']);
});
