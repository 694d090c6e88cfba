// The window of items in progress: how many are taken in, which of them are looked at, and who is asked again.
import { describe, expect, test } from 'vitest';
import type { ItemRun } from '../../../src/runner/run/items/item-run.ts';
import { Window } from '../../../src/runner/run/window.ts';
import { valueItem } from '../../../src/runner/task/item.ts';
import { fingerprint, Parts } from './parts.ts';

function scene(count: number, size: number) {
  const parts = new Parts();
  const opened: ItemRun[] = [];
  let taken = 0;
  function* items() {
    for (let index = 0; index < count; index++) {
      taken += 1;
      yield valueItem({ key: `${index}` }, index);
    }
  }
  const open = (): ItemRun => {
    const item = parts.item(`${opened.length}`);
    opened.push(item);
    return item;
  };
  return { parts, opened, taken: () => taken, window: new Window({ items: items(), size, open }) };
}

/** All item runs in which something may start, in the order in which they are looked at. */
function stirred(window: Window): readonly ItemRun[] {
  const list: ItemRun[] = [];
  for (let next = window.next(); next !== undefined; next = window.next()) list.push(next);
  return list;
}

describe('the window', () => {
  test('takes in items until it is full, and no item before there is room', () => {
    const { window, opened, taken } = scene(5, 2);
    expect([window.isEmpty, window.hasRoom, window.isExhausted]).toEqual([true, true, false]);
    expect(window.fill()).toBe(false);
    expect([window.isEmpty, window.hasRoom, window.isExhausted]).toEqual([false, false, false]);
    expect([opened.length, taken()]).toEqual([2, 2]);
    expect(window.fill()).toBe(false);
    expect(taken()).toBe(2);
    expect(stirred(window)).toEqual(opened);
  });

  test('takes in the next item when one is over', () => {
    const { window, opened } = scene(3, 2);
    window.fill();
    stirred(window);
    const [first] = opened;
    if (first === undefined) throw new Error('no item');
    expect(window.close(first)).toBe(true);
    expect(window.close(first)).toBe(false);
    expect(window.hasRoom).toBe(true);
    expect(window.fill()).toBe(false);
    expect(stirred(window)).toEqual([opened[2]]);
  });

  test('says when there are no more, and has no room from then on', () => {
    const { window, opened } = scene(1, 2);
    expect(window.fill()).toBe(true);
    expect([window.isExhausted, window.hasRoom, window.isEmpty]).toEqual([true, false, false]);
    expect(window.fill()).toBe(true);
    for (const item of opened) window.close(item);
    expect(window.isEmpty).toBe(true);
  });

  test('looks at each item run once, however often it was stirred', () => {
    const { window, opened } = scene(2, 2);
    window.fill();
    window.stirAll();
    expect(stirred(window)).toEqual(opened);
    expect(stirred(window)).toEqual([]);
    window.stirAll();
    expect(stirred(window)).toEqual(opened);
  });

  test('asks a task that waits again when something has happened, and not before', () => {
    const { window, opened, parts } = scene(1, 1);
    window.fill();
    const [item] = stirred(window);
    if (item === undefined) throw new Error('no item');
    expect(item).toBe(opened[0]);
    window.wait(item, parts.step('photo'));
    expect(item.schedule.phase('photo')).toBe('started');
    expect(stirred(window)).toEqual([]);
    window.askAgain();
    expect(item.schedule.phase('photo')).toBe('waiting');
    expect(stirred(window)).toEqual([item]);
    window.askAgain();
    expect(stirred(window)).toEqual([]);
  });
});

describe('a delete', () => {
  test('waits while any item in the window, or its own, still uses the project', () => {
    const { window, opened, parts } = scene(2, 2);
    window.fill();
    const [one, two] = opened;
    if (one === undefined || two === undefined) throw new Error('no items');
    const job = fingerprint('job');
    parts.journal.append([
      {
        event: 'intent',
        job,
        task: 'swap:0',
        kind: 'photo-colorizer',
        attempt: 1,
        name: 'n',
        reserve: 1,
      },
      { event: 'created', job, project: 'p', credits: 1 },
      { event: 'settled', job, status: 'complete', credits: 1, result: { downloads: 1 } },
    ]);
    const tidy = parts.step('tidy');
    const asks = (item: ItemRun) => window.keepsFrom(item, tidy, job);
    expect(asks(one)).toBe(false);
    two.give(parts.step('swap'), job, { live: {}, ledger: parts.ledger });
    window.gave(two, parts.step('swap'), job);
    expect(asks(one)).toBe(true);
    expect(window.keepsFrom(one, parts.step('save'), job)).toBe(false);
    expect(window.keepsFrom(one, tidy, fingerprint('other'))).toBe(false);
    window.close(two);
    expect(asks(one)).toBe(false);
    // Its own item run counts although it is not in the window, like that of the shared steps.
    expect(asks(two)).toBe(true);
    two.schedule.end('save', 'done');
    expect(asks(two)).toBe(false);
  });
});
