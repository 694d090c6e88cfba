// A run is killed at each line of its state file, and at each request. What comes after pays nothing twice.
import { expect, test } from 'vitest';
import { type Cut, World } from '../kit/world.ts';

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
