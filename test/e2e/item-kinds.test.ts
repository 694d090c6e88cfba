// Tables and matrices in the rest of a pipeline's life: failures, watching, and results that nothing needs any more.
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { photo, Rig, service } from '../rig.ts';
import { found, named, pruned } from './orphaned.ts';
import { drop, WatchedRig } from './watched.ts';

const cut =
  'uses: image-background-remover, with: { assets: { image_file_path: "${{ steps.photo.file_path }}" } }';

const people = `pipeline: people
items: { csv: people.csv, key: name }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.photo }}" } }
  cut: { ${cut} }
  save: { uses: download, with: { of: cut, to: "\${{ item.name }}.png" } }
`;

const styles = `pipeline: styles
items: { glob: [photos/**/*.png, "!photos/old/**"], matrix: { style: [oil, ink] } }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  edit:
    uses: ai-image-editor
    with:
      image_count: 1
      model: qwen-edit
      resolution: 640px
      style: { prompt: "in \${{ matrix.style }}" }
      assets: { image_file_paths: ["\${{ steps.photo.file_path }}"] }
  save: { uses: download, with: { of: edit, to: "\${{ item.stem }}-\${{ matrix.style }}.png" } }
`;

describe('a row', () => {
  test('that failed is tried again by its key', async () => {
    const local = await service();
    const rig = new Rig(people);
    rig.write('people.csv', 'name,photo\nann,a.png\nbob,b.png\n');
    rig.write('a.png', await photo(1));
    const first = await rig.run(local);
    expect(first.summary).toMatchObject({ outcome: 'failed', items: { total: 2, done: 1 } });
    const failed = first.events.find((one) => one.type === 'task' && one.ending === 'failed');
    expect(failed).toMatchObject({
      task: 'photo:bob',
      why: 'b.png does not exist (people.csv:3:5)',
    });
    rig.write('b.png', await photo(2));
    const { summary } = await rig.run(local, { retryFailed: true });
    expect(summary).toMatchObject({ outcome: 'done', items: { total: 1, done: 1 } });
    expect(rig.files('out')).toEqual(['ann.png', 'bob.png']);
  });

  test('that is gone from the table leaves a file and a project, which prune removes', async () => {
    const local = await service();
    const rig = new Rig(people);
    rig.write('people.csv', 'name,photo\nann,a.png\nbob,b.png\n');
    rig.write('a.png', await photo(1));
    rig.write('b.png', await photo(2));
    await rig.run(local);
    rig.write('people.csv', 'name,photo\nann,a.png\n');
    expect(named((await pruned(rig, local)).removed)).toEqual({
      ...{ files: ['out/bob.png'], kept: 0, projects: ['cut:bob'] },
    });
    expect(rig.files('out')).toEqual(['ann.png']);
  });

  test('with a value of the wrong type names the row before anything is paid', async () => {
    const clips = `pipeline: clips
items: { csv: clips.csv }
steps:
  clip: { uses: text-to-video, with: { model: ltx-2.3, resolution: 480p, end_seconds: "\${{ item.seconds }}", style: { prompt: "\${{ item.text }}" } } }
  save: { uses: download, with: { of: clip, to: "\${{ item.key }}.mp4" } }
`;
    const rig = new Rig(clips);
    rig.write('clips.csv', 'text,seconds\na harbour,3\n');
    const texts = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
    expect(texts.stderr).toContain('clips.csv:2:11: error SL103');
    expect(texts.stderr).toContain('a column is text unless items.types says otherwise');
    rig.write('pipeline.yaml', clips.replace('clips.csv', 'clips.csv, types: { seconds: number }'));
    expect((await rig.command(['plan', 'pipeline.yaml', '--rehearse'])).code).toBe(0);
  });
});

describe('a combination', () => {
  test('of a style or a photo that is gone is what prune removes, and nothing else', async () => {
    const local = await service();
    const rig = new Rig(styles);
    rig.write('photos/a.png', await photo(1));
    rig.write('photos/sub/b.png', await photo(2));
    rig.write('photos/sub/c.png', await photo(3));
    await rig.run(local);
    expect(named(await found(rig, local))).toEqual({ files: [], kept: 0, projects: [] });
    rmSync(rig.path('photos/sub/b.png'));
    expect(named(await found(rig, local))).toEqual({
      files: ['out/b-ink.png', 'out/b-oil.png'],
      kept: 0,
      projects: ['edit:sub/b.png/ink', 'edit:sub/b.png/oil'],
    });
    // An empty folder may be a drive that is not mounted.
    rmSync(rig.path('photos/sub/c.png'));
    expect(named(await found(rig, local)).files).toEqual([]);
    rig.write('photos/sub/d.png', await photo(4));
    rig.write('pipeline.yaml', styles.replace('[oil, ink]', '[oil]'));
    expect(named(await found(rig, local)).files).toContain('out/a-ink.png');
  });

  test('is made by watch for each photo that arrives', async () => {
    const rig = new WatchedRig(await service({ credits: 100_000 }), styles);
    await drop(rig, 'photos/a.png', 1);
    await drop(rig, 'photos/old/x.png', 9);
    const watching = rig.watch();
    await watching.ran(1);
    await drop(rig, 'photos/b.png', 2);
    await watching.until('all four are finished', () => watching.finished === 4);
    await watching.stop();
    expect(rig.files('out')).toEqual(['a-ink.png', 'a-oil.png', 'b-ink.png', 'b-oil.png']);
  });
});

test('a field that the header of a file does not have fails that item alone, and says why', async () => {
  const local = await service();
  const rig = new Rig(
    `pipeline: wide
items: { glob: "photos/*" }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  cut: { if: item.width > 10, ${cut} }
  save: { uses: download, with: { of: cut, to: "\${{ item.stem }}.png" } }
`,
  );
  rig.write('photos/a.png', await photo(1));
  rig.write('photos/b.mp3', 'ID3 and no picture');
  const { summary, events } = await rig.run(local);
  expect(summary).toMatchObject({ outcome: 'failed', items: { total: 2, done: 1 } });
  const failed = events.find((one) => one.type === 'task' && one.ending === 'failed');
  expect(failed).toMatchObject({
    task: 'cut:b.mp3',
    why: expect.stringMatching(/there is no "width": photos\/b.mp3 has no width/),
  });
});
