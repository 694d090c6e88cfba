// The value that a hint names where two tasks would write one file.
import { expect, test } from 'vitest';
import { hintOf } from '../../src/core/output-claims.ts';
import { fileItem, type Item, valueItem } from '../../src/model/item.ts';

const file = (path: string, matrix?: Item['matrix']): Item => ({
  ...fileItem(path, '', 0),
  ...(matrix === undefined ? {} : { matrix }),
});

test.each<[string, Item | undefined, Item | undefined, string]>([
  ['another name', file('a.png'), file('b.png'), 'item.stem }} in to:, which differs: "a" and "b"'],
  ['another folder', file('x/a.png'), file('y/a.png'), 'item.dir }}'],
  ['another format', file('a.png'), file('a.jpg'), 'item.ext }}'],
  ['only the case', file('x/a.png'), file('y/A.png'), 'item.dir }}'],
  ['another value', file('a.png', { size: 1 }), file('a.png', { size: 2 }), 'each.index'],
  [
    'a column',
    valueItem({ name: 'a', who: 'x' }, 0),
    valueItem({ name: 'a', who: 'y' }, 1),
    'item.who }}',
  ],
  ['an odd column', valueItem({ 'a b': 1 }, 0), valueItem({ 'a b': 2 }, 1), 'item["a b"] }}'],
  ['nothing of their own', valueItem({ a: 1 }, 0), valueItem({ a: 1 }, 1), 'item.index }}'],
  ['no item', undefined, undefined, 'each.index }}'],
])('between items with %s', (_, one, other, hint) => {
  const claim = (item: Item | undefined) => ({ task: `save:${item?.key}`, item });
  expect(hintOf(claim(one), claim(other))).toContain(hint);
});

test('of two steps, one goes elsewhere; a matrix comes before the item', () => {
  const item = file('a.png');
  expect(hintOf({ task: 'save:a.png', item }, { task: 'keep:a.png', item })).toContain('two steps');
  const [one, other] = [1, 2].map((size) => ({ ...file('a.png', { size }), key: `a.png ${size}` }));
  const hint = hintOf({ task: 'save:1', item: one }, { task: 'save:2', item: other });
  expect(hint).toContain('matrix.size }} in to:, which differs: 1 and 2');
});
