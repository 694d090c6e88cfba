// What a person decides before everything is bought: the question above a threshold. On a terminal: test/e2e/questions.test.ts.
import { expect, test } from 'vitest';
import type { RunQuestion } from '../../src/index.ts';
import { World } from '../kit/world.ts';

const painting = (top = ''): World =>
  new World(
    `${top}pipeline: paint
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  paint: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: paint, to: "\${{ item.name }}" } }
`,
    { 'photos/a.png': 'a', 'photos/b.png': 'b', 'photos/c.png': 'c', 'photos/d.png': 'd' },
  );

test('is asked above the threshold only, and a no buys nothing', async () => {
  const world = painting('confirm_above: 39\n');
  const asked: RunQuestion[] = [];
  const confirm = async (question: RunQuestion): Promise<boolean> => {
    asked.push(question);
    return false;
  };
  await expect(world.run({ confirm })).rejects.toThrow('nothing was bought');
  expect(asked).toMatchObject([{ above: 39, plan: { credits: 40 } }]);
  expect(world.bill).toEqual({});
  await world.run({ confirm, confirmAbove: 40 });
  expect([asked.length, world.service.charged]).toEqual([1, 40]);
});

test('is void if a file has changed before the answer', async () => {
  const world = painting();
  const confirm = async (): Promise<boolean> => {
    world.write('photos/b.png', 'other');
    return true;
  };
  await expect(world.run({ confirm, confirmAbove: 0 })).rejects.toThrow(/changed meanwhile/);
  expect(world.bill).toEqual({});
});

test('leaves room for what an interrupted run has spent', async () => {
  const world = painting('limits: { items: 1 }\n');
  const stop = new AbortController();
  world.service.fate = () => void stop.abort();
  await world.run({ signal: stop.signal });
  expect(world.service.charged).toBe(10);
  expect((await world.run({ confirm: async () => true, confirmAbove: 0 })).outcome).toBe('done');
  expect(world.service.charged).toBe(40);
});
