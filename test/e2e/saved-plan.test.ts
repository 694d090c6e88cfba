// `plan --out` and `run <plan>`: the run does what was shown, or nothing.
import { expect, test } from 'vitest';
import { envOf, photo, Rig, service } from '../rig.ts';

const pipeline = `pipeline: paint
inputs: { door: { type: string, default: red } }
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  paint:
    uses: photo-colorizer
    with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } }
  save: { uses: download, with: { of: paint, to: "\${{ item.name }}" } }
`;

async function world() {
  const rig = new Rig(pipeline);
  for (const [index, name] of ['a', 'b'].entries())
    rig.write(`photos/${name}.png`, await photo(index + 1));
  const local = await service();
  const shotlist = (...args: readonly string[]) => rig.command(args, envOf(local));
  return { rig, local, shotlist };
}

const charges = ({ local }: Awaited<ReturnType<typeof world>>): number =>
  local.ledger().filter(({ kind }) => kind === 'charge').length;

test('a saved plan is run as it was shown', async () => {
  const all = await world();
  const made = await all.shotlist('plan', 'pipeline.yaml', '--items', 'a.png', '--out', 'p.plan');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toContain('To do exactly this: shotlist run p.plan');
  const [header = '', ...tasks] = all.rig.read('p.plan').trim().split('\n');
  expect(JSON.parse(header)).toMatchObject({ pipeline: 'pipeline.yaml', plan: { credits: 10 } });
  expect(tasks).toHaveLength(3);
  expect(await all.shotlist('run', 'p.plan')).toMatchObject({ code: 0 });
  expect(charges(all)).toBe(1);
  expect(all.rig.files('out')).toEqual(['a.png']);
});

test.each([
  ['a file has changed', 'photos/b.png', 'paint:b.png'],
  ['an item is new', 'photos/c.png', 'photo:c.png'],
])('a saved plan is refused where %s, and nothing is bought', async (_, file, task) => {
  const all = await world();
  await all.shotlist('plan', 'pipeline.yaml', '--out', 'p.plan');
  all.rig.write(file, await photo(9));
  const refused = await all.shotlist('run', 'p.plan');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('is out of date, so nothing was sent');
  expect(refused.stderr).toContain(`the first difference is ${task.replace('paint', 'photo')}`);
  expect(charges(all)).toBe(0);
});

test('a saved plan is refused where the pipeline or the state file has moved on', async () => {
  const all = await world();
  await all.shotlist('plan', 'pipeline.yaml', '--out', 'p.plan');
  all.rig.write('pipeline.yaml', `${pipeline}# a word\n`);
  expect((await all.shotlist('run', 'p.plan')).stderr).toContain('the pipeline file');
  all.rig.write('pipeline.yaml', pipeline);
  expect((await all.shotlist('run', 'p.plan')).code).toBe(0);
  expect((await all.shotlist('run', 'p.plan')).stderr).toContain('the state file has changed');
  expect(charges(all)).toBe(2);
});

test('a saved plan takes no other choice, and is for one service', async () => {
  const all = await world();
  await all.shotlist('plan', 'pipeline.yaml', '--out', 'p.plan');
  const other = await all.shotlist('run', 'p.plan', '--limit', '1');
  expect(other.stderr).toContain('p.plan is a saved plan, and --limit would choose something else');
  const rehearsal = await all.rig.command(['run', 'p.plan', '--rehearse']);
  expect(rehearsal.stderr).toContain('and this run is for rehearsal');
  expect(charges(all)).toBe(0);
});

test('a plan is saved over no other file, and a damaged one is refused', async () => {
  const { rig, shotlist } = await world();
  const over = await shotlist('plan', 'pipeline.yaml', '--out', 'pipeline.yaml');
  expect(over).toMatchObject({ code: 2 });
  expect(over.stderr).toContain('the name of a saved plan ends in .plan');
  expect(rig.read('pipeline.yaml')).toBe(pipeline);
  rig.write('p.plan', '{"shotlistPlan":2}\n');
  expect((await shotlist('run', 'p.plan')).stderr).toContain('make it again with shotlist plan');
});

test('a saved plan names only a pipeline file of its own repository', async () => {
  const all = await world();
  await all.shotlist('plan', 'pipeline.yaml', '--out', 'p.plan');
  const elsewhere = JSON.stringify('../pipeline.yaml');
  all.rig.write('got/their.plan', all.rig.read('p.plan').replace('"pipeline.yaml"', elsewhere));
  const refused = await all.shotlist('run', 'got/their.plan');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('which is not in the repository of the plan');
  const out = await all.shotlist('plan', 'pipeline.yaml', '--out', 'got/p.plan');
  expect(out.stderr).toContain('save it beside the pipeline file: p.plan');
  expect(charges(all)).toBe(0);
});
