// A file is named for what it holds, where its name says so.
import { describe, expect, test } from 'vitest';
import { envOf, photo, Rig, service } from '../rig.ts';

const pipeline = (to: string): string => `pipeline: names
items: { glob: "photos/*" }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "${to}" } }
`;

async function rigWith(to: string): Promise<Rig> {
  const rig = new Rig(pipeline(to));
  rig.write('photos/a.jpg', await photo(1));
  rig.write('photos/b.jpg', await photo(2));
  return rig;
}

describe('${{ result.ext }}', () => {
  test('is the extension of what was fetched, also when it is planned again', async () => {
    const local = await service();
    const rig = await rigWith('${{ item.stem }}.${{ result.ext }}');
    const planned = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    const { summary } = await rig.run(local);
    expect(summary.outcome).toBe('done');
    expect(rig.files('out')).toEqual(['a.png', 'b.png']);
    const again = await rig.run(local);
    expect(again.summary).toMatchObject({ outcome: 'done', tasks: { reused: 6, done: 0 } });
  });

  test('cannot lead two tasks to one file unnoticed', async () => {
    const local = await service();
    const rig = await rigWith('${{ item.stem }}.${{ result.ext }}');
    const twice = `${rig.read('pipeline.yaml')}  again: { uses: download, with: { of: colour, to: "\${{ item.stem }}.png" } }\n`;
    rig.write('pipeline.yaml', twice);
    const { code, stderr } = await rig.command(['plan', 'pipeline.yaml'], envOf(local));
    expect(stderr).toContain('again:a.jpg and save:a.jpg would both write "a.png"');
    expect(code).toBe(2);
  });

  test('is known nowhere else', async () => {
    const rig = await rigWith('${{ item.stem }}.${{ result.extension }}');
    const misspelt = await rig.command(['validate', 'pipeline.yaml']);
    expect(misspelt.stderr).toContain('result has no "extension"');
    rig.write('pipeline.yaml', pipeline('a.png').replace('item.path', 'result.ext'));
    const elsewhere = await rig.command(['validate', 'pipeline.yaml']);
    expect(elsewhere.stderr).toContain("result can only be used in a download's to:");
  });
});
