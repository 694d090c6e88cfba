// --limit is about the first items that are not finished, so that the same command takes the next ones each time.
import { expect, test } from 'vitest';
import { World } from '../kit/world.ts';

const memes = `pipeline: memes
items: { values: [one, two, three] }
output: out
steps:
  meme: { uses: ai-meme-generator, with: { style: { template: Random, topic: "\${{ item.value }}" } } }
  save: { uses: download, with: { of: meme, to: "\${{ item.key }}.png" } }
`;
const next = { items: { limit: 1 } };

test('the same command takes the next item each time, and in the end there is nothing to do', async () => {
  const world = new World(memes);
  for (const saved of [1, 2, 3, 3]) {
    const planned = await world.plan(next);
    const told = await world.run(next);
    expect(told.outcome).toBe('done');
    expect(world.outputs).toHaveLength(saved);
    expect(told.charged).toBe(planned.plan.credits);
  }
  expect(world.bill).toEqual({ 'meme:1': 10, 'meme:2': 10, 'meme:3': 10 });
});

test('an item that cannot run keeps no other from its turn', async () => {
  // Windows reserves this name.
  const world = new World(memes.replace('one', 'con').replace('item.key', 'item.value'));
  await world.run(next);
  expect(world.bill).toEqual({ 'meme:2': 10 });
});
