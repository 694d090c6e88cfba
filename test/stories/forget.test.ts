// A task that is forgotten, and whose second result has other bytes. What else may be forgotten: test/transcripts/forget.txt.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

test('a task that is forgotten is made and paid for again, its first attempt stays on the books, and its first file is kept', async () => {
  const world = new World(
    `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}" } }
`,
    { 'photos/p1.png': 'rose', 'photos/p2.png': 'tulip' },
    { disk: 'folder' },
  );
  const task = 'colour:p1.png';
  await world.run();
  const made = world.service.projectOf(task);
  const first = world.read('out/p1.png');
  await world.forget(task);
  expect((await world.plan()).plan.credits).toBe(10);
  expect((await world.status()).credits.charged).toBe(20);

  const { outcome, endings } = await world.run();
  expect(outcome).toBe('done');
  const done = Object.keys(endings).filter((name) => endings[name] === 'done');
  expect(done.sort()).toEqual([task, 'save:p1.png']);
  expect(world.state).toContain(made.name);
  expect(world.bill).toEqual({ [task]: 20, 'colour:p2.png': 10 });
  expect((await world.status()).credits.charged).toBe(30);
  expect(world.read('out/p1.png')).not.toBe(first);
  const files = world.machine.files(true);
  const aside = files.below(`${world.folder}/.shotlist/kept`).map((path) => files.read(path));
  expect(aside).toEqual([first]);

  const { state } = world;
  expect((await world.run()).charged).toBe(0);
  expect(world.state).toBe(state);
});

test('a download that is forgotten is saved again, and the others of its project are not', async () => {
  const world = new World(`pipeline: twice
items: { values: [{ key: a }] }
steps:
  paint: { uses: ai-image-generator, with: { image_count: 1, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
  one: { uses: download, with: { of: paint, to: "one-\${{ item.key }}.png" } }
  two: { uses: download, with: { of: paint, to: "two-\${{ item.key }}.png" } }
`);
  await world.run();
  await world.forget('two:a');
  const again = await world.run();
  expect(again.endings).toEqual({ 'paint:a': 'reused', 'one:a': 'reused', 'two:a': 'done' });
  expect(again.charged).toBe(0);
});
