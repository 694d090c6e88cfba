// Between the intent of a creation and its request lies a sync of the disk, which may take long. What the run learns meanwhile
// counts before the request is sent.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const coloured = (...keys: readonly string[]): string => `pipeline: p
items: { values: [${keys.map((key) => `{ key: ${key} }`).join(', ')}] }
steps:
  photo: { uses: upload, with: { file: "\${{ item.key }}.png" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
`;

/**
 * The price is known from a first run: 10 credits. In the next one, the creation of c is on its way to the disk from before
 * the answer to that of b until long after it.
 */
async function heldIntent(): Promise<World> {
  const world = new World(coloured('a'), { 'a.png': 'rose', 'b.png': 'tulip', 'c.png': 'iris' });
  await world.run();
  world.edit(coloured('a', 'b', 'c'));
  world.service.latencyMs = ({ call, about }) =>
    call === 'create' ? 2000 : about.endsWith('c.png') ? 1000 : 20;
  world.syncMs = (lines) =>
    lines.some((line) => line.includes('"state":"intended"') && line.includes('colour:c'))
      ? 10_000
      : 1;
  return world;
}

test('a creation that no longer fits is not sent, and is on record as not taken', async () => {
  const world = await heldIntent();
  world.service.fate = ({ task }) => (task === 'colour:b' ? { charge: 20 } : undefined);
  const told = await world.run({ budget: 25 });
  expect(
    world.written.some((line) => line.includes('"state":"intended"') && line.includes('colour:c')),
  ).toBe(true);
  expect(told.endings['colour:c']).toBe('pending');
  expect(told.summary).toMatchObject({ outcome: 'budget', held: 1 });
  expect(world.bill).toEqual({ 'colour:a': 10, 'colour:b': 20 });
  const { doubts, credits } = await world.status();
  expect([doubts, credits.reserved]).toEqual([[], 0]);
  expect((await world.run()).outcome).toBe('done');
  expect(world.bill).toEqual({ 'colour:a': 10, 'colour:b': 20, 'colour:c': 10 });
});

test('a creation that still fits is sent', async () => {
  const world = await heldIntent();
  expect((await world.run({ budget: 25 })).outcome).toBe('done');
  expect(world.bill).toEqual({ 'colour:a': 10, 'colour:b': 10, 'colour:c': 10 });
});
