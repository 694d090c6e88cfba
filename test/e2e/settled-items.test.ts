// Items with nothing to do: a run reports them without deciding each of their tasks again.
import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { digestOfBytes } from '../../src/base/digest.ts';
import type { RunEvent } from '../../src/run/run-event.ts';
import { photo, photoRig, service, type Told } from '../rig.ts';

const items = ({ events }: Told): readonly Partial<RunEvent>[] =>
  events.filter(({ type }) => type === 'item');

const endings = ({ events }: Told, item: string): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'task' && event.item === item ? [`${event.step} ${event.ending}`] : [],
  );

const allReused = ['photo reused', 'faces reused', 'swap reused', 'save reused', 'tidy reused'];

test('are reported first, with each task as reused, and count as done', async () => {
  const rig = await photoRig(3);
  const local = await service();
  await rig.run(local);
  rig.write('photos/a-new.png', await photo(77));
  const second = await rig.run(local);
  expect(items(second)).toMatchObject([
    { item: 'p1.png', ok: true, changed: false, of: 1 },
    { item: 'p2.png', ok: true, changed: false, of: 2 },
    { item: 'p3.png', ok: true, changed: false, of: 3 },
    { item: 'a-new.png', ok: true, changed: true, of: 4 },
  ]);
  expect(endings(second, 'p2.png')).toEqual(allReused);
  expect(endings(second, 'a-new.png')).toContain('swap done');
  expect(second.summary).toMatchObject({
    items: { total: 4, done: 4, unfinished: 0 },
    tasks: { reused: 16, done: 5 },
  });
});

test('an item whose file was lost, or was changed here, is not one of them', async () => {
  const rig = await photoRig(3);
  const local = await service();
  const keeping = rig.read('pipeline.yaml').replace(/ {2}tidy: .*\n/, '');
  rig.write('pipeline.yaml', keeping);
  await rig.run(local);
  rmSync(rig.path('out/p1.png'));
  writeFileSync(rig.path('out/p2.png'), 'edited by hand');
  const second = await rig.run(local);
  expect(endings(second, 'p1.png')).toContain('save done');
  expect(second.summary).toMatchObject({ outcome: 'done', files: { changed: 1 } });
  expect(items(second).map((event) => ('item' in event ? event.item : ''))).toEqual([
    'p3.png',
    'p1.png',
    'p2.png',
  ]);
  expect(rig.read('out/p2.png')).toBe('edited by hand');
});

test('a result that serves a second item is recorded for it before the item is one of them', async () => {
  const rig = await photoRig(1);
  const local = await service();
  await rig.run(local);
  rig.write('photos/twin.png', await photo(1));
  const second = await rig.run(local);
  const third = await rig.run(local);
  expect(items(second)).toMatchObject([{ item: 'p1.png' }, { item: 'twin.png', changed: true }]);
  expect(items(third)).toMatchObject([{ changed: false }, { changed: false }]);
  expect(endings(third, 'twin.png')).toEqual(allReused);
  const state = rig.read('photos.state.jsonl');
  await rig.run(local);
  expect(digestOfBytes(rig.read('photos.state.jsonl'))).toBe(digestOfBytes(state));
});
