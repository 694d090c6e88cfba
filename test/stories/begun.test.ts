// The beginnings of tasks: an event for each task that a run acts on, before the event of its end.
import { expect, test } from 'vitest';
import { type Told, World } from '../kit/world.ts';

const photos = `pipeline: photos
items: { glob: photos/*.png }
output: out
steps:
  actor: { uses: upload, with: { file: actor.png } }
  photo: { uses: upload, with: { file: "\${{ item.path }}" } }
  swap: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
  save: { uses: download, with: { of: swap, to: "\${{ item.key }}" } }
`;

const tasksBegun = ({ events }: Told): readonly string[] =>
  events.flatMap((event) => (event.type === 'begun' ? [event.task] : []));

test('each task that runs begins once, before it ends; a reused task does not begin', async () => {
  const world = new World(photos, {
    'actor.png': 'actor',
    'photos/p1.png': 'rose',
    'photos/p2.png': 'tulip',
  });
  const { events, ends } = await world.run();
  const begun = events.flatMap((event) => (event.type === 'begun' ? [event] : []));
  expect(begun.map(({ task }) => task).sort()).toEqual([...ends.keys()].sort());
  expect(begun).toContainEqual({
    ...{ type: 'begun', step: 'swap', task: 'swap:p1.png', item: 'p1.png' },
  });
  expect(begun).toContainEqual({ type: 'begun', step: 'actor', task: 'actor' });
  const at = (type: string, task: string): number =>
    events.findIndex((event) => event.type === type && 'task' in event && event.task === task);
  for (const { task } of begun) expect(at('begun', task)).toBeLessThan(at('task', task));
  expect(tasksBegun(await world.run())).toEqual([]);
});

test('a project that an earlier run has left begins in the run that waits for it', async () => {
  const world = new World(photos, { 'actor.png': 'actor', 'photos/p1.png': 'rose' });
  expect((await world.tick()).outcome).toBe('waiting');
  expect(tasksBegun(await world.run())).toEqual(['swap:p1.png', 'save:p1.png']);
});
