// Items with nothing to do: a run reports them without deciding each of their tasks again.
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/index.ts';
import { type Told, World } from '../kit/world.ts';

const photos = `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  colour: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: colour, to: "\${{ item.key }}" } }
`;
const tidy = `${photos}  tidy: { uses: delete, with: { of: colour } }\n`;

const begin = (pipeline = tidy): World =>
  new World(pipeline, {
    'photos/p1.png': 'rose',
    'photos/p2.png': 'tulip',
    'photos/p3.png': 'lily',
  });

const items = ({ events }: Told): readonly Partial<RunEvent>[] =>
  events.filter(({ type }) => type === 'item');

const allReused = (key: string) =>
  Object.fromEntries(
    ['photo', 'colour', 'save', 'tidy'].map((step) => [`${step}:${key}`, 'reused']),
  );

test('are reported first, with each task as reused, and count as done', async () => {
  const world = begin();
  await world.run();
  world.write('photos/a-new.png', 'iris');
  const second = await world.run();
  expect(items(second)).toMatchObject([
    { item: 'p1.png', ok: true, changed: false, of: 1 },
    { item: 'p2.png', ok: true, changed: false, of: 2 },
    { item: 'p3.png', ok: true, changed: false, of: 3 },
    { item: 'a-new.png', ok: true, changed: true, of: 4 },
  ]);
  expect(second.endings).toMatchObject({ ...allReused('p2.png'), 'colour:a-new.png': 'done' });
  expect(second.summary).toMatchObject({
    items: { total: 4, done: 4, skipped: 0, unfinished: 0 },
    tasks: { reused: 12, done: 4 },
  });
});

test('an item whose file was lost is changed, and one whose file was edited here is not', async () => {
  const world = begin(photos);
  await world.run();
  world.remove('out/p1.png');
  world.write('out/p2.png', 'edited by hand');
  const second = await world.run();
  expect(second.endings['save:p1.png']).toBe('done');
  expect(second.summary).toMatchObject({ outcome: 'done', files: { changed: 1 } });
  for (const [item, changed] of [
    ['p1.png', true],
    ['p2.png', false],
    ['p3.png', false],
  ])
    expect(items(second)).toContainEqual(expect.objectContaining({ item, ok: true, changed }));
  expect(world.read('out/p2.png')).toBe('edited by hand');
});

test('a result that serves a second item is recorded for it before the item is one of them', async () => {
  const world = begin();
  await world.run();
  world.write('photos/twin.png', 'lily');
  const second = await world.run();
  expect(items(second).at(-1)).toMatchObject({ item: 'twin.png', changed: true });
  const third = await world.run();
  expect(items(third).every((event) => 'changed' in event && !event.changed)).toBe(true);
  expect(third.endings).toMatchObject(allReused('twin.png'));
  const { state } = world;
  await world.run();
  expect(world.state).toBe(state);
  expect(world.service.charged).toBe(30);
});
