// The order in which tasks begin: what is free goes first, and what is paid for is finished before more is bought.
import { expect, test } from 'vitest';
import { pickedTakes } from '../../../src/plan/takes.ts';
import { colour, InMemory, photo, pipeline } from './in-memory.ts';

const save = (of: string): string =>
  `  save-${of}: { uses: download, with: { of: ${of}, to: "${of}-\${{ item.key }}.png" } }\n`;

/** The tasks in the order in which they begin; the account allows so many projects at once. */
async function begun(steps: string, total: number | undefined): Promise<readonly string[]> {
  const memory = new InMemory();
  const { told } = await memory.run(pipeline(steps), 'fine', ['a', 'b'], {
    generationLimits: { total, byKind: {} },
  });
  return told.flatMap((event) => (event.type === 'begun' ? [event.task] : []));
}

test('the free steps of all items in progress begin before anything is bought', async () => {
  const order = await begun(photo + colour('one', 'a'), undefined);
  expect(order).toEqual(['photo:a', 'photo:b', 'one:a', 'one:b']);
});

test('a result is fetched before the next project is bought in its place', async () => {
  const order = await begun(photo + colour('one', 'a') + save('one'), 1);
  expect(order).toEqual(['photo:a', 'photo:b', 'one:a', 'save-one:a', 'one:b', 'save-one:b']);
});

test('an item that is further along is finished before another one is begun', async () => {
  const steps = photo + colour('one', 'a') + colour('two', 'b') + save('one');
  const after = steps.replace('two: { uses', 'two: { needs: [one], uses');
  const order = await begun(after, 1);
  expect(order).toEqual([
    ...['photo:a', 'photo:b', 'one:a', 'save-one:a', 'two:a'],
    ...['one:b', 'save-one:b', 'two:b'],
  ]);
});

test('one step that waits for room holds up no other one', async () => {
  const free =
    '  faces: { uses: face-detect, with: { target_file_path: "${{ steps.photo.file_path }}" } }\n';
  const order = await begun(photo + colour('one', 'a') + free, 1);
  expect(order.indexOf('faces:b')).toBeLessThan(order.indexOf('one:b'));
});

const limits = (total: number) => ({ generationLimits: { total, byKind: {} } });

test('a creation that waits for a slot is decided once more, however long it waits', async () => {
  const keys = Array.from({ length: 16 }, (_, n) => `k${n}`);
  const memory = new InMemory();
  for (const key of keys) memory.disk.files.set(`${key}.png`, `photo ${key}`);
  const takes = pickedTakes(memory.ledger);
  let decisions = 0;
  const { charged } = await memory.run(pipeline(photo + colour('one', 'a')), 'fine', keys, {
    ...limits(2),
    takes: {
      choose: (first, task) => {
        decisions += 1;
        return takes.choose(first, task);
      },
      spares: () => false,
    },
  });
  expect(charged).toBe(16 * 50);
  expect(decisions).toBeLessThanOrEqual(2 * 16);
});

test('projects that an earlier run left, and that nobody follows now, keep nobody from buying', async () => {
  const memory = new InMemory();
  const text = pipeline(photo + colour('one', 'a'));
  await memory.run(text, 'endless', ['a']);
  const { endings, charged } = await memory.run(text, 'fine', ['b'], limits(1));
  expect(endings).toEqual(['photo:b done', 'one:b done']);
  expect(charged).toBe(50);
});

test('a project that an earlier run left has its slot until this run has seen its end', async () => {
  const memory = new InMemory();
  const text = pipeline(photo + colour('one', 'a') + save('one'));
  await memory.run(text, 'endless', ['a']);
  const { endings } = await memory.run(text, 'fine', ['a', 'b'], limits(1));
  const order = endings.filter((ending) => ending.startsWith('one') || ending.startsWith('save'));
  expect(order).toEqual(['one:a done', 'save-one:a done', 'one:b done', 'save-one:b done']);
});

test('who waits for a slot is told that nothing more is bought before anybody gives one back', async () => {
  const memory = new InMemory();
  const told = Promise.withResolvers<void>();
  memory.api = {
    async project(record, id) {
      await told.promise;
      return memory.service.project(record, id);
    },
  };
  const text = pipeline(photo + colour('one', 'a'));
  const { endings } = await memory.run(text, 'fine', ['a', 'b'], limits(1), (event, walk) => {
    if (event.type === 'charged') walk.leave('left');
    if (event.type === 'task' && event.task === 'one:b') told.resolve();
  });
  expect(endings.slice(2)).toEqual(['one:b later', 'one:a done']);
});
