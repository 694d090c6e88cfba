// Tasks with the same content share a project: none is in doubt, excluded or lost because of the other.
import { describe, expect, test } from 'vitest';
import { photo, photoRig, Rig, service } from '../rig.ts';

describe('two photos with the same content', () => {
  test('are one payment, and neither is in doubt while the creation is on its way', async () => {
    const local = await service();
    const rig = await photoRig(
      1,
      `pipeline: twins
items: { values: [{ key: a, wait: 0 }, { key: b, wait: 2 }, { key: c, wait: 2 }] }
limits: { items: 2 }
output: out
steps:
  photo: { uses: upload, with: { file: photos/p1.png } }
  colour: { uses: photo-colorizer, if: "item.wait > 1", with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}.png" } }
`,
    );
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({
      outcome: 'done',
      credits: { charged: 10 },
      tasks: { doubt: 0 },
    });
    expect(rig.files('out')).toEqual(['b.png', 'c.png']);
  });
});

const shared = (condition: string): string => `pipeline: shared
items: { values: [{ key: a }, { key: b }] }
output: out
steps:
  photo: { uses: upload, with: { file: photo.png } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, if: '${condition}', with: { of: colour, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: colour } }
`;

describe('a shared project', () => {
  test('is deleted once the items have downloaded it', async () => {
    const local = await service();
    const rig = new Rig(shared('item.key == "a"'));
    rig.write('photo.png', await photo(1));
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'done', tasks: { skipped: 1, done: 4 } });
    expect(rig.files('out')).toEqual(['a.png']);
  });

  test('is kept where every item skips its download', async () => {
    const local = await service();
    const rig = new Rig(shared('item.key == "none"'));
    rig.write('photo.png', await photo(1));
    const planned = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(planned.stdout).toContain('kept: tidy:');
    const { summary } = await rig.run(local);
    expect(summary).toMatchObject({ outcome: 'failed', tasks: { skipped: 2, failed: 1 } });
    expect(summary.problems).toMatchObject([
      { task: 'tidy', why: 'kept: no download has its files on disk' },
    ]);
  });
});

test('an excluded step stays excluded, even if another with the same content is done', async () => {
  const local = await service();
  const rig = new Rig(`pipeline: left-out
output: out
steps:
  photo: { uses: upload, with: { file: photo.png } }
  copy: { uses: upload, needs: [photo], with: { file: photo.png } }
  colour: { uses: photo-colorizer, needs: [copy], with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: a.png } }
`);
  rig.write('photo.png', await photo(1));
  const { summary } = await rig.run(local, { exclude: ['copy'] });
  expect(summary).toMatchObject({ credits: { charged: 0 }, tasks: { done: 1, excluded: 3 } });
});

test('a pipeline of many items with only shared steps comes to an end', async () => {
  const local = await service();
  const rig = new Rig(`pipeline: many
items: { values: [1, 2, 3, 4] }
limits: { items: 1 }
steps:
  photo: { uses: upload, with: { file: photo.png } }
`);
  rig.write('photo.png', await photo(1));
  expect((await rig.run(local)).summary.outcome).toBe('done');
  expect((await rig.run(local)).summary).toMatchObject({ outcome: 'done', items: { done: 4 } });
});

test('a step of an item cannot wait for a step that waits for all items', async () => {
  const rig = new Rig(
    `${shared('true')}  more: { uses: upload, needs: [tidy], with: { file: "\${{ item.key }}.png" } }\n`,
  );
  const { code, stderr } = await rig.command(['validate', 'pipeline.yaml']);
  expect(stderr).toContain(
    'step "more" waits for "tidy", which waits for every item to finish: neither can start',
  );
  expect(code).toBe(2);
});
