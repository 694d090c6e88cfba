// A run is killed at each line of its state file, and at each request. What comes after pays nothing twice.
import { expect, test } from 'vitest';
import { type Cut, World } from '../kit/world.ts';
import { sampleOf } from '../sweep.ts';

const photos = `pipeline: photos
items: { values: [{ key: a }, { key: b }] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: colour } }
`;

const begin = (disk?: 'memory' | 'folder') =>
  new World(photos, { 'a.png': 'rose', 'b.png': 'tulip' }, { disk });

/** A person looks for what is in doubt in the hub, and says what is there. */
async function settleDoubts(world: World): Promise<void> {
  if (world.state === '') return;
  const { doubts } = await world.status();
  for (const { name, tasks } of doubts) {
    const made = [...world.service.projects.values()].find((one) => one.name === name);
    const how =
      made === undefined
        ? { how: 'not-charged' as const }
        : { how: 'project' as const, project: made.id };
    await world.resolve(tasks[0] ?? '', how);
  }
}

/** The run is killed, a person settles what is in doubt, and two more runs follow. False if it was over before the cut. */
async function survives(world: World, cut: Cut): Promise<boolean> {
  const { outcome } = await world.run({ cut });
  await settleDoubts(world);
  const second = await world.run();
  expect(second.outcome).toBe('done');
  expect(world.bill).toEqual({ 'colour:a': 10, 'colour:b': 10 });
  expect(world.outputs).toEqual(['a.png', 'b.png']);
  expect(world.service.deletedUnsaved).toEqual([]);
  const before = world.requests.length;
  expect((await world.run()).outcome).toBe('done');
  expect(world.requests.length).toBe(before);
  return outcome === 'killed';
}

for (const when of ['before', 'after'] as const) {
  test(`${when} each line`, async () => {
    let line = 1;
    while (await survives(begin(), { line, when })) line += 1;
    // Header, run, and for each photo: supplied, intent, created, settled, output, deleted; then the end of the run.
    expect(line).toBe(16);
  });

  test(`${when} each request was taken`, async () => {
    let request = 1;
    while (await survives(begin(), { request, when })) request += 1;
    expect(request).toBeGreaterThan(15);
  });
}

test('on a real disk, after the line of an intent', async () => {
  expect(await survives(begin('folder'), { line: 4, when: 'after' })).toBe(true);
});

const fans = `pipeline: p
items: { values: [{ key: cat }, { key: dog }] }
output: out
steps:
  img: { uses: ai-image-generator, with: { image_count: 2, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } } }
  up: { for_each: "\${{ steps.img.downloads }}", uses: ai-image-upscaler, with: { scale_factor: 2, style: { mode: preserve }, assets: { image_file_path: "\${{ each.url }}" } } }
  save: { uses: download, with: { of: up, to: "\${{ item.key }}-\${{ each.index }}.png" } }
  tidy: { uses: delete, with: { of: up } }
  wall: { uses: ai-image-editor, with: { image_count: 1, model: nano-banana, resolution: 640px, assets: { image_file_paths: "\${{ steps.img.all.map(i, i.url) }}" }, style: { prompt: a wall } } }
  save-wall: { uses: download, with: { of: wall, to: wall.png } }
`;
const fanBill = {
  ...{ 'img:cat': 10, 'img:dog': 10, wall: 50 },
  ...{ 'up:cat[0]': 25, 'up:cat[1]': 25, 'up:dog[0]': 25, 'up:dog[1]': 25 },
};

test('at lines of fan-outs and a fan-in: each element is paid once, and the gathering step once, with all of them', async () => {
  const whole = new World(fans);
  await whole.run();
  expect(whole.bill).toEqual(fanBill);
  const lines = whole.written.map((_, index) => index + 1);
  expect(lines.length).toBeGreaterThan(25);
  for (const when of ['before', 'after'] as const)
    for (const line of sampleOf(lines, 4, when === 'before' ? 1 : 3)) {
      const where = `cut ${when} line ${line}`;
      const world = new World(fans);
      await world.run({ cut: { line, when } });
      await settleDoubts(world);
      expect((await world.run()).outcome, where).toBe('done');
      expect(world.bill, where).toEqual(fanBill);
      expect(world.outputs, where).toHaveLength(5);
      expect(world.service.deletedUnsaved, where).toEqual([]);
      world[Symbol.dispose]();
    }
});
