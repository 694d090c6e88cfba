// A project has two results, and the second cannot be saved. As long as it is not, the project stays.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const pictures = (condition: string): string => `pipeline: p
items: { values: [{ key: a, wanted: true }] }
steps:
  paint:
    uses: ai-image-generator
    with: { image_count: 2, model: flux-schnell, resolution: 640px, style: { prompt: "\${{ item.key }}" } }
  save: { uses: download, if: "${condition}", with: { of: paint, to: "\${{ item.key }}.png" } }
  tidy: { uses: delete, with: { of: paint } }
`;
const wanted = pictures('item.wanted');
/** Skips the download: the delete needs nothing of it. */
const unwanted = pictures('!item.wanted');

const isDeleted = (world: World): boolean => world.service.projectOf('paint:a').isDeleted;

async function halfSaved(): Promise<World> {
  const world = new World(wanted);
  world.diskFault = (doing, path) =>
    doing === 'place' && path === 'a-2.png'
      ? { message: 'a-2.png cannot be written', systemic: false }
      : undefined;
  const told = await world.run();
  expect(told.endings['save:a']).toBe('pending');
  expect(world.outputs).toEqual(['a-1.png']);
  expect(isDeleted(world)).toBe(false);
  return world;
}

test('a delete that does not need the download keeps the project', async () => {
  const world = await halfSaved();
  world.edit(unwanted);
  const told = await world.run();
  expect(told.endings['save:a']).toBe('skipped');
  expect(isDeleted(world)).toBe(false);
});

test('so does it when the saved file is asked for once more', async () => {
  const world = await halfSaved();
  expect((await world.run({ payAgain: ['save:a'] })).endings['save:a']).toBe('pending');
  world.edit(unwanted);
  await world.run();
  expect(isDeleted(world)).toBe(false);
});

test('once both are saved, the project is deleted', async () => {
  const world = await halfSaved();
  await world.run();
  expect(isDeleted(world)).toBe(false);
  world.diskFault = () => undefined;
  expect((await world.run()).outcome).toBe('done');
  expect(world.outputs).toEqual(['a-1.png', 'a-2.png']);
  expect(isDeleted(world)).toBe(true);
  expect(world.service.deletedUnsaved).toEqual([]);
});

test('a result that the service does not list is told of when the project is over, and keeps the project', async () => {
  const world = new World(wanted);
  world.service.fate = () => ({ results: 1 });
  const told = await world.run();
  expect(told.endings['tidy:a']).toBe('failed');
  expect(told.events).toContainEqual({
    type: 'warning',
    message: expect.stringContaining('1 of'),
    task: 'paint:a',
    project: world.service.projectOf('paint:a').id,
  });
  expect(isDeleted(world)).toBe(false);
});

test('a result that the service lists no more is waited for', async () => {
  const world = await halfSaved();
  world.diskFault = () => undefined;
  world.service.projectOf('paint:a').fate = { results: 1 };
  const told = await world.run();
  expect(told.endings['save:a']).toBe('pending');
  expect(told.ends.get('save:a')?.why).toContain('fewer downloads');
  expect(isDeleted(world)).toBe(false);
});
