// One bad item is that item's failure: named by the plan before anything is bought, and the others go on.
import { describe, expect, test } from 'vitest';
import { bill, envOf, photo, photoPipeline, photoRig, Rig, service } from '../rig.ts';

const prompts = `pipeline: prompts
items:
  values:
    - { key: a, prompt: a lighthouse }
    - { key: b, prompt: 3 }
    - { key: c, prompt: a harbour }
output: out
steps:
  picture: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "${'${{ item.prompt }}'}" } } }
  save: { uses: download, with: { of: picture, to: "${'${{ item.key }}'}.png" } }
`;

describe('an empty photo and one whose name no file may have', () => {
  const rigWith = async (settings = '') => {
    const rig = await photoRig(2, `${settings}${photoPipeline}`);
    rig.write('photos/empty.png', '');
    rig.write('photos/con.png', await photo(7));
    return rig;
  };

  test('are named by the plan, which counts nothing for them', async () => {
    const rig = await rigWith();
    const { code, stdout, stderr } = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(stdout).toContain('CANNOT RUN (SL508): photo:empty.png: photos/empty.png is empty');
    expect(stdout).toContain(
      'CANNOT RUN (SL509): save:con.png: to: "./con.png" contains a name that Windows reserves',
    );
    expect(stdout).toContain(
      '2 items cannot run. A run buys nothing for them; the other items continue.',
    );
    expect(stdout).toContain('At most 20 credits.');
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });

  test('fail alone, and cost nothing', async () => {
    const local = await service();
    const rig = await rigWith();
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({
      outcome: 'failed',
      items: { total: 4, done: 2 },
      credits: { charged: 20 },
    });
    expect(rig.files('out')).toEqual(['p1.png', 'p2.png']);
    expect([...bill(local.ledger()).keys()].sort()).toEqual(['p1', 'p2']);
    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ outcome: 'failed', credits: { charged: 0 } });
  });

  test('keep the run from beginning where more fail than may', async () => {
    const local = await service();
    const rig = await rigWith('max_failures: 1\n');
    const { code, stdout, stderr } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(stderr).toContain('photo:empty.png: photos/empty.png is empty');
    expect(stderr).toContain('the run does not begin: 2 items failed');
    expect(stdout).not.toContain('CANNOT RUN');
    expect(code).toBe(2);
    expect([...bill(local.ledger())]).toEqual([]);
  });

  test('keep the run from beginning where no other item is left', async () => {
    const local = await service();
    const rig = await rigWith();
    const args = ['run', 'pipeline.yaml', '--items', '{con,empty}.png'];
    const { code, stderr } = await rig.command(args, envOf(local));
    expect(stderr).toContain('photo:empty.png: photos/empty.png is empty');
    expect(code).toBe(2);
  });
});

describe('a value of the wrong type in one item', () => {
  test('is that item’s failure, in the plan and before anything is bought', async () => {
    const local = await service();
    const rig = new Rig(prompts);
    const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(planned.stdout).toMatch(
      /CANNOT RUN \(SL103\): picture:b: style\.prompt must be .*string/,
    );
    expect(planned.stdout).toContain('At most 10 credits.');
    expect(planned.code).toBe(1);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ items: { total: 3, done: 2 }, credits: { charged: 10 } });
    expect(summary.problems).toMatchObject([{ task: 'picture:b', ending: 'failed' }]);
  });

  test('keeps the paid steps before it from being bought', async () => {
    const local = await service();
    const rig = await photoRig(
      2,
      `pipeline: chain
items: { values: [{ key: p1, size: 2 }, { key: p2, size: 3 }] }
output: out
steps:
  photo: { uses: upload, with: { file: "photos/\${{ item.key }}.png" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  big: { uses: ai-image-upscaler, with: { scale_factor: "\${{ item.size }}", style: { mode: preserve }, assets: { image_file_path: "\${{ steps.colour.url }}" } } }
  save: { uses: download, with: { of: big, to: "\${{ item.key }}.png" } }
`,
    );
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ items: { done: 1 }, credits: { charged: 35 } });
    expect(summary.tasks).toMatchObject({ failed: 0, blocked: 3 });
  });
});

describe('a download whose place is taken', () => {
  test('by a file where its folder should be: plan and run name it, and only the other photo is paid', async () => {
    const local = await service();
    const rig = await photoRig(1);
    rig.write('photos/sub/p2.png', await photo(8));
    rig.write('out/sub', 'mine');
    const words = 'sub in the output folder is a file, and a folder must have this name';
    const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(planned.stdout).toContain(words);
    expect(planned.code).toBe(1);
    const { code, stdout, stderr } = await rig.command(['run', 'pipeline.yaml'], envOf(local));
    expect(stdout + stderr).toContain(words);
    expect(code).toBe(1);
    expect([...bill(local.ledger()).keys()]).toEqual(['p1']);
    expect(rig.read('out/sub')).toBe('mine');
  });

  test('by a folder with its name: plan and run name it, and only the other photo is paid', async () => {
    const local = await service();
    const rig = await photoRig(2);
    rig.write('out/p2.png/mine', 'mine');
    const words = 'p2.png in the output folder is a folder, and a file must have this name';
    const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(planned.stdout).toContain(words);
    expect(planned.code).toBe(1);
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'failed', items: { done: 1 } });
    expect([...bill(local.ledger()).keys()]).toEqual(['p1']);
  });
});
