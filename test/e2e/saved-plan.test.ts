// `plan --out` and `run <plan>`: the run does what was shown, or nothing.
import { rmSync, utimesSync } from 'node:fs';
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
  const [header = '', ...tasks] = all.rig.read('p.plan').trim().split('\n');
  expect(JSON.parse(header)).toMatchObject({ pipeline: 'pipeline.yaml', plan: { credits: 10 } });
  expect(tasks).toHaveLength(3);
  expect(await all.shotlist('run', 'p.plan')).toMatchObject({ code: 0 });
  expect(charges(all)).toBe(1);
  expect(all.rig.files('out')).toEqual(['a.png']);
});

test('a saved plan is refused where anything has moved on since, takes no other choice, and is for one service; nothing is bought', async () => {
  const all = await world();
  await all.shotlist('plan', 'pipeline.yaml', '--out', 'p.plan');
  const { rig } = all;
  const refused = async (...flags: readonly string[]): Promise<string> => {
    const { code, stderr } = await all.shotlist('run', 'p.plan', ...flags);
    expect(code).toBe(2);
    return stderr;
  };
  for (const [file, photoBefore] of [
    ['photos/b.png', await photo(2)],
    ['photos/c.png', undefined],
  ] as const) {
    rig.write(file, await photo(9));
    const said = await refused();
    expect(said).toContain('is out of date, so nothing was sent');
    const task = file.replace('photos/', 'photo:');
    expect(said).toContain(`the first difference is ${task}`);
    if (photoBefore === undefined) rmSync(rig.path(file));
    else rig.write(file, photoBefore);
  }
  rig.write('pipeline.yaml', `${pipeline}# a word\n`);
  expect(await refused()).toContain('the pipeline file');
  rig.write('pipeline.yaml', pipeline);
  expect(await refused('--limit', '1')).toContain(
    'p.plan is a saved plan, and --limit would choose something else',
  );
  const rehearsal = await rig.command(['run', 'p.plan', '--rehearse']);
  expect(rehearsal.stderr).toContain('and this run is for rehearsal');
  expect(charges(all)).toBe(0);
  expect((await all.shotlist('run', 'p.plan')).code).toBe(0);
  expect(await refused()).toContain('the state file has changed');
  expect(charges(all)).toBe(2);
});

test('a plan is saved over no other file, a damaged one is refused, and so is one that names a pipeline file outside its own repository', async () => {
  const all = await world();
  const { rig, shotlist } = all;
  const over = await shotlist('plan', 'pipeline.yaml', '--out', 'pipeline.yaml');
  expect(over).toMatchObject({ code: 2 });
  expect(over.stderr).toContain('the name of a saved plan ends in .plan');
  expect(rig.read('pipeline.yaml')).toBe(pipeline);
  rig.write('p.plan', '{"shotlistPlan":2}\n');
  expect((await shotlist('run', 'p.plan')).stderr).toContain('make it again with shotlist plan');
  await shotlist('plan', 'pipeline.yaml', '--out', 'p.plan');
  const elsewhere = JSON.stringify('../pipeline.yaml');
  rig.write('got/their.plan', rig.read('p.plan').replace('"pipeline.yaml"', elsewhere));
  const refused = await shotlist('run', 'got/their.plan');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('which is not in the repository of the plan');
  const out = await shotlist('plan', 'pipeline.yaml', '--out', 'got/p.plan');
  expect(out.stderr).toContain('save it beside the pipeline file: p.plan');
  expect(charges(all)).toBe(0);
});

test('a saved plan holds although it was the first to read the files', async () => {
  const rig = new Rig(`pipeline: p
steps:
  photo: { uses: upload, with: { file: a.png } }
  same: { uses: upload, with: { file: b.png } }
  voice: { uses: ai-voice-generator, with: { style: { prompt: Hello, voice_name: Elon } } }
  voice-file: { uses: download, with: { of: voice, to: hello.wav } }
`);
  const picture = await photo(1);
  // A larger file is read for longer.
  rig.write('a.png', Buffer.concat([picture, Buffer.alloc(4_000_000)]));
  rig.write('b.png', Buffer.concat([picture, Buffer.alloc(4_000_000)]));
  // Only the digests of files that are not young are kept.
  for (const name of ['a.png', 'b.png']) utimesSync(rig.path(name), 1e9, 1e9);
  const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse', '--out', 'it.plan']);
  expect(planned.code, planned.stderr).toBe(0);
  const ran = await rig.command(['run', 'it.plan']);
  expect(ran.code, ran.stderr).toBe(0);
});
