// The order in which tasks begin: what is free goes first, and what is paid for is finished before more is bought.
import { expect, test } from 'vitest';
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
