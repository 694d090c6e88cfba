// A file is named for what it holds, where its name says so: ${{ result.ext }}.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const pipeline = `pipeline: names
items: { glob: "photos/*" }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.stem }}.\${{ result.ext }}" } }
`;

test('is the extension of what was fetched, also when it is planned again, and leads no two tasks to one file', async () => {
  const world = new World(pipeline, { 'photos/a.jpg': 'rose', 'photos/b.jpg': 'tulip' });
  expect((await world.plan()).warnings).toEqual([]);
  expect((await world.run()).outcome).toBe('done');
  expect(world.outputs).toEqual(['a.png', 'b.png']);
  expect((await world.run()).summary).toMatchObject({
    ...{ outcome: 'done', tasks: { reused: 6, done: 0 } },
  });
  world.edit(
    `${pipeline}  again: { uses: download, with: { of: colour, to: "\${{ item.stem }}.png" } }\n`,
  );
  await expect(world.plan()).rejects.toThrow(/SL510/);
});

test('a combination is named by its values, and one that names itself by its name', async () => {
  const world = new World(`pipeline: styles
items: { matrix: { style: [oil, ink], include: [{ style: oil, size: big }, { style: chalk, key: white }] } }
output: out
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ matrix.style }}" } } }
  save: { uses: download, with: { of: paint, to: "\${{ item.key }}.png" } }
`);
  expect((await world.run()).outcome).toBe('done');
  expect(world.outputs).toEqual(['ink.png', 'oil.png', 'white.png']);
});
