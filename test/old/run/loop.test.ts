// The walk with everything that it drives, in memory: what one run leaves for the next, and what is told.
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../src/core/run-event.ts';
import { colour, InMemory, photo, pipeline } from './in-memory.ts';

const capped = 'budget: { per_item: 75 }\n';

describe('per_item over two runs', () => {
  const [one, two] = [photo + colour('one', 'a'), photo + colour('one', 'a') + colour('two', 'b')];

  test('counts what the first run was charged and the second reuses', async () => {
    const memory = new InMemory();
    expect((await memory.run(pipeline(one, capped))).charged).toBe(50);
    const { endings, charged } = await memory.run(pipeline(two, capped));
    expect(endings).toEqual(['photo:a reused', 'one:a reused', 'two:a pending']);
    expect(charged).toBe(0);
    expect((await memory.run(pipeline(two))).charged).toBe(50);
  });

  test('counts what the first run has left in doubt', async () => {
    const memory = new InMemory();
    expect((await memory.run(pipeline(one, capped), 'lost')).endings).toContain('one:a doubt');
    const { endings, charged } = await memory.run(pipeline(two, capped));
    expect(endings).toEqual(['photo:a reused', 'one:a doubt', 'two:a pending']);
    expect(charged).toBe(0);
  });

  test('counts a project of the first run that is still waited for', async () => {
    const memory = new InMemory();
    expect((await memory.run(pipeline(one, capped), 'endless')).endings).toContain('one:a pending');
    const { endings, charged } = await memory.run(pipeline(two, capped));
    expect([...endings].sort()).toEqual(['one:a done', 'photo:a reused', 'two:a pending']);
    expect(charged).toBe(0);
  });
});

describe('a second run', () => {
  test('says again what failed, and records it once', async () => {
    const memory = new InMemory();
    memory.disk.files.delete('a.png');
    const first = await memory.run(pipeline(photo));
    expect(first.lines.filter((line) => line.includes('"ending":"failed"'))).toHaveLength(1);
    const second = await memory.run(pipeline(photo));
    expect(second.endings).toEqual(['photo:a failed']);
    expect(second.lines).toEqual([]);
  });
});

describe('the end of an item', () => {
  test('is told with whether anything was done for it, and whether all went well', async () => {
    const memory = new InMemory();
    const text = pipeline(photo + colour('one', 'a'));
    const items = (told: readonly RunEvent[]) => told.filter(({ type }) => type === 'item');
    memory.disk.files.delete('b.png');
    const { told, walk } = await memory.run(text, 'fine', ['a', 'b']);
    expect(
      [...items(told)].sort((x, y) => JSON.stringify(x).localeCompare(JSON.stringify(y))),
    ).toMatchObject([
      { item: 'a', ok: true, changed: true },
      { item: 'b', ok: false, changed: true },
    ]);
    expect(walk.tally.itemsOver).toBe(2);
    expect(items((await memory.run(text)).told)).toMatchObject([
      { item: 'a', ok: true, changed: false, of: 1 },
    ]);
  });
});

describe('the delete of what all items use', () => {
  const shared = (prompt: string): string =>
    pipeline(`  actor: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: ${prompt} } } }
${photo}  swap: { uses: ai-image-editor, with: { assets: { image_file_paths: ["\${{ steps.photo.file_path }}", "\${{ steps.actor.url }}"] }, style: { prompt: a } } }
  tidy: { uses: delete, with: { of: actor, discard: true } }
`);

  test('is done once all items are', async () => {
    const { endings } = await new InMemory().run(shared('x'), 'fine', ['a', 'b']);
    expect(endings.at(-1)).toBe('tidy done');
    expect(endings).toContain('swap:b done');
  });

  test('is blocked where one item is not done', async () => {
    const memory = new InMemory();
    memory.disk.files.delete('b.png');
    const { endings } = await memory.run(shared('x'), 'fine', ['a', 'b']);
    expect(endings).toContain('swap:a done');
    expect(endings.at(-1)).toBe('tidy blocked');
  });
});

test('too many failed items end the buying', async () => {
  const memory = new InMemory();
  memory.disk.files.delete('a.png');
  const text = pipeline(photo + colour('one', 'a'), 'on_failure: stop\nlimits: { items: 1 }\n');
  const { walk, endings, charged } = await memory.run(text, 'fine', ['a', 'b']);
  expect(endings.slice(0, 2)).toEqual(['photo:a failed', 'one:a blocked']);
  expect(charged).toBe(0);
  expect(walk.stopped.why).toContain('on_failure');
});

test('credits that went to failed items end the buying', async () => {
  const memory = new InMemory();
  const text = pipeline(photo + colour('one', 'a'), 'max_credits_lost: 10\nlimits: { items: 1 }\n');
  const { walk } = await memory.run(text, 'error', ['a', 'b']);
  // An error is refunded: nothing is lost.
  expect(walk.stopped.why).toBeUndefined();
});

test('values that went stale are made fresh without being told of again', async () => {
  const memory = new InMemory();
  const text = pipeline(photo + colour('one', 'a'));
  await memory.run(text);
  const next = pipeline(
    `${photo + colour('one', 'a')}  more: { uses: ai-image-editor, with: { assets: { image_file_paths: ["\${{ steps.one.url }}"] }, style: { prompt: c } } }\n`,
  );
  const { endings, charged } = await memory.run(next);
  expect(endings).toEqual(['photo:a reused', 'one:a reused', 'more:a done']);
  expect(charged).toBe(50);
});
