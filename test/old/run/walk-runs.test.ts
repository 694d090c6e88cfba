// Whole runs in memory: the order in which tasks end, what is paid, what is written, and why a run ends.
import { describe, expect, test } from 'vitest';
import { err } from '../../../src/base/result.ts';
import type { ApiFailure } from '../../../src/contract/api/failure.ts';
import { valueItem } from '../../../src/model/item.ts';
import { colour, InMemory, photo, pipeline } from './in-memory.ts';

const save = '  save: { uses: download, with: { of: one, to: "${{ item.key }}.png" } }\n';
const tidy = '  tidy: { uses: delete, with: { of: one } }\n';
const whole = photo + colour('one', 'a') + save + tidy;

const kinds = (events: readonly string[]) => events.join(' ');

describe('a pipeline without items', () => {
  const alone = `pipeline: p
steps:
  photo: { uses: upload, with: { file: a.png } }
  one: { uses: photo-colorizer, with: { assets: { image_file_path: "\${{ steps.photo.file_path }}" } } }
  save: { uses: download, with: { of: one, to: a.png } }
`;
  const done = (memory: InMemory, change = {}) => memory.run(alone, 'fine', [], change);

  test('is one thing, done or not', async () => {
    const memory = new InMemory();
    const { endings, walk, told, charged } = await done(memory);
    expect(endings).toEqual(['photo done', 'one done', 'save done']);
    expect([walk.tally.itemsOver, charged]).toEqual([1, 50]);
    expect(told.filter(({ type }) => type === 'item')).toEqual([]);
    const again = await done(memory);
    expect(again.endings).toEqual(['photo reused', 'one reused', 'save reused']);
    expect([again.events, again.charged]).toEqual([[], 0]);
  });

  test('that failed is not done', async () => {
    const memory = new InMemory();
    memory.disk.files.delete('a.png');
    const { endings, walk } = await done(memory);
    expect(endings).toEqual(['photo failed', 'one blocked', 'save blocked']);
    expect(walk.tally.itemsOver).toBe(0);
  });

  test('that was halted is not done', async () => {
    const { walk, endings } = await new InMemory().run(alone, 'fine', [], {}, (event, running) => {
      if (event.type === 'task') running.halt({ what: 'interrupt', why: 'stopped by hand' });
    });
    expect(endings).toEqual(['photo done']);
    expect(walk.tally.itemsOver).toBe(0);
    expect(walk.stopped).toMatchObject({ interrupted: true, why: 'stopped by hand' });
  });
});

describe('a run', () => {
  test('does every step of every item, and the next run does nothing', async () => {
    const memory = new InMemory();
    const { endings, events, charged, walk } = await memory.run(pipeline(whole), 'fine', [
      'a',
      'b',
    ]);
    expect([...endings].sort()).toEqual(
      ['one', 'photo', 'save', 'tidy'].flatMap((step) => [`${step}:a done`, `${step}:b done`]),
    );
    expect([charged, walk.tally.itemsOver, walk.stopped.why]).toEqual([100, 2, undefined]);
    expect(events.filter((event) => event === 'intent')).toHaveLength(2);
    const again = await memory.run(pipeline(whole), 'fine', ['a', 'b']);
    expect(again.endings.every((ending) => ending.endsWith(' reused'))).toBe(true);
    expect(again.endings).toHaveLength(8);
    expect([again.events, again.charged]).toEqual([[], 0]);
  });

  test('of one item at a time does the first before it begins the second', async () => {
    const text = pipeline(whole, 'limits: { items: 1 }\n');
    const { endings, told } = await new InMemory().run(text, 'fine', ['a', 'b']);
    expect(endings).toEqual([
      ...['photo:a done', 'one:a done', 'save:a done', 'tidy:a done'],
      ...['photo:b done', 'one:b done', 'save:b done', 'tidy:b done'],
    ]);
    expect(told.filter(({ type }) => type === 'item')).toMatchObject([
      { item: 'a', of: 1 },
      { item: 'b', of: 2 },
    ]);
  });

  test('pays once for items with the same content, and says for whom', async () => {
    const memory = new InMemory();
    memory.disk.files.set('b.png', 'photo a');
    const { endings, charged, events } = await memory.run(pipeline(whole), 'fine', ['a', 'b']);
    expect(charged).toBe(50);
    expect([...endings].sort()).toEqual([
      ...['one:a done', 'one:b reused', 'photo:a done', 'photo:b reused'],
      ...['save:a done', 'save:b done', 'tidy:a done', 'tidy:b reused'],
    ]);
    expect(events.filter((event) => event === 'serves')).toHaveLength(2);
    expect(events.filter((event) => event === 'deleted')).toHaveLength(1);
  });

  test('records for whom a result of an earlier run is used, once', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(photo + colour('one', 'a')));
    memory.disk.files.set('b.png', 'photo a');
    const text = pipeline(photo + colour('one', 'a') + save);
    const second = await memory.run(text, 'fine', ['b']);
    expect(kinds(second.events)).toBe('run serves serves output ended');
    expect((await memory.run(text, 'fine', ['b'])).events).toEqual([]);
  });

  test('records that a task which failed before is done, although its job was done for it', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(photo));
    memory.disk.files.delete('a.png');
    expect((await memory.run(pipeline(photo))).endings).toEqual(['photo:a failed']);
    memory.disk.files.set('a.png', 'photo a');
    const third = await memory.run(pipeline(photo));
    expect([third.endings, kinds(third.events)]).toEqual([
      ...[['photo:a reused'], 'run serves ended'],
    ]);
    expect((await memory.run(pipeline(photo))).events).toEqual([]);
  });

  test('tells a task that was savedFirst in this run as done by it', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(photo));
    const { endings } = await memory.run(pipeline(photo), 'fine', ['a'], {
      savedFirst: new Set(['photo:a']),
    });
    expect(endings).toEqual(['photo:a done']);
  });

  test('waits for the first charge of a kind under a budget, then buys the rest', async () => {
    const { endings, charged } = await new InMemory().run(
      ...[pipeline(whole), 'fine' as const, ['a', 'b']],
      { budget: 100 },
    );
    expect(charged).toBe(100);
    expect(endings.filter((ending) => ending.endsWith('done'))).toHaveLength(8);
  });

  test('stops buying where the budget ends, and takes in no more items', async () => {
    let taken = 0;
    function* items() {
      for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) {
        taken += 1;
        yield valueItem({ key }, index);
      }
    }
    const memory = new InMemory();
    for (const key of ['c', 'd']) memory.disk.files.set(`${key}.png`, `photo ${key}`);
    const text = pipeline(whole, 'limits: { items: 1 }\n');
    const { endings, charged, walk } = await memory.run(text, 'fine', ['a', 'b', 'c', 'd'], {
      ...{ items: items(), budget: 70 },
    });
    expect(charged).toBe(50);
    expect(endings.slice(0, 4)).toEqual([
      'photo:a done',
      'one:a done',
      'save:a done',
      'tidy:a done',
    ]);
    expect(endings.slice(4)).toEqual([
      ...['photo:b done', 'one:b pending', 'save:b blocked', 'tidy:b blocked'],
    ]);
    expect(walk.stopped).toMatchObject({ money: true });
    expect(taken).toBe(2);
  });

  test('that buys nothing from the start only finishes what was paid, for every item', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(whole), 'endless', ['a']);
    const { endings, charged, walk } = await memory.run(pipeline(whole), 'fine', ['a', 'b'], {
      closed: { because: 'saving', why: 'only what is paid' },
    });
    expect(charged).toBe(0);
    expect([...endings].sort()).toEqual([
      ...['one:a done', 'one:b pending', 'photo:a reused', 'photo:b done'],
      ...['save:a done', 'save:b blocked', 'tidy:a done', 'tidy:b blocked'],
    ]);
    expect(walk.stopped.why).toBe('only what is paid');
  });

  test('that may buy nothing for another reason takes in no item', async () => {
    const { endings, walk } = await new InMemory().run(pipeline(whole), 'fine', ['a', 'b'], {
      closed: { because: 'budget', why: 'no credits' },
    });
    expect([endings, walk.tally.itemsOver]).toEqual([[], 0]);
  });

  test('that is halted starts nothing more, and leaves what is paid to the next', async () => {
    const memory = new InMemory();
    const text = pipeline(whole, 'limits: { items: 1 }\n');
    const first = await memory.run(text, 'fine', ['a', 'b'], {}, (event, walk) => {
      if (event.type === 'task' && event.task === 'one:a')
        walk.halt({ what: 'interrupt', why: 'by hand' });
    });
    expect(first.endings).toEqual(['photo:a done', 'one:a done']);
    expect(first.walk.stopped).toMatchObject({ interrupted: true, why: 'by hand' });
    const second = await memory.run(text, 'fine', ['a', 'b']);
    expect([first.charged, second.charged]).toEqual([50, 50]);
    expect(second.endings.slice(0, 3)).toEqual(['photo:a reused', 'one:a reused', 'save:a done']);
  });

  test('that is halted when everything is over was not interrupted', async () => {
    let over = 0;
    const { walk, endings } = await new InMemory().run(
      pipeline(whole),
      'fine',
      ['a', 'b'],
      {},
      (event, running) => {
        if (event.type === 'item' && ++over === 2)
          running.halt({ what: 'interrupt', why: 'by hand' });
      },
    );
    expect(endings).toHaveLength(8);
    expect(walk.stopped).toMatchObject({ interrupted: false, why: undefined });
  });

  test('ends where the service knows its key no more', async () => {
    const memory = new InMemory();
    const unauthorized: ApiFailure = { reason: 'unauthorized', message: 'wrong key' };
    memory.api = { uploadAddresses: async () => err(unauthorized) };
    const { endings, walk } = await memory.run(pipeline(whole, 'limits: { items: 1 }\n'), 'fine', [
      'a',
      'b',
    ]);
    expect(endings).toEqual(['photo:a pending']);
    expect(walk.stopped).toMatchObject({ unauthorized: true });
  });

  test('takes no file for read that could not be read', async () => {
    const memory = new InMemory();
    memory.disk.unread.add('a.png');
    memory.disk.unread.add('b.png');
    memory.disk.broken.add('b.png');
    const { endings, told } = await memory.run(pipeline(whole), 'fine', ['a', 'b']);
    expect(endings).toContain('one:a done');
    expect(endings).toContain('photo:b failed');
    expect(told.find((event) => event.type === 'task' && event.task === 'photo:b')).toMatchObject({
      why: 'b.png could not be read',
    });
  });
});

describe('a creation', () => {
  const failing = (code: string): InMemory => {
    const memory = new InMemory();
    let creations = 0;
    memory.api = {
      create: async (tool, body) => {
        creations += 1;
        return await memory.service.create(tool, body);
      },
      project: async (record, id) => {
        const read = await memory.service.project(record, id);
        if (creations > 1 || !read.ok) return read;
        const error = { code, message: 'm' };
        return { ok: true, value: { ...read.value, status: 'error', credits_charged: 0, error } };
      },
    };
    return memory;
  };

  test('that failed for a time is tried again in this run', async () => {
    const memory = failing('unknown_error');
    const { endings, events } = await memory.run(pipeline(whole));
    expect(endings).toEqual(['photo:a done', 'one:a done', 'save:a done', 'tidy:a done']);
    expect(events.filter((event) => event === 'intent')).toHaveLength(2);
  });

  test('that failed for good is not, and its siblings neither', async () => {
    const memory = failing('no_source_face');
    memory.disk.files.set('b.png', 'photo a');
    const text = pipeline(whole, 'limits: { items: 1 }\n');
    const { endings, events } = await memory.run(text, 'fine', ['a', 'b']);
    expect(endings).toEqual([
      ...['photo:a done', 'one:a failed', 'save:a blocked', 'tidy:a blocked'],
      ...['photo:b reused', 'one:b failed', 'save:b blocked', 'tidy:b blocked'],
    ]);
    expect(events.filter((event) => event === 'intent')).toHaveLength(1);
  });

  test('whose input storage has lost is sent again once it was uploaded again', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(photo));
    let lost = 1;
    memory.api = {
      create: async (tool, body) => {
        lost -= 1;
        if (lost >= 0) return err({ reason: 'missing-asset', message: 'it is gone' });
        return await memory.service.create(tool, body);
      },
    };
    const second = await memory.run(pipeline(photo + colour('one', 'a')));
    expect(second.endings).toEqual(['photo:a reused', 'photo:a done', 'one:a done']);
    expect(second.charged).toBe(50);
  });

  test('whose input is lost also after that fails', async () => {
    const memory = new InMemory();
    memory.api = { create: async () => err({ reason: 'missing-asset', message: 'it is gone' }) };
    const { endings, told } = await memory.run(pipeline(photo + colour('one', 'a')));
    expect(endings).toEqual(['photo:a done', 'one:a failed']);
    expect(told.at(-2)).toMatchObject({
      ...{ task: 'one:a', why: expect.stringContaining('also after it was supplied again') },
    });
  });
});

describe('shared steps', () => {
  const actor = (more: string) => `  actor: { uses: upload, with: { file: actor.png } }
${photo}  one: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }
${more}`;

  test('are done once, before the items that use them', async () => {
    const memory = new InMemory();
    memory.disk.files.set('actor.png', 'actor');
    const { endings } = await memory.run(pipeline(actor(save)), 'fine', ['a', 'b']);
    expect(endings.filter((ending) => ending === 'actor done')).toHaveLength(1);
    expect(endings.indexOf('actor done')).toBeLessThan(endings.indexOf('one:a done'));
    expect(endings).toHaveLength(7);
  });

  test('that fail block the items, which end without them', async () => {
    const { endings, charged, walk } = await new InMemory().run(
      ...[pipeline(actor(save)), 'fine' as const, ['a', 'b']],
    );
    expect(charged).toBe(0);
    expect(endings).toContain('actor failed');
    expect(endings).toContain('one:b blocked');
    expect(walk.tally.itemsOver).toBe(2);
  });

  const poster = (more = '') => `pipeline: p
items: { values: [{ key: a }, { key: b }] }
steps:
  actor: { uses: ai-image-generator, with: { image_count: 1, style: { prompt: x } } }
${photo}  one: { uses: ai-image-editor, estimate: 50, with: { assets: { image_file_paths: ["\${{ steps.photo.file_path }}", "\${{ steps.actor.url }}"] }, style: { prompt: a } } }
  tidy: { uses: delete, with: { of: actor, discard: true } }
${more}`;

  test('that wait for all items are not done by a run of some items', async () => {
    const { endings } = await new InMemory().run(poster(), 'fine', ['a'], { partial: true });
    expect(endings.at(-1)).toBe('tidy excluded');
  });

  test('that wait for all items are left to the next run where the budget took in only some', async () => {
    const memory = new InMemory();
    const text = poster().replace('steps:', 'limits: { items: 1 }\nsteps:');
    const first = await memory.run(text, 'fine', ['a', 'b'], { budget: 60 });
    expect(first.endings.at(-1)).toBe('tidy blocked');
    const second = await memory.run(text, 'fine', ['a', 'b']);
    expect(second.endings.at(-1)).toBe('tidy done');
    expect(first.charged + second.charged).toBe(150);
  });
});

describe('values that went stale', () => {
  const week = 7 * 86_400_000;

  test('are made fresh for a step that needs them, the free ones again, and are told of once more', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(photo));
    memory.clock.pass(week);
    const { endings, charged, events } = await memory.run(pipeline(photo + colour('one', 'a')));
    expect(endings).toEqual(['photo:a reused', 'photo:a done', 'one:a done']);
    expect(charged).toBe(50);
    expect(events.filter((event) => event === 'supplied')).toHaveLength(1);
  });

  test('of a shared step are made fresh once for all items', async () => {
    const memory = new InMemory();
    memory.disk.files.set('actor.png', 'actor');
    const shared = '  actor: { uses: upload, with: { file: actor.png } }\n';
    const use = `  one: { uses: face-swap-photo, with: { assets: { target_file_path: "\${{ steps.photo.file_path }}", source_file_path: "\${{ steps.actor.file_path }}" } } }\n`;
    await memory.run(pipeline(shared + photo), 'fine', ['a', 'b']);
    memory.clock.pass(week);
    const { endings, events } = await memory.run(pipeline(shared + photo + use), 'fine', [
      'a',
      'b',
    ]);
    expect(endings.filter((ending) => ending.startsWith('actor'))).toEqual([
      ...['actor reused', 'actor done'],
    ]);
    expect(events.filter((event) => event === 'supplied')).toHaveLength(3);
    expect(endings).toContain('one:a done');
    expect(endings).toContain('one:b done');
  });

  test('of a project that is deleted come from its saved files', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(whole));
    const more =
      '  more: { uses: ai-image-editor, estimate: 50, with: { assets: { image_file_paths: ["${{ steps.one.url }}"] }, style: { prompt: c } } }\n';
    const { endings, charged } = await memory.run(pipeline(whole.replace(tidy, '') + more));
    expect(endings).toEqual(['photo:a reused', 'one:a reused', 'save:a reused', 'more:a done']);
    expect(charged).toBe(50);
  });

  test('that are lost are paid for again only where that is allowed', async () => {
    const memory = new InMemory();
    await memory.run(pipeline(whole));
    memory.disk.files.delete('out/a.png');
    const text = pipeline(whole.replace(tidy, ''));
    const without = await memory.run(text);
    expect([without.endings.at(-1), without.charged]).toEqual(['save:a failed', 0]);
    const paying = await memory.run(text, 'fine', ['a'], { payAgain: true });
    expect(paying.endings).toEqual([
      ...['photo:a reused', 'one:a reused', 'one:a done', 'save:a done'],
    ]);
    expect(paying.charged).toBe(50);
  });
});
