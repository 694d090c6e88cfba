// The beginnings of tasks: an event for each task that a run acts on, before the event of its end.
import { expect, test } from 'vitest';
import { photoRig, service } from '../rig.ts';

test('each task that runs begins once, before it ends; a reused task does not begin', async () => {
  const [local, rig] = [await service(), await photoRig(2)];
  const { events } = await rig.run(local);
  const begun = events.flatMap((event) => (event.type === 'begun' ? [event] : []));
  const done = events.flatMap((event) => (event.type === 'task' ? [event.task] : []));
  expect(begun.map(({ task }) => task).sort()).toEqual([...done].sort());
  expect(begun).toContainEqual({
    type: 'begun',
    step: 'swap',
    task: 'swap:p1.png',
    item: 'p1.png',
  });
  expect(begun).toContainEqual({ type: 'begun', step: 'actor', task: 'actor' });
  for (const { task } of begun) {
    const began = events.findIndex((event) => event.type === 'begun' && event.task === task);
    const ended = events.findIndex((event) => event.type === 'task' && event.task === task);
    expect(began).toBeLessThan(ended);
  }
  const again = await rig.run(local);
  expect(again.events.filter(({ type }) => type === 'begun')).toEqual([]);
});
